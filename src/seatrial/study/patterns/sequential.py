"""`sequential`: from the first transfer to the last."""

from seatrial.study.pattern_kinds import PatternTraits

TRAITS = PatternTraits(is_in_order=True)
