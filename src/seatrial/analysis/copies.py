"""Copies of files of several sizes: figures of many parts together, and the cost of a file that
does not depend on its size.

Sizes are bytes, times seconds.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Copies:
    """Files of one size that were copied one by one."""

    file_bytes: int
    files: int
    mean_s: float
    deviation_s: float | None
    """of the sample (n - 1); None below two files"""
    min_s: float
    max_s: float

    @property
    def rate_bytes_per_s(self) -> float | None:
        """The size by the mean time; None when no time passed."""
        return self.file_bytes / self.mean_s if self.mean_s > 0 else None


def pool(parts: Sequence[Copies]) -> Copies | None:
    """All files of all parts, as if they had been one sample; None for no files. The parts' sizes
    must be the same.

    The squares within the parts and between their means add up to those of the whole.
    """
    parts = [part for part in parts if part.files]
    files = sum(part.files for part in parts)
    if not files:
        return None
    mean_s = sum(part.files * part.mean_s for part in parts) / files
    within = sum((part.files - 1) * (part.deviation_s or 0.0) ** 2 for part in parts)
    between = sum(part.files * (part.mean_s - mean_s) ** 2 for part in parts)
    return Copies(
        file_bytes=parts[0].file_bytes,
        files=files,
        mean_s=mean_s,
        deviation_s=math.sqrt((within + between) / (files - 1)) if files > 1 else None,
        min_s=min(part.min_s for part in parts),
        max_s=max(part.max_s for part in parts),
    )


@dataclass(frozen=True)
class FileCost:
    """A straight line through mean times over sizes."""

    fixed_s: float
    """of each file, independent of its size; below zero when the times do not show one"""
    rate_bytes_per_s: float | None
    """beyond it; None when larger files do not take longer"""


def file_cost(copies: Iterable[Copies]) -> FileCost | None:
    """Least squares of the mean time over the size; None below two sizes.

    Each deviation counts relative to the time itself (weights 1/t²): else the largest size alone
    would decide, and its noise would swamp the fixed cost, which shows in the smallest ones.
    """
    points = [(float(item.file_bytes), item.mean_s) for item in copies if item.mean_s > 0]
    if len({size for size, _ in points}) < 2:
        return None
    weights = [time_s**-2 for _, time_s in points]
    total = sum(weights)
    size = sum(weight * x for weight, (x, _) in zip(weights, points, strict=True)) / total
    time_s = sum(weight * y for weight, (_, y) in zip(weights, points, strict=True)) / total
    spread = sum(weight * (x - size) ** 2 for weight, (x, _) in zip(weights, points, strict=True))
    together = sum(
        weight * (x - size) * (y - time_s) for weight, (x, y) in zip(weights, points, strict=True)
    )
    slope = together / spread
    return FileCost(time_s - slope * size, 1 / slope if slope > 0 else None)
