"""Studies of existing storage (`mount`)."""

from typing import Any

from seatrial.cases import vary
from seatrial.solutions.kinds.mount import Mount
from tests.builders.strategies import study


def mounted(directory: str = "/gpfs/scratch", **more: Any) -> dict[str, Any]:
    """A study of ten lines."""
    return {
        "schema": "study/1",
        "id": "scratch",
        "environment": {"kind": "hosts"},
        "nodes": {"n[1-3]": {"link": "10Gbit/s"}},
        "solution": {"kind": "mount", "directory": directory, **more},
        "experiments": {
            "streams": {
                "workload": {"transfer_size": "1MiB", "file_size": "1GiB"},
                "sweep": {"clients": [1, 3]},
            }
        },
        "criteria": [{"id": "intact", "check": "integrity"}],
    }


def solution(directory: str = "/gpfs/scratch", **more: Any) -> Mount:
    """The solution of such a study."""
    found = vary(study(mounted(directory, **more))).solution
    assert isinstance(found, Mount)
    return found
