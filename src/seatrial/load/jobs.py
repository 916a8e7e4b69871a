"""From a study's workload to the agents' jobs: the client that writes each file, and the one that
reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from seatrial.load.folder import FOLDER
from seatrial.study import agent_limits
from seatrial.study.pattern_kinds import owners_of_keys
from seatrial.study.workload import (
    COPY_PHASES,
    LOOKS_AT_NEIGHBOUR,
    METADATA_PHASES,
    Tree,
    Workload,
    file_name,
)

PROTOCOL = 3
PASSES_MAX = 2**16
"""generations that a phase with `time_based` may write: each pass over the files is one"""


@dataclass(frozen=True)
class JobContext:
    """Values that all jobs of one repeat share."""

    run_id: str
    directory: str
    generation: int
    """number of the files' writes so far, including this phase (the first of its passes)"""
    log: str | None
    verify: bool = True
    """False where the files of a reading phase are incomplete"""
    block_bytes: int | None = None
    """size of a content block in bytes, where writer and reader use different transfer sizes"""
    before: int | None = None
    """the previous generation, with which the files were written when a phase writes them again"""
    local_directory: str = FOLDER
    """the folder of local copies, on a local disk of the client"""


SHARED = "shared"
"""the one file of the n-1 layouts, and the one directory of metadata operations"""


def jobs(
    workload: Workload, phase: str, clients: Sequence[str], context: JobContext
) -> dict[str, dict[str, Any]]:
    """One job per client; in a phase that reads, a client reads its neighbour's data.

    The neighbour's data cannot come from the reader's own cache. A single client reads its own.
    """
    reads_neighbour = phase in LOOKS_AT_NEIGHBOUR and workload.read == "neighbour"
    shift = 1 if reads_neighbour and len(clients) > 1 else 0
    owners = {client: (index + shift) % len(clients) for index, client in enumerate(clients)}
    common = _common_keys(workload, phase, context)
    return {
        client: {
            **common,
            "client": client,
            "client_index": index,
            "seed": 1 + index,
            "writer_client_indexes": [owners[client]] * workload.tasks,
            **_subjects(workload, phase, owners[client], len(clients)),
        }
        for index, client in enumerate(clients)
    }


def _common_keys(workload: Workload, phase: str, context: JobContext) -> dict[str, Any]:
    """The keys of a job that are the same for every client."""
    keys = {
        "protocol": PROTOCOL,
        "run_id": context.run_id,
        "tasks": workload.tasks,
        "phase": _phase(workload, phase, context.local_directory),
        "transfer_bytes": workload.transfer_size,
        "directory": context.directory,
        "fsync": workload.fsync if phase not in ("read", "copy-from-storage") else "none",
        "close_in_timing": workload.close_in_timing,
        "time_limit_s": workload.time_limit,
        "arrivals_per_s": workload.arrivals_per_s,
        **_generations(workload, phase, context),
        "verify": workload.verify and context.verify,
        "seconds": True,
        "log": context.log,
        "log_sync": workload.log_sync,
    }
    if workload.time_based:
        keys["time_based"] = True
    if workload.outage_threshold is not None:
        keys["outage_threshold_s"] = workload.outage_threshold
    if context.block_bytes is not None:
        keys["block_bytes"] = context.block_bytes
    if workload.warm_up is not None:
        keys |= {"warm_up_s": workload.warm_up, "window_s": workload.window}
    return keys


def jobs_of(
    groups: Sequence[tuple[Workload, Sequence[str]]], phase: str, context: JobContext
) -> dict[str, dict[str, Any]]:
    """The jobs of clients of several trees: a tree has only its clients' files."""
    return {
        client: job
        for load, clients in groups
        for client, job in jobs(load, phase, clients, context).items()
    }


def prepared_by(
    groups: Sequence[tuple[Workload, Sequence[str]]], context: JobContext
) -> dict[str, dict[str, Any]]:
    """The jobs that write the files before the phase."""
    by_client: dict[str, dict[str, Any]] = {}
    for load, clients in groups:
        of_these = replace(context, block_bytes=block_bytes(load.transfer_size))
        by_client |= jobs(preparation(load), "write", clients, of_these)
    return by_client


def passes_of(workload: Workload | None) -> int:
    """Maximum number of generations of one write of its files."""
    return PASSES_MAX if workload is not None and workload.time_based else 1


def _generations(workload: Workload, phase: str, context: JobContext) -> dict[str, int]:
    """The generations that the job writes, or must find: any of them for files written
    in passes.
    """
    if phase == "mixed" and workload.time_based and context.before is not None:
        return {"generation": context.generation, "generation_from": context.before}
    if phase == "read" and workload.time_based:
        last = context.generation + passes_of(workload) - 1
        return {"generation": last, "generation_from": context.generation}
    return {"generation": context.generation}


NAME_PATTERN = "*01*"
"""what `find` of IO500 looks for: `-name '*01*'`"""
LOOKS_AT_EITHER = ("stat", "utime", "readdir")
"""operations on files, or on the directories of mkdir; on those created last"""


def _phase(workload: Workload, phase: str, local_directory: str) -> Any:
    if phase == "mixed":
        return {"mixed": {"read_percent": workload.read_percent}}
    if phase == "find":
        return {"find": {"name_pattern": workload.name_pattern or NAME_PATTERN}}
    if phase in COPY_PHASES:
        return {
            "copy": {
                "direction": phase.removeprefix("copy-"),
                "sizes": [
                    {"file_bytes": item.file_size, "files": item.files} for item in workload.sizes
                ],
                "local_directory": local_directory,
                "discard": workload.discard,
            }
        }
    return phase


def _subjects(workload: Workload, phase: str, owner: int, clients: int) -> dict[str, Any]:
    """The subjects of the tasks: directory entries in a tree, files to copy, or parts of files."""
    if phase in METADATA_PHASES:
        return _names(workload, phase, owner)
    if phase in COPY_PHASES:
        names = [f"{file_name(owner, task)}.copies" for task in range(workload.tasks)]
        return {"files": names}
    return {**_access(workload, phase), **_files(workload, owner, clients)}


def _names(workload: Workload, phase: str, owner: int) -> dict[str, Any]:
    tree = workload.tree or Tree()
    shared = workload.directory == "shared"
    names = [SHARED if shared else f"d{owner:04d}.{task:03d}" for task in range(workload.tasks)]
    done = workload.phases[: workload.phases.index(phase)]
    made = [earlier for earlier in done if earlier in ("create", "mkdir")]
    either_kind = (
        {"directories": True} if phase in LOOKS_AT_EITHER and made[-1:] == ["mkdir"] else {}
    )
    shape = {"items_per_directory": tree.items, "depth": tree.depth, "branching": tree.branching}
    return {
        "files": names,
        "pattern": _pattern(workload, phase),
        "file_bytes": workload.file_size,
        "tree": {**shape, "renamed": "rename" in done and not either_kind, **either_kind},
    }


def _access(workload: Workload, phase: str) -> dict[str, Any]:
    return {
        "pattern": _pattern(workload, phase),
        "direct": workload.direct,
        "o_sync": workload.o_sync,
        "hints": list(workload.hints),
        "hint_ahead_transfers": workload.hint_ahead,
        "queue_depth": workload.queue_depth,
        "engine": workload.engine,
    }


def _pattern(workload: Workload, phase: str) -> Any:
    """The pattern with its numbers, as the agent reads it."""
    if phase == "read" and workload.pattern_traits.describes_writes:
        return "sequential"
    numbers = {f"{key}_transfers": number for key, number in workload.pattern_numbers}
    return {workload.pattern: numbers} if numbers else workload.pattern


def _files(workload: Workload, owner: int, clients: int) -> dict[str, Any]:
    """Names, length and layout: of each task's own file, or of the shared one and the tasks' ranks
    in it.
    """
    if not workload.layout.startswith("n-1"):
        names = [file_name(owner, task) for task in range(workload.tasks)]
        return {"layout": workload.layout, "files": names, "file_bytes": workload.file_size}
    ranks: dict[str, int] = {
        "first_rank": owner * workload.tasks,
        "ranks": clients * workload.tasks,
    }
    if workload.layout == "n-1-interleaved":
        ranks["chunk_bytes"] = workload.chunk or workload.transfer_size
    return {
        "layout": {workload.layout: ranks},
        "files": [SHARED],
        "file_bytes": workload.file_size * clients * workload.tasks,
    }


def preparation(workload: Workload) -> Workload:
    """The workload that writes the files before a phase: sequential, large transfers, no O_DIRECT.

    Every task writes its own later data: where tasks take turns in one file, the turns are kept.
    """
    interleaved = workload.layout == "n-1-interleaved"
    turn = (workload.chunk or workload.transfer_size) if interleaved else None
    part = turn or workload.file_size
    block = block_bytes(workload.transfer_size)
    sizes = (2**20, 2**16, 2**12, workload.transfer_size)
    large = next(size for size in sizes if part % size == 0 and size % block == 0)
    changes = {
        **dict.fromkeys(owners_of_keys()),
        "pattern": "sequential",
        "transfer_size": large,
    }
    plain = {"direct": False, "o_sync": False, "arrivals_per_s": None, "queue_depth": 1}
    whole = {"time_limit": None, "time_based": False, "warm_up": None, "window": None}
    return workload.replaced(**changes, **plain, **whole, chunk=turn)


def block_bytes(transfer_bytes: int) -> int:
    """Bytes of a content block in a file with this transfer size (docs/content-format.md)."""
    size_bytes = agent_limits.block_bytes(transfer_bytes)
    if size_bytes is None:
        raise ValueError(f"no content block divides transfers of {transfer_bytes} B")
    return size_bytes
