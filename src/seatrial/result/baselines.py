"""The figures of the baselines, and which of them give less than their like, or than they
should.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Literal

Kind = Literal["disks", "paths", "links", "mtu"]
KINDS: tuple[Kind, ...] = ("disks", "paths", "links", "mtu")

BELOW_MEDIAN = 0.9
"""an outlier gives less than this share of its group's median ..."""
BELOW_EXPECTED = 0.8
"""... or than this share of the expected figure"""


@dataclass(frozen=True)
class Baseline:
    """One figure: bytes per second, or for an MTU 1 where the largest packet passes and 0 where it
    does not.
    """

    kind: Kind
    group: str
    name: str
    value: float | None
    """None where it could not be measured"""
    expected: float | None = None
    error: str = ""
    lowest: float | None = None
    """where it was measured again, the lowest figure"""
    lab_limited: bool = False
    """each time that it was measured, the lab machine's own processors were the limit: too little
    is not its fault"""


def better(earlier: Sequence[Baseline], later: Sequence[Baseline]) -> list[Baseline]:
    """For a probe that ran twice, the higher of each figure: no fault makes a disk, path or link
    faster.

    A failure may have another name than the figures of the same probe. It is kept only where both
    runs failed.
    """
    merged = {item.name: item for item in earlier if item.value is not None}
    for item in later:
        earlier_figure = merged.get(item.name)
        if earlier_figure is None:
            merged[item.name] = item
        elif earlier_figure.value is not None and item.value is not None:
            lowest = min(
                item.value,
                earlier_figure.value if earlier_figure.lowest is None else earlier_figure.lowest,
            )
            limited = item.lab_limited and earlier_figure.lab_limited
            merged[item.name] = replace(
                earlier_figure,
                value=max(item.value, earlier_figure.value),
                lowest=lowest,
                lab_limited=limited,
            )
    figures = [item for item in merged.values() if item.value is not None]
    return figures if len(figures) >= max(len(earlier), len(later)) else list(merged.values())


def unmeasured(baselines: Sequence[Baseline]) -> list[tuple[Baseline, str]]:
    """Those without a figure, each with the reason."""
    return [(item, f"not measured: {item.error}") for item in baselines if item.value is None]


def outliers(baselines: Sequence[Baseline]) -> list[tuple[Baseline, str]]:
    """The baselines below those of equal hardware, or below the expected figure, each with the
    reason.

    `unmeasured` baselines are no outliers. For a `lab_limited` baseline it is not known whether it
    is one; the reason states it.
    """
    low = []
    for item in baselines:
        if item.value is None:
            continue
        if item.kind == "mtu":
            if not item.value:
                low.append((item, f"the largest packet does not pass{_while(item)}"))
            continue
        # Only probes that should give the same figure are compared: links of one network may differ
        # in rate.
        like = [
            other
            for other in baselines
            if (other.group, other.expected) == (item.group, item.expected)
        ]
        values = [other.value for other in like if other.value is not None]
        middle = median(values)
        if len(values) > 2 and item.value < BELOW_MEDIAN * middle:
            low.append(
                (item, f"{item.value / middle:.0%} of the median of {item.group}{_while(item)}")
            )
        elif item.expected and item.value < BELOW_EXPECTED * item.expected:
            low.append(
                (item, f"{item.value / item.expected:.0%} of what the study says{_while(item)}")
            )
    return low


def _while(item: Baseline) -> str:
    return ", while this machine's own processors were the limit" if item.lab_limited else ""
