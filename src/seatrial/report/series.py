"""The horizontal axis of points, and the reasons why repeats are not used, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.basics.units import parse_duration, parse_rate, parse_size
from seatrial.summary.names import short, value_name
from seatrial.summary.points import Measured


def limits(points: Sequence[Measured]) -> str:
    """The possible reasons why whole repeats are unusable: `limited by the lab's CPUs`; may be
    empty.

    In a lab the CPUs are always named, caches only where they occurred.
    """
    repeats = [repeat for item in points for repeat in item.repeats]
    caches = any(repeat.out_of_caches for repeat in repeats)
    words = (
        ("limited by the lab's CPUs", any(item.in_lab for item in points)),
        ("out of caches", caches),
    )
    return " or ".join(text for text, applies in words if applies)


AXIS_TITLES = {
    "clients": "clients (number)",
    "solution.export.threads": "nfsd threads (number)",
    "solution.filesystem.kind": "file system",
    "solution.readahead": "read-ahead of the server’s disks",
    "solution.mount.readahead": "read-ahead of the clients",
    "tasks": "tasks per client (number)",
    "arrivals_per_s": "rate offered to each client (operations/s)",
    "directory": "directory of the metadata operations, one per task or shared",
    "transfer_size": "transfer size",
    "file_size": "file size",
}


def axis_key(preferred: str | None, points: Sequence[Measured]) -> str | None:
    """Which key is the horizontal axis: the wanted one if it varies here, else the first; None if
    nothing does.
    """
    keys = list(dict.fromkeys(key for item in points for key in item.point))
    return preferred if preferred in keys else next(iter(keys), None)


def as_number(value: Any) -> float | None:
    """A value as a number for an axis: 8, 8.0, `64KiB`, `10Gbit/s`, `5s`; None for a word such as
    `async`.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    for parse in (parse_size, parse_rate, parse_duration, float):
        try:
            return float(parse(value))
        except (TypeError, ValueError):
            continue
    return None


@dataclass(frozen=True)
class Axis:
    """The horizontal axis: the place and name of each value."""

    key: str | None
    log: bool
    places: dict[str, float]
    """by repr of the value"""
    names: dict[str, str]

    @property
    def title(self) -> str:
        """The text below the axis."""
        key = self.key or ""
        return (
            "cabling of the disks"
            if key.endswith(".disks.paths.cabling")
            else AXIS_TITLES.get(key, short(key))
        )

    def place(self, point: Mapping[str, Any]) -> float:
        """The place of a point."""
        return self.places[repr(point.get(self.key) if self.key else None)]


def axis(key: str | None, log: bool, points: Sequence[Measured]) -> Axis:
    """The axis of some points: numbers to scale, words evenly spaced in the order of the run."""
    values = {
        repr(value): value for value in (item.point.get(key) if key else None for item in points)
    }
    numbers = {name: as_number(value) for name, value in values.items()}
    if key and all(number is not None for number in numbers.values()):
        places = {name: number for name, number in numbers.items() if number is not None}
        log = log and min(places.values(), default=1) > 0
    else:
        places = {name: float(index) for index, name in enumerate(values)}
        log = False
    names = {name: value_name(value) if key else "only point" for name, value in values.items()}
    return Axis(key, log, places, names)
