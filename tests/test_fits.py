"""The fits of costs in scripts/fits.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders.tools import script

fits = script("fits")
COUNTS = (10, 30, 100, 300, 1000)


@given(st.floats(0, 100), st.floats(0.001, 10))
def test_a_line_is_found_again(fixed: float, each: float) -> None:
    """The costs of a straight line give its two parameters, and grow no faster than the count."""
    found = fits.fit(COUNTS, [fixed + each * count for count in COUNTS])
    assert found.fixed == pytest.approx(fixed, abs=1e-6)
    assert found.each == pytest.approx(each, abs=1e-6)
    assert found.exponent <= 1 + 1e-9


def test_a_quadratic_cost_has_the_exponent_2() -> None:
    """Two points are too few for a power law."""
    assert fits.fit(COUNTS, [1e-6 * count**2 for count in COUNTS]).exponent == pytest.approx(2.0)
    assert fits.fit((1, 2), (1.0, 2.0)) is None
    assert fits.fit(COUNTS, [0.0] * len(COUNTS)) is None


def test_the_line_gives_the_count_at_a_limit() -> None:
    """None when the cost does not grow."""
    linear = fits.fit(COUNTS, [0.01 + 0.0002 * count for count in COUNTS])
    assert linear.count_at(1.01) == 5000
    assert fits.Fit(1.0, 0.0, 0.0, 0.5).count_at(1.0) is None
