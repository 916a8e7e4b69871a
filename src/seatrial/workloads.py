"""From a study's workload to the agents' jobs: who writes which file, who reads whose."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from seatrial.study import Experiment
from seatrial.workload import Workload

PROTOCOL = 1


@dataclass(frozen=True)
class Point:
    """One combination of what varies."""

    values: dict[str, Any]
    clients: int
    workload: Workload
    solution: dict[str, Any]
    """what differs in the study's solution here: {"solution.export.threads": 8}"""

    @property
    def name(self) -> str:
        """For files and people: `clients=4,threads=8`."""
        return ",".join(f"{key.rpartition('.')[2]}={value}" for key, value in self.values.items()) or "only"


def points(experiment: Experiment, clients_max: int) -> list[Point]:
    """Every point of an experiment, the last key varying fastest; all clients where their number does not vary."""
    keys = list(experiment.vary)
    result = []
    for combination in product(*experiment.vary.values()):
        values = dict(zip(keys, combination, strict=True))
        changes = {key: value for key, value in values.items() if key in Workload.model_fields}
        workload = experiment.workload
        if changes:
            workload = Workload.model_validate({**workload.model_dump(mode="json"), **changes})
        solution = {key: value for key, value in values.items() if key.startswith("solution.")}
        result.append(Point(values, int(values.get("clients", clients_max)), workload, solution))
    return result


@dataclass(frozen=True)
class JobContext:
    """What all jobs of one repeat share."""

    run_id: str
    directory: str
    generation: int
    log: str | None


SHARED = "shared"
"""the one file of the n-1 layouts"""


def file_name(client: int, task: int) -> str:
    """The file of one task of one client."""
    return f"f{client:04d}.{task:03d}"


def jobs(workload: Workload, phase: str, clients: Sequence[str], context: JobContext) -> dict[str, dict[str, Any]]:
    """One job for each client, by client; in a read phase a client reads what its neighbour wrote.

    With the neighbour's data no byte comes from the reader's own cache. One client alone reads its own.
    """
    shift = 1 if phase == "read" and workload.read == "neighbour" and len(clients) > 1 else 0
    return {
        client: {
            "protocol": PROTOCOL,
            "run_id": context.run_id,
            "client": client,
            "client_index": index,
            "tasks": workload.tasks,
            "phase": phase,
            "pattern": _pattern(workload),
            "record_bytes": workload.record,
            "directory": context.directory,
            "writer_client_indexes": [(index + shift) % len(clients)] * workload.tasks,
            "direct": workload.direct,
            "o_sync": workload.o_sync,
            "fsync": workload.fsync if phase == "write" else "none",
            "close_in_timing": workload.close_in_timing,
            "hints": list(workload.hints),
            "hint_ahead_records": workload.hint_ahead,
            "queue_depth": workload.queue_depth,
            "engine": workload.engine,
            "time_limit_s": workload.time_limit,
            "arrivals_per_s": workload.arrivals_per_s,
            "generation": context.generation,
            "seed": 1 + index,
            "verify": workload.verify,
            "log": context.log,
            **_files(workload, (index + shift) % len(clients), len(clients)),
        }
        for index, client in enumerate(clients)
    }


def _pattern(workload: Workload) -> Any:
    if workload.pattern == "strided":
        return {"strided": {"skip_records": workload.skip}}
    if workload.pattern == "semi-random":
        return {"semi-random": {"next_records": workload.next, "working_set_records": workload.working_set}}
    return workload.pattern


def _files(workload: Workload, owner: int, clients: int) -> dict[str, Any]:
    """Names, length and layout: of each task's own file, or of the shared one and the tasks' ranks in it."""
    if not workload.layout.startswith("n-1"):
        names = [file_name(owner, task) for task in range(workload.tasks)]
        return {"layout": workload.layout, "files": names, "file_bytes": workload.file}
    ranks: dict[str, int] = {"first_rank": owner * workload.tasks, "ranks": clients * workload.tasks}
    if workload.layout == "n-1-interleaved":
        ranks["chunk_bytes"] = workload.chunk or workload.record
    return {
        "layout": {workload.layout: ranks},
        "files": [SHARED],
        "file_bytes": workload.file * clients * workload.tasks,
    }


def preparation(workload: Workload) -> Workload:
    """What writes a workload's files beforehand: sequentially, in large records, without O_DIRECT."""
    large = next(size for size in (2**20, 2**16, 2**12, 512) if workload.file % size == 0)
    changes = {"pattern": "sequential", "skip": None, "next": None, "working_set": None, "record": large}
    plain = {"direct": False, "o_sync": False, "arrivals_per_s": None, "time_limit": None, "queue_depth": 1}
    return workload.replaced(**changes, **plain, chunk=None if workload.chunk is None else max(workload.chunk, large))
