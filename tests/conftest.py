"""For all tests: no example is given a time limit, because a busy machine would turn it into a failure."""

from hypothesis import settings

settings.register_profile("seatrial", deadline=None)
settings.load_profile("seatrial")
