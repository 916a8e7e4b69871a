"""IO500's summary (`result_summary.txt`): the lines `[RESULT]`; tests without a phase of their own keep their names."""

import re
from collections.abc import Iterator

from seatrial.advice.foreign import Foreign, first_of

_VERSION = re.compile(r"IO500 version (\S+)")
_LINE = re.compile(r"^\[RESULT\]\s+([a-z-]+?)-(write|read|stat|delete)\s+([\d.]+) (GiB/s|kIOPS)", re.MULTILINE)
_NAMES = {"write": "create", "stat": "stat", "delete": "remove"}


def recognises(text: str) -> bool:
    """Its version, or a line of its results."""
    return _LINE.search(text) is not None


def version(text: str) -> str:
    """As the summary has it."""
    return first_of(_VERSION, text)


def results(text: str) -> Iterator[Foreign]:
    """IOR's parts in bytes, mdtest's in operations; `find` and reading of small files have no phase here."""
    for test, deed, value, unit in _LINE.findall(text):
        if unit == "GiB/s":
            yield Foreign(deed, test, bytes_per_s=float(value) * 2**30)
        elif deed in _NAMES:
            yield Foreign(_NAMES[deed], test, operations_per_s=float(value) * 1000)
