"""Sizes, rates and times."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.units import (
    format_duration,
    format_rate,
    format_size,
    parse_duration,
    parse_rate,
    parse_ratio,
    parse_size,
)


@given(st.integers(min_value=0, max_value=2**60))
def test_a_size_survives_printing(size: int) -> None:
    """Output of format_size is read by parse_size as the same number."""
    assert size == parse_size(format_size(size))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("64KiB", 65536),
        ("64kB", 64000),
        ("1.5GiB", 3 * 2**29),
        ("512B", 512),
        (" 2 MiB ", 2 * 2**20),
        ("0B", 0),
    ],
)
def test_sizes(text: str, size: int) -> None:
    """Binary and decimal prefixes differ."""
    assert size == parse_size(text)


@pytest.mark.parametrize(
    ("text", "rate"),
    [("10Gbit/s", 1.25e9), ("130MB/s", 130e6), ("1MiB/s", 2**20), ("100kbit/s", 12500)],
)
def test_rates(text: str, rate: float) -> None:
    """Bits are divided by eight."""
    assert rate == parse_rate(text)


@pytest.mark.parametrize(
    "text", ["256", 256, "12 parsecs", "", "MiB", "-1MiB", "1.3B", "1e3B", "10Gbit/s", "5xB"]
)
def test_wrong_sizes_are_refused(text: object) -> None:
    """The message quotes the text; for a bare number it names the missing unit."""
    with pytest.raises(ValueError, match="unit|size|bytes"):
        parse_size(text)


@given(st.text(max_size=12))
def test_any_text_is_a_size_or_a_value_error(text: str) -> None:
    """No other exception for any text."""
    for parse in (parse_size, parse_rate, parse_duration, parse_ratio):
        with contextlib.suppress(ValueError):
            assert parse(text) >= 0


@pytest.mark.parametrize(("text", "value"), [("1/40", 0.025), ("1", 1.0), ("0.5", 0.5)])
def test_ratios(text: str, value: float) -> None:
    """Fractions and decimals."""
    assert value == parse_ratio(text)


@pytest.mark.parametrize(
    "text", ["0", "2", "1/0", "forty", "-1/2", "1e-99999999", "1/" + "9" * 5000]
)
def test_wrong_ratios_are_refused(text: str) -> None:
    """Outside (0, 1]."""
    with pytest.raises(ValueError, match="ratio|outside"):
        parse_ratio(text)


def test_durations_and_forms_for_people() -> None:
    """Times parse; rates and times print short."""
    assert parse_duration("200ms") == pytest.approx(0.2)
    assert parse_duration("1.5min") == 90
    assert format_rate(31.25e6) == "31.2 MB/s"
    assert format_rate(12) == "12 B/s"
    assert format_rate(999_999.99) == "1 MB/s"
    assert [format_duration(value) for value in (0.05, 4.24, 185)] == [
        "50 ms",
        "4.2 s",
        "3 min 05 s",
    ]
