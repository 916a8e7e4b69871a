"""From a result to verdicts: the criteria of a study, and the published claims."""
