"""Sizes, rates and times: parsed from text with a unit, and printed back.

Sizes are bytes, rates are bytes per second, times are seconds. Decimal prefixes (k, M, G, T) are
powers of 1000 and binary ones (Ki, Mi, Gi, Ti) powers of 1024, as in IEC 80000-13. A bare number is
refused: different tools have read `256` as bytes, kilobytes and blocks, without a warning.
"""

import re
from fractions import Fraction

_PREFIXES = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12} | {
    f"{letter}i": 1024**power for power, letter in enumerate("KMGT", start=1)
}
_QUANTITY = re.compile(r"\s*([0-9]{1,40}(?:\.[0-9]{1,40})?)\s*([A-Za-z/]{1,10})\s*")
LARGEST = 2**60
"""bytes, bytes per second, or of any unit of time: a larger value is a typing error"""
_DURATIONS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def _split(text: object, what: str, example: str) -> tuple[Fraction, str]:
    """Return the number and the unit of `text`, or raise ValueError with the correct form."""
    match = _QUANTITY.fullmatch(str(text))
    if match is None:
        problem = (
            "has no unit" if re.fullmatch(r"\s*[0-9.]+\s*", str(text)) else f"is not a valid {what}"
        )
        raise ValueError(f"{text!r} {problem}; write it like {example}")
    return Fraction(match[1]), match[2]


def _scaled(text: object, what: str, unit: str, example: str) -> Fraction:
    number, suffix = _split(text, what, example)
    prefix = suffix.removesuffix(unit)
    if not suffix.endswith(unit) or prefix not in _PREFIXES:
        raise ValueError(
            f"{text!r} is not a valid {what}: unknown unit {suffix!r}; write it like {example}"
        )
    return number * Fraction(_PREFIXES[prefix])


def parse_size(text: object) -> int:
    """Bytes of a size such as `64KiB`, `1.5GB` or `512B`; ValueError if it is none or not whole."""
    value = _scaled(text, "size", "B", "64MiB")
    if value > LARGEST:
        raise ValueError(f"{text!r} is more than any storage has")
    if value.denominator != 1:
        raise ValueError(f"{text!r} is not a whole number of bytes")
    return int(value)


def parse_rate(text: object) -> float:
    """Bytes per second of a rate such as `130MB/s` or `10Gbit/s`; ValueError when it is none."""
    unit, example = (
        ("bit/s", "10Gbit/s")
        if str(text).strip().endswith("bit/s")
        else ("B/s", "130MB/s or 10Gbit/s")
    )
    value = _scaled(text, "rate", unit, example) / (8 if unit == "bit/s" else 1)
    if not 0 < value <= LARGEST:
        raise ValueError(f"{text!r} is not a rate that a link or a disk can have")
    return float(value)


def parse_duration(text: object) -> float:
    """Seconds of a time such as `10s`, `1.5min` or `200ms`; ValueError when it is none."""
    number, unit = _split(text, "time", "10s")
    if unit not in _DURATIONS:
        raise ValueError(f"{text!r} is not a valid time: unknown unit {unit!r}; write it like 10s")
    if number > LARGEST:
        raise ValueError(f"{text!r} is too long for a time")
    return float(number) * _DURATIONS[unit]


def parse_ratio(text: object) -> float:
    """The value of a ratio such as `1/40` or `0.025`; ValueError unless it is in (0, 1]."""
    try:
        if not re.fullmatch(r"[0-9]{1,12}(?:/[0-9]{1,12}|\.[0-9]{1,12})?", str(text).strip()):
            raise ValueError
        value = Fraction(str(text).strip())
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{text!r} is not a ratio; write it like 1/40") from None
    if not 0 < value <= 1:
        raise ValueError(f"{text!r} is outside (0, 1]; write it like 1/40")
    return float(value)


def parse_percent(text: object) -> float:
    """The value of a share such as `5%` or `0.05`; ValueError for other text."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    match = re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)( ?%)?", str(text).strip())
    if match is None:
        raise ValueError(f"{text!r} is not a share; write it like 5% or 0.05")
    return float(match[1]) / 100 if match[2] else float(match[1])


def counted(count: int, word: str, many: str | None = None) -> str:
    """A number of things in words: `1 node`, `2 nodes`, `1 reply` (`many` is the plural:
    replies).
    """
    return f"{count} {word if count == 1 else many or word + 's'}"


def format_size(size_bytes: int) -> str:
    """The shortest exact binary form: 65536 is `64KiB`; 1000 is `1000B`."""
    for prefix in ("Ti", "Gi", "Mi", "Ki"):
        if size_bytes and size_bytes % _PREFIXES[prefix] == 0:
            return f"{size_bytes // _PREFIXES[prefix]}{prefix}B"
    return f"{size_bytes}B"


def binary_reading(size_bytes: int) -> int | None:
    """The size with the same number and a binary prefix: 32 MB is 32 MiB; None where it has no
    decimal prefix.
    """
    for power, letter in ((4, "T"), (3, "G"), (2, "M"), (1, "k")):
        if size_bytes and size_bytes % _PREFIXES[letter] == 0:
            return int(size_bytes // _PREFIXES[letter] * 1024**power)
    return None


def good_multiples(size_bytes: int, unit_bytes: int) -> str:
    """The multiples to write instead of a size that is no multiple of a unit: `32MiB, or the
    nearest multiple, 31MiB`.

    The size may mix SI with binary prefixes (32 MB, 1 MiB): then the first is the same number with
    a binary prefix.
    """
    nearest_bytes = max(1, (size_bytes + unit_bytes // 2) // unit_bytes) * unit_bytes
    same_number_bytes = binary_reading(size_bytes)
    nearest = format_size(nearest_bytes)
    if same_number_bytes is None or same_number_bytes % unit_bytes:
        return f"the nearest multiple, {nearest}"
    if same_number_bytes == nearest_bytes:
        return nearest
    return f"{format_size(same_number_bytes)}, or the nearest multiple, {nearest}"


def written_size(size_bytes: float) -> str:
    """Bytes in the shortest form with at most three digits: `512 MiB`, `23.5 GiB`."""
    exact = format_size(int(size_bytes))
    if len(exact) <= 7:
        return exact.rstrip("KMGTiB") + " " + exact.lstrip("0123456789")
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if size_bytes >= 1024**power:
            return f"{significant(size_bytes / 1024**power)} {unit}"
    return f"{size_bytes} B"


def significant(value: float, digits: int = 3) -> str:
    """A number with this number of significant digits and never an exponent: 0.0123, 12.3, 1230."""
    text = f"{value:#.{digits}g}"
    return f"{value:.0f}" if "e" in text else text.rstrip(".")


def plain(value: float, digits: int = 4) -> str:
    """A number for a table: this number of significant digits, all digits of a larger one, and
    never an exponent.
    """
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    return f"{value:.0f}" if abs(value) >= 1 else f"{value:.9f}".rstrip("0").rstrip(".")


def format_rate(rate_bytes_per_s: float) -> str:
    """A rate with three digits and a decimal prefix: `31.2 MB/s`."""
    for prefix in ("T", "G", "M", "k"):
        # Three digits of 999 950 B/s are 1 MB/s, not 1e+03 kB/s.
        if rate_bytes_per_s >= 0.9995 * _PREFIXES[prefix]:
            return f"{rate_bytes_per_s / _PREFIXES[prefix]:.3g} {prefix}B/s"
    return f"{rate_bytes_per_s:.3g} B/s"


def format_duration(duration_s: float) -> str:
    """A time in words: `850 ms`, `4.2 s`, `3 min 05 s`."""
    if duration_s < 1:
        return f"{duration_s * 1000:.0f} ms"
    if duration_s < 60:
        return f"{duration_s:.1f} s"
    return f"{int(duration_s // 60)} min {int(duration_s % 60):02d} s"
