"""`random-with-replacement`: as many transfers as the file has, each time any of them."""

from seatrial.study.pattern_kinds import PatternTraits

TRAITS = PatternTraits(repeats=True, is_scattered=True)
