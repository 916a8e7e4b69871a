"""From a study's workload to the agents' jobs: who writes which file, who reads whose."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from seatrial.study import Experiment, Workload

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


def file_name(client: int, task: int) -> str:
    """The file of one task of one client."""
    return f"f{client:04d}.{task:03d}"


def jobs(workload: Workload, phase: str, clients: Sequence[str], context: JobContext) -> dict[str, dict[str, Any]]:
    """One job for each client, by client; in a read phase a client reads what its neighbour wrote.

    With the neighbour's file no byte comes from the reader's own cache. One client alone reads its own file.
    """
    shift = 1 if phase == "read" and workload.read == "neighbour" and len(clients) > 1 else 0
    result = {}
    for index, client in enumerate(clients):
        owner = (index + shift) % len(clients)
        result[client] = {
            "protocol": PROTOCOL,
            "run_id": context.run_id,
            "client": client,
            "client_index": index,
            "tasks": workload.tasks,
            "phase": phase,
            "pattern": workload.pattern,
            "layout": workload.layout,
            "record_bytes": workload.record,
            "file_bytes": workload.file,
            "directory": context.directory,
            "files": [file_name(owner, task) for task in range(workload.tasks)],
            "writer_client_indexes": [owner] * workload.tasks,
            "direct": workload.direct,
            "fsync": workload.fsync if phase == "write" else "none",
            "close_in_timing": workload.close_in_timing,
            "generation": context.generation,
            "seed": 1 + index,
            "verify": workload.verify,
            "log": context.log,
            "time_limit_s": None,
        }
    return result
