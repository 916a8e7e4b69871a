"""`random`: each transfer once, in random order."""

from seatrial.study.pattern_kinds import PatternTraits

TRAITS = PatternTraits(is_scattered=True)
