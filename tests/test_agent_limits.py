"""The real agent accepts every validated job: the rules of both are compared over generated
workloads.
"""

import subprocess
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from pydantic import ValidationError

from seatrial.basics.errors import Refused
from seatrial.basics.shipped import find_agent
from seatrial.cases import ClientGroup
from seatrial.load.job import LoadJob
from seatrial.load.jobs import JobContext, jobs, prepared_by
from seatrial.study.faults import STORAGE_ERRORS
from seatrial.study.workload import COPY_PHASES, METADATA_PHASES, Workload

AGENT = str(find_agent())
WRONG_USE = 2
CONTEXT = JobContext("00000000000000ab", "/mnt/x", 1, None)
LAST = "field `writer_client_indexes` has"
"""what the agent looks at last: a job that is refused for it alone is right in all else"""


def refused(job: LoadJob) -> str | None:
    """The agent's message about a refused job; None for an accepted one. Nothing is started.

    The job has one mistake in the agent's last check, so that it ends before it prepares anything.
    """
    assert len(job.writer_client_indexes) == job.tasks
    line = f"{replace(job, writer_client_indexes=(0,) * (job.tasks + 1)).line()}\n"
    done = subprocess.run(
        [AGENT, "run"], input=line, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == WRONG_USE
    return None if LAST in done.stderr else done.stderr


def all_jobs(load: Workload, clients: int) -> list[LoadJob]:
    """Every job that an experiment with this workload sends, one client's of each phase."""
    names = [f"c{number}" for number in range(clients)]
    shared = load.shared_out(clients)
    found = [jobs(shared, phase, names, CONTEXT)[names[-1]] for phase in load.phases]
    if load.prepare:
        found.append(prepared_by([ClientGroup(shared, tuple(names))], CONTEXT)[names[-1]])
    return found


SIZES = ["512B", "3901B", "47008B", "4KiB", "8KiB", "64KiB", "96KiB", "1MiB"]
# 183 378 208 B are whole transfers of 3901 B and of 47 008 B.
PLACES = [
    "183378208B",
    "4KiB",
    "8KiB",
    "64KiB",
    "96KiB",
    "2GiB",
    "1TiB",
    "512TiB",
    "1024TiB",
    "2048TiB",
]
TIMES = ["0s", "1us", "1ms", "1s", "40s", "1000000h"]
BUNDLES: dict[str, list[dict[str, Any]]] = {
    "pattern": [
        {},
        *(
            {"pattern": pattern}
            for pattern in ("backward", "rewrite", "append", "random", "random-with-replacement")
        ),
        *({"pattern": "strided", "skip": skip} for skip in (1, 2**40)),
        *(
            {"pattern": "semi-random", "next": some, "working_set": among}
            for some, among in ((1, 8), (8, 8), (9, 8), (8, 2**24), (8, 2**25))
        ),
    ],
    "layout": [
        {},
        {},
        {"layout": "1-1"},
        {"layout": "n-1-segmented"},
        *(
            {"layout": "n-1-interleaved", **chunk}
            for chunk in ({}, {"chunk": "0B"}, {"chunk": "8KiB"})
        ),
    ],
    "tasks": [{}, {"tasks": 3}, {"tasks": 1024}],
    "engine": [
        {},
        *({"queue_depth": 2, "engine": engine} for engine in ("auto", "plain", "io-uring")),
        {"engine": "io-uring"},
        {"queue_depth": 1024},
    ],
    "fsync": [{}, {"fsync": "none"}, {"fsync": "transfer"}],
    "times": [
        *({}, {}, {"arrivals_per_s": 0.1}, {"arrivals_per_s": 1e8}, {"arrivals_per_s": 1e9}),
        *({"time_limit": time} for time in TIMES),
        *(
            {"warm_up": first, "window": then}
            for first in TIMES
            for then in ("0s", "1s", "1000000h")
        ),
        *({"outage_threshold": time} for time in TIMES),
        {"time_based": True, "time_limit": "1s"},
    ],
    "hints": [{}, {"hints": ["random"], "hint_ahead": 3}, {"hint_ahead": 2**64}],
    "caches": [{}, {}, {"direct": True, "o_sync": True}, {"prepare": True}, {"read": "own"}],
    "verify": [{}, {"verify": False}],
}
"""keys that belong together, and the values that they may have"""
OF_DATA = (*BUNDLES,)
OF_NAMES = ("times", "tasks", "verify", "fsync")
TREES = [
    {"items": items, "depth": depth, "branching": branching}
    for items in (1, 2**28 + 1, 2**41)
    for depth in (0, 1, 8)
    for branching in (1, 3, 4096)
]


def of_data(random: Random) -> dict[str, Any]:
    """Phases that write or read records."""
    phases = random.choice([["write"], ["read"], ["write", "read"], ["mixed"], ["write", "mixed"]])
    mixed = {"read_percent": 50} if "mixed" in phases else {}
    size = (
        {"total_size": random.choice(PLACES)}
        if random.random() < 0.1
        else {"file_size": random.choice(PLACES)}
    )
    return {"phases": phases, "transfer_size": random.choice(SIZES), **mixed, **size}


def of_names(random: Random) -> dict[str, Any]:
    """The metadata phases."""
    phases = random.sample(METADATA_PHASES, k=random.choice([1, 2, 3]))
    file = {"file_size": random.choice(SIZES)} if random.random() < 0.5 else {}
    record = {"transfer_size": random.choice(SIZES)} if random.random() < 0.3 else {}
    return {"phases": phases, "tree": random.choice(TREES), **file, **record}


def of_copies(random: Random) -> dict[str, Any]:
    """Phases that copy files."""
    sizes = [
        {
            "file_size": random.choice([*SIZES, "0B", "1024TiB", "2048TiB"]),
            "files": random.choice([1, 3, 2**24 - 1, 2**24]),
        }
        for _ in range(random.choice([1, 2]))
    ]
    return {"phases": list(COPY_PHASES), "sizes": sizes, "discard": random.choice([0, 1])}


def written(random: Random) -> dict[str, Any]:
    """A random workload as a user might write it; many are inconsistent."""
    make, bundles = random.choice([(of_data, OF_DATA), (of_names, OF_NAMES), (of_copies, OF_NAMES)])
    chosen = [random.choice(BUNDLES[name]) for name in bundles if random.random() < 0.4]
    return make(random) | {key: value for bundle in chosen for key, value in bundle.items()}


def taken(data: dict[str, Any]) -> Workload | None:
    """The workload, if `check` takes it."""
    try:
        return Workload.model_validate(data)
    except ValidationError:
        return None


@pytest.mark.parametrize("seed", range(4))
def test_the_agent_accepts_every_validated_job(seed: int) -> None:
    """Of one client or three, in every phase and while files are prepared."""
    random = Random(seed)
    loads = [load for load in (taken(written(random)) for _ in range(600)) if load is not None]
    assert len(loads) > 150
    for load in loads:
        try:
            every = all_jobs(load, random.choice([1, 3]))
        except Refused:  # the total is less than a record for each task, which `check` finds, too
            continue
        for job in every:
            assert refused(job) is None, job


BASE = {"transfer_size": "4KiB", "file_size": "8KiB"}
REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {**BASE, "transfer_size": "47017B", "file_size": "47017B"},
        "or have a divisor from 512 B to 4096 B",
    ),
    (
        {**BASE, "transfer_size": "47008B", "file_size": "47008B", "direct": True},
        "direct needs whole sectors of 512 B",
    ),
    ({"phases": ["read-files"], "file_size": "65MiB"}, "read-files reads files of at most 64MiB"),
    (
        {"phases": ["read-files"], "file_size": "64MiB", "tasks": 129},
        "8GiB in all tasks of a client",
    ),
    ({"phases": ["find"], "name_pattern": "a/b"}, "name_pattern is for the name of a file"),
    ({"phases": ["find"], "arrivals_per_s": 1}, "arrivals_per_s is not for the phase find"),
    (
        {**BASE, "pattern": "semi-random", "next": 9, "working_set": 8},
        "next is 9, more than the working_set of 8",
    ),
    ({**BASE, "pattern": "semi-random", "next": 9, "working_set": 2**25}, "at most 16777216"),
    (
        {**BASE, "pattern": "append", "layout": "n-1-segmented"},
        "append is for files that are not shared",
    ),
    (
        {**BASE, "pattern": "append", "phases": ["mixed"], "read_percent": 5, "verify": False},
        "append is for the phase write",
    ),
    (
        {**BASE, "engine": "plain", "queue_depth": 2},
        "the engine plain does one operation at a time",
    ),
    (
        {**BASE, "engine": "io-uring", "fsync": "transfer"},
        "fsync: transfer needs one operation at a time",
    ),
    ({**BASE, "layout": "n-1-interleaved", "chunk": "0B"}, "chunk is 0 B"),
    ({**BASE, "time_limit": "0s"}, "time_limit is 0 s; it must be above 0"),
    ({**BASE, "warm_up": "0s", "window": "0s"}, "window is 0 s; it must be above 0"),
    ({**BASE, "outage_threshold": "1us"}, "outage_threshold is 1e-06 s; it must be from 1 ms"),
    ({**BASE, "arrivals_per_s": 1e9}, "less than or equal to 100000000"),
    ({**BASE, "file_size": "4096TiB"}, "file_size and total_size are at most 1024TiB"),
    (
        {"phases": ["mkdir"], "tree": {"items": 2, "depth": 8, "branching": 4096}},
        "items for each task; at most",
    ),
    ({"phases": ["copy-to-storage"], "sizes": [{"file_size": "0B"}]}, "a file has 1 B to"),
    (
        {"phases": ["copy-to-storage"], "sizes": [{"file_size": "1B"}, {"file_size": "1B"}]},
        "1B is written twice",
    ),
    (
        {"phases": ["copy-to-storage"], "sizes": [{"file_size": "1B"}], "arrivals_per_s": 3},
        "arrivals_per_s is not for",
    ),
    (
        {"phases": ["copy-to-storage"], "sizes": [{"file_size": "1B"}], "queue_depth": 3},
        "queue_depth is not for phases",
    ),
]


@pytest.mark.parametrize(("written", "printed"), REFUSED)
def test_validation_has_the_reason_of_the_agents_refusal(
    written: dict[str, Any], printed: str
) -> None:
    """Each rule in terms of the study, not of the job."""
    with pytest.raises(ValidationError, match=printed):
        Workload.model_validate(written)


def test_the_agent_knows_every_error_that_a_fault_may_expect() -> None:
    """And refuses a name that no storage has."""
    job = all_jobs(Workload.model_validate(BASE), 1)[0]
    assert refused(replace(job, go_on_after=tuple(STORAGE_ERRORS))) is None
    assert "EFOO" in (refused(replace(job, go_on_after=("EFOO",))) or "")
