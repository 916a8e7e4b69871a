"""mdtest's output (versions 1.9 to 4): operations on names per second."""

import re
from collections.abc import Iterator

from seatrial.advice.foreign import Foreign, first_of

_BANNER = re.compile(r"^mdtest-(\S+) was launched with (\d+) total task\(s\) on (\d+) node", re.MULTILINE)
_ITERATIONS = re.compile(r"^SUMMARY.*\(of (\d+) iterations\)", re.MULTILINE)
_LINE = re.compile(r"^\s+(\w+ \w+)\s*:?\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+[\d.]+\s*$")
_PHASES = {
    "File creation": "create",
    "File stat": "stat",
    "File removal": "remove",
    "Directory creation": "mkdir",
    "Directory removal": "rmdir",
}
"""mdtest's other tests (directories' stat and rename, reading a file, the tree) are not what a phase here does"""


def recognises(text: str) -> bool:
    """Its banner."""
    return _BANNER.search(text) is not None


def version(text: str) -> str:
    """As the banner has it."""
    return first_of(_BANNER, text)


def results(text: str) -> Iterator[Foreign]:
    """For each test its iterations, as far as the summary lets them be known."""
    banner, counted = _BANNER.search(text), _ITERATIONS.search(text)
    if banner is None:
        return
    for line in text.splitlines():
        found = _LINE.match(line)
        phase = _PHASES.get(found[1]) if found else None
        if found and phase:
            highest, lowest, mean = (float(value) for value in found.groups()[1:])
            for rate in _iterations(int(counted[1]) if counted else 1, highest, lowest, mean):
                yield Foreign(phase, found[1], operations_per_s=rate, clients=int(banner[3]), tasks=int(banner[2]))


def _iterations(count: int, highest: float, lowest: float, mean: float) -> list[float]:
    """Up to three follow from the highest, the lowest and the mean; of more only the mean is known."""
    if count == 2:
        return [highest, lowest]
    if count == 3:
        return [highest, lowest, 3 * mean - highest - lowest]
    return [mean]
