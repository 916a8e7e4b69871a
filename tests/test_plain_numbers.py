"""Numbers on the terminal and in generated tables have no exponent."""

import pytest

from seatrial.basics.units import plain
from seatrial.result.quantities import OPERATIONS


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (67012.3, 4, "67012"),
        (650.14, 4, "650.1"),
        (1024.3, 3, "1024"),
        (0.38, 3, "0.38"),
        (0.0000123, 4, "0.0000123"),
    ],
)
def test_a_number_has_its_digits_and_no_exponent(value: float, digits: int, text: str) -> None:
    """A larger number keeps all digits before the point."""
    assert plain(value, digits) == text


def test_a_rate_of_operations_has_no_exponent() -> None:
    """As the line of a phase prints it."""
    assert OPERATIONS.written(67012.3) == "67012 operations/s"
