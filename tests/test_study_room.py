"""The room that the files of a study need."""

from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.study.faults import Stream
from tests.builders.strategies import MINIMAL, study


@pytest.mark.parametrize(
    ("changes", "lasts_s"),
    [
        ({}, 256.0),
        ({"time_based": True, "time_limit": "30min"}, 1800.0),
        ({"arrivals_per_s": None}, None),
    ],
)
def test_the_shortest_work_of_a_stream(changes: dict[str, Any], lasts_s: float | None) -> None:
    """Until its file is written, or as long as it repeats; in a closed loop it is unknown."""
    workload = {
        "phases": ["write"],
        "transfer_size": "4KiB",
        "file_size": "4MiB",
        "arrivals_per_s": 4,
        **changes,
    }
    assert (
        Stream(
            workload={key: value for key, value in workload.items() if value is not None}
        ).shortest_s()
        == lasts_s
    )


ONE_DISK = {"nas": {"memory": "512MiB", "disks": {"count": 1, "size": "768MiB"}}, "c[1-4]": {}}
ROOM: list[tuple[dict[str, Any], str]] = [
    (
        {
            "experiments": {
                "one": {
                    "workload": {"transfer_size": "1MiB", "file_size": "3GiB"},
                    "sweep": {"clients": [1]},
                }
            }
        },
        (
            r"experiments\.one: clients=1: up to 3 GiB are stored at a time, but the disks hold at"
            r" most 768 MiB"
        ),
    ),
    (
        {"experiments": {"one": {"workload": {"transfer_size": "1MiB", "file_size": "256MiB"}}}},
        r"experiments\.one: up to 1 GiB are stored",  # all four clients
    ),
    (
        {"experiments": {"one": {"workload": {"transfer_size": "1MiB", "total_size": "2MiB"}}}},
        r"total_size \(2097152 B\) leaves less than one transfer for each of 4 clients",
    ),
    (
        {
            "experiments": {},
            "background_load": {
                "w": {
                    "workload": {"transfer_size": "1MiB", "file_size": "3GiB", "phases": ["write"]}
                }
            },
            "faults": {"stop": {"kind": "client-crash", "clients": "c1"}},
        },
        r"faults\.stop: the streams of background_load: up to 12 GiB are stored",
    ),
]


@pytest.mark.parametrize(("parts", "printed"), ROOM)
def test_files_without_room_are_refused(parts: dict[str, Any], printed: str) -> None:
    """Before a lab is created or a host is changed: a run would refuse the point when its
    turn comes.
    """
    data = {**MINIMAL, "nodes": ONE_DISK, "solution": {"kind": "nfs"}, **parts}
    with pytest.raises(InputError, match=printed):
        prepare(study(data))


def test_files_with_room_are_accepted() -> None:
    """An unknown size is no reason to refuse: hosts need not state the size of their disks."""
    workload = {"transfer_size": "1MiB", "file_size": "192MiB"}
    data = {
        **MINIMAL,
        "nodes": ONE_DISK,
        "solution": {"kind": "nfs"},
        "experiments": {"one": {"workload": workload}},
    }
    assert prepare(study(data))
    hosts = {"nas": {"disks": {"count": 1, "devices": ["/dev/sdb"]}}, "c[1-4]": {}}
    workload = {"transfer_size": "1MiB", "file_size": "3GiB"}
    here = {
        **data,
        "environment": {"kind": "hosts"},
        "nodes": hosts,
        "experiments": {"one": {"workload": workload}},
    }
    assert prepare(study(here))
