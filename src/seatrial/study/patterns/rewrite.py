"""`rewrite`: from the first transfer to the last, over the existing data."""

from seatrial.study.pattern_kinds import PatternTraits

TRAITS = PatternTraits(describes_writes=True, is_in_order=True)
