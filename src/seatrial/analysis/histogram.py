"""HdrHistograms: decoded from the agents' lines, merged without loss, and evaluated for
percentiles.

The encoding is HdrHistogram's V2, not compressed: a head of 40 bytes, then the counts as zig-zag
LEB128, where a negative number is the number of empty buckets (HdrHistogram, "V2 encoding"; values
up to 9 bytes). All figures are in the unit that was recorded; the agents record nanoseconds.
"""

import base64
import math
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

_COOKIE = 0x1C849303
_COOKIE_MASK = 0xFFFFFF0F
_HEAD = struct.Struct(">IIIIqqd")
P90_OPERATIONS = 10
"""for fewer operations the 90th percentile is the maximum"""
P99_OPERATIONS = 100
"""for fewer operations the 99th percentile is the maximum, and adds no information"""
P999_OPERATIONS = 1000
"""for fewer operations the percentile 99.9 is the maximum"""


@dataclass(frozen=True)
class Histogram:
    """Counts by bucket; two histograms can be merged when they resolve alike (`digits`,
    `lowest`).
    """

    counts: Counter[int]
    digits: int = 3
    lowest: int = 1
    highest: int = 3_600_000_000_000

    @classmethod
    def decode(cls, text: str) -> Self:
        """From base64; ValueError when it is no such histogram or was cut off."""
        data = base64.b64decode(text, validate=True)
        if len(data) < _HEAD.size:
            raise ValueError("a histogram of fewer than 40 bytes")
        cookie, length, _, digits, lowest, highest, _ = _HEAD.unpack_from(data)
        if cookie & _COOKIE_MASK != _COOKIE & _COOKIE_MASK or len(data) != _HEAD.size + length:
            raise ValueError("no uncompressed V2 histogram, or cut off")
        return cls(_counts(data[_HEAD.size :]), digits, lowest, highest)

    def encode(self) -> str:
        """As base64, the inverse of `decode`."""
        payload = bytearray()
        at = 0
        for index in sorted(index for index, count in self.counts.items() if count):
            if index > at:  # a single empty bucket is written as the count 0
                payload += _zigzag(at - index if index - at > 1 else 0)
            payload += _zigzag(self.counts[index])
            at = index + 1
        head = _HEAD.pack(
            _COOKIE | 0x10, len(payload), 0, self.digits, self.lowest, self.highest, 1.0
        )
        return base64.b64encode(head + bytes(payload)).decode()

    @property
    def count(self) -> int:
        """The number of values."""
        return self.counts.total()

    def quantile(self, share: float) -> int:
        """The highest value in the bucket that `share` of all values do not exceed; 0 for an empty
        histogram.
        """
        rank = max(1, math.ceil(share * self.count))
        seen = 0
        for index in sorted(self.counts):
            seen += self.counts[index]
            if seen >= rank:
                low, width = self._bucket(index)
                return low + width - 1
        return 0

    @property
    def minimum(self) -> int:
        """The lowest value of the first bucket; 0 for none."""
        filled = [index for index, count in self.counts.items() if count]
        return self._bucket(min(filled))[0] if filled else 0

    @property
    def mean(self) -> float:
        """The mean of the buckets' middles; 0 for none."""
        if not self.count:
            return 0.0
        total = 0
        for index, count in self.counts.items():
            low, width = self._bucket(index)
            total += count * (low + width // 2)
        return total / self.count

    def counts_up_to(self, limits: Sequence[int]) -> list[int]:
        """For each of some ascending limits, the number of values in the buckets that are not above
        it.
        """
        highest = {index: sum(self._bucket(index)) - 1 for index in self.counts}
        numbers = []
        for limit in limits:
            below = (count for index, count in self.counts.items() if highest[index] <= limit)
            numbers.append(sum(below))
        return numbers

    def cumulative(self) -> list[tuple[int, int]]:
        """(highest value, number of values up to it) of each filled bucket, ascending."""
        seen = 0
        filled = []
        for index in sorted(index for index, count in self.counts.items() if count):
            seen += self.counts[index]
            low, width = self._bucket(index)
            filled.append((low + width - 1, seen))
        return filled

    def figures(self, scale: float = 1e-6) -> dict[str, float]:
        """Count and the usual figures, each value times `scale` (nanoseconds to milliseconds)."""
        shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "max": 1.0}
        values = {name: self.quantile(share) * scale for name, share in shares.items()}
        return {
            "count": self.count,
            "min": self.minimum * scale,
            "mean": self.mean * scale,
            **values,
        }

    def _bucket(self, index: int) -> tuple[int, int]:
        """(lowest value, number of values) of a bucket."""
        half_magnitude = math.ceil(math.log2(2 * 10**self.digits)) - 1
        half = 1 << half_magnitude
        unit = int(math.log2(self.lowest))
        power = (index >> half_magnitude) - 1
        sub = (index & (half - 1)) + half
        if power < 0:
            power, sub = 0, sub - half
        return sub << (power + unit), 1 << (power + unit)


def merge(histograms: Iterable[Histogram]) -> Histogram | None:
    """The merged histogram; None without any. ValueError when their resolutions differ."""
    merged: Histogram | None = None
    for item in histograms:
        if merged is None:
            merged = Histogram(Counter(item.counts), item.digits, item.lowest, item.highest)
            continue
        if (item.digits, item.lowest) != (merged.digits, merged.lowest):
            raise ValueError("histograms of different resolution cannot be merged")
        merged.counts.update(item.counts)
    return merged


def _counts(payload: bytes) -> Counter[int]:
    counts: Counter[int] = Counter()
    index = 0
    at = 0
    while at < len(payload):
        value, at = _unzigzag(payload, at)
        if value < 0:
            index -= value
            continue
        if value:
            counts[index] = value
        index += 1
    return counts


def _unzigzag(payload: bytes, at: int) -> tuple[int, int]:
    """(value, position after it); the ninth byte has all eight bits."""
    coded = shift = 0
    for number in range(9):
        if at >= len(payload):
            raise ValueError("a histogram that ends in the middle of a number")
        byte = payload[at]
        at += 1
        if number == 8:
            coded |= byte << shift
            break
        coded |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return (coded >> 1) ^ -(coded & 1), at


def _zigzag(value: int) -> bytes:
    coded = value << 1 if value >= 0 else (-value << 1) - 1
    out = bytearray()
    while coded >= 0x80 and len(out) < 8:
        out.append((coded & 0x7F) | 0x80)
        coded >>= 7
    out.append(coded)
    return bytes(out)
