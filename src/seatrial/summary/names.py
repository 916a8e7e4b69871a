"""The names of points and of their values, in words."""

from collections.abc import Mapping
from typing import Any

NAMES = {
    "solution.filesystem.kind": "file system",
    "solution.mount.options": "mount options",
    "arrivals_per_s": "offered to each client",
}


def short(key: str) -> str:
    """A key's name within a line: `solution.export.threads` is `threads`."""
    return NAMES.get(key, key.rpartition(".")[2])


def heading(point: Mapping[str, Any], phase: str) -> str:
    """A point and a phase as text: `clients 4, write`; only the phase where nothing varies."""
    return f"{point_name(point)}, {phase}" if point else phase


def value_name(value: Any) -> str:
    """A value that varies as text; for a list, its items."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def point_name(point: Mapping[str, Any]) -> str:
    """A point as text: `clients 4, threads 8`; `only point` where nothing varies."""
    return (
        ", ".join(f"{short(key)} {value_name(value)}" for key, value in point.items())
        or "only point"
    )
