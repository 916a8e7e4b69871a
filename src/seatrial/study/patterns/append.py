"""`append`: from the current end of the file to the size of the file."""

from seatrial.study.pattern_kinds import PatternTraits

TRAITS = PatternTraits(describes_writes=True, is_at_end=True, is_in_order=True)
