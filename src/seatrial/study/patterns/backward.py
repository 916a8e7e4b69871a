"""`backward`: from the last transfer to the first."""

from seatrial.study.pattern_kinds import PatternTraits

TRAITS = PatternTraits()
