"""The lines `second` of one agent, in columns: an hour of them needs 0.4 MB instead of 8 MB."""

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

EVENT = "second"
TELEMETRY = "telemetry"
NO_VALUE = math.nan
"""in the place of `null`, which `/proc` did not provide"""
Source = TypeVar("Source")
Row = TypeVar("Row")


class SecondLines(Sequence[dict[str, Any]]):
    """Lines that have the same keys in the same order; each read makes the line again.

    A line with other keys is kept as it is.
    """

    def __init__(self) -> None:
        self._keys: tuple[str, ...] | None = None
        """of the first line, without the event and the telemetry"""
        self._telemetry_keys: tuple[str, ...] = ()
        self._counts = array("q")
        """the values of these keys, line after line"""
        self._telemetry = array("d")
        self._others: dict[int, dict[str, Any]] = {}
        """number of a line -> the line, where it has other keys or other values"""
        self._length = 0

    def append(self, line: dict[str, Any]) -> None:
        """Record one more line."""
        if self._keys is None:
            self._keys = tuple(key for key in line if key not in ("event", TELEMETRY))
            self._telemetry_keys = tuple(line.get(TELEMETRY, ()))
        if not self._packed(line):
            self._others[self._length] = line
            self._counts.extend([0] * len(self._keys))
            self._telemetry.extend([NO_VALUE] * len(self._telemetry_keys))
        self._length += 1

    def _packed(self, line: dict[str, Any]) -> bool:
        """Append the values to the columns; False where they do not fit."""
        keys = self._keys or ()
        telemetry = line.get(TELEMETRY, {})
        has_telemetry = bool(self._telemetry_keys)
        if len(line) != 1 + len(keys) + has_telemetry or tuple(telemetry) != self._telemetry_keys:
            return False
        try:
            counts = array("q", [line[key] for key in keys])
            values = [NO_VALUE if item is None else item for item in telemetry.values()]
            figures = array("d", values)
        except (KeyError, TypeError, OverflowError):
            return False
        self._counts.extend(counts)
        self._telemetry.extend(figures)
        return True

    def _line(self, number: int) -> dict[str, Any]:
        other = self._others.get(number)
        if other is not None:
            return other
        keys = self._keys or ()
        telemetry_keys = self._telemetry_keys
        counts = self._counts[number * len(keys) : (number + 1) * len(keys)]
        line = {"event": EVENT, **dict(zip(keys, counts, strict=True))}
        if telemetry_keys:
            first = number * len(telemetry_keys)
            values = self._telemetry[first : first + len(telemetry_keys)]
            line[TELEMETRY] = dict(zip(telemetry_keys, map(_value, values), strict=True))
        return line

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return [self._line(number) for number in range(*index.indices(self._length))]
        number = index + self._length if index < 0 else index
        if not 0 <= number < self._length:
            raise IndexError(index)
        return self._line(number)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(self._line, range(self._length))


class Derived(Sequence[Row], Generic[Source, Row]):
    """A sequence with items that each access makes from those of another one."""

    def __init__(self, source: Sequence[Source], derive: Callable[[Source], Row]) -> None:
        self._source = source
        self._derive = derive

    def __len__(self) -> int:
        return len(self._source)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self._derive(item) for item in self._source[index]]
        return self._derive(self._source[index])

    def __iter__(self) -> Iterator[Row]:
        return map(self._derive, self._source)


def _value(figure: float) -> float | None:
    """A figure of the telemetry: counters are whole numbers."""
    if math.isnan(figure):
        return None
    return int(figure) if figure.is_integer() else figure
