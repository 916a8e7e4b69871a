"""The log of a single NFS server about an outage: its boot, and the grace period of its clients."""

import pytest

from seatrial.labs.kinds import emulated
from seatrial.solutions.base import NotesMoments, load_solution
from tests.builders.strategies import study

START = "[  105.500000] nas kernel: NFSD: starting 90-second grace period (net f0000098)"


@pytest.mark.parametrize(
    ("answer", "reported"),
    [
        ("", [(0.0, "booted")]),
        (START, [(0.0, "booted"), (105.5, "grace"), (195.5, "grace-ended")]),
        (f"{START}\n[  110.25] nas kernel: NFSD: all clients done reclaiming,"
         " ending NFSv4 grace period (net f0000098)",
         [(0.0, "booted"), (105.5, "grace"), (110.25, "grace-ended")]),
        ("nonsense\n12 grace period", [(0.0, "booted")]),
    ],
)  # fmt: skip
def test_moments_of_a_single_server(answer: str, reported: list[tuple[float, str]]) -> None:
    """An expired grace period is reported although the kernel does not print it."""
    found = study()
    solution = load_solution(found, emulated.site(found))
    assert isinstance(solution, NotesMoments)
    assert [(item.boottime_s, item.what) for item in solution.moments("nas", answer)] == reported
