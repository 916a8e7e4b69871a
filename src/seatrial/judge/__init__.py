"""From a record to verdicts: the claims of a study, and those that others have published."""
