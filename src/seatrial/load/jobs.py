"""From a study's workload to the agents' jobs: the client that writes each file, and the one that
reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from seatrial.cases import ClientGroup
from seatrial.load.folder import FOLDER
from seatrial.load.job import (
    CopyPhase,
    CopySize,
    Directories,
    FindPhase,
    Interleaved,
    LoadJob,
    MixedPhase,
    NumberedPattern,
    Segmented,
)
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
) -> dict[str, LoadJob]:
    """One job per client; in a phase that reads, a client reads its neighbour's data.

    The neighbour's data cannot come from the reader's own cache. A single client reads its own.
    """
    reads_neighbour = phase in LOOKS_AT_NEIGHBOUR and workload.read == "neighbour"
    shift = 1 if reads_neighbour and len(clients) > 1 else 0
    by_client = {}
    for index, client in enumerate(clients):
        job_client = JobClient(client, index, owner=(index + shift) % len(clients))
        by_client[client] = _job(workload, phase, job_client, len(clients), context)
    return by_client


@dataclass(frozen=True)
class JobClient:
    """The client of a job, and the client that wrote the data of the job."""

    name: str
    index: int
    owner: int
    """index of the client that wrote the data"""


def _job(
    workload: Workload, phase: str, job_client: JobClient, clients: int, context: JobContext
) -> LoadJob:
    """The job of one of `clients` clients."""
    generations = _generations(workload, phase, context)
    written_here = phase not in ("read", "copy-from-storage")
    job = LoadJob(
        run_id=context.run_id,
        client=job_client.name,
        client_index=job_client.index,
        seed=1 + job_client.index,
        writer_client_indexes=(job_client.owner,) * workload.tasks,
        tasks=workload.tasks,
        phase=_phase(workload, phase, context.local_directory),
        transfer_bytes=workload.transfer_size,
        directory=context.directory,
        files=(),
        fsync=workload.fsync if written_here else "none",
        close_in_timing=workload.close_in_timing,
        time_limit_s=workload.time_limit,
        time_based=workload.time_based,
        arrivals_per_s=workload.arrivals_per_s,
        generation=generations.last,
        generation_from=generations.lowest,
        verify=workload.verify and context.verify,
        log=context.log,
        log_sync=workload.log_sync,
        block_bytes=context.block_bytes,
    )
    if workload.outage_threshold is not None:
        job = replace(job, outage_threshold_s=workload.outage_threshold)
    if workload.warm_up is not None:
        job = replace(job, warm_up_s=workload.warm_up, window_s=workload.window)
    if phase in METADATA_PHASES:
        return _with_names(job, workload, phase, job_client.owner)
    if phase in COPY_PHASES:
        names = [f"{file_name(job_client.owner, task)}.copies" for task in range(workload.tasks)]
        return replace(job, files=tuple(names))
    return _with_files(_with_access(job, workload, phase), workload, job_client.owner, clients)


def jobs_of(groups: Sequence[ClientGroup], phase: str, context: JobContext) -> dict[str, LoadJob]:
    """The jobs of clients of several trees: a tree has only its clients' files."""
    by_client: dict[str, LoadJob] = {}
    for group in groups:
        by_client |= jobs(group.workload, phase, group.clients, context)
    return by_client


def prepared_by(groups: Sequence[ClientGroup], context: JobContext) -> dict[str, LoadJob]:
    """The jobs that write the files before the phase."""
    by_client: dict[str, LoadJob] = {}
    for group in groups:
        of_group = replace(context, block_bytes=block_bytes(group.workload.transfer_size))
        by_client |= jobs(preparation(group.workload), "write", group.clients, of_group)
    return by_client


def passes_of(workload: Workload | None) -> int:
    """Maximum number of generations of one write of its files."""
    return PASSES_MAX if workload is not None and workload.time_based else 1


@dataclass(frozen=True)
class JobGenerations:
    """The generations that a job writes, or must find."""

    last: int
    lowest: int | None = None
    """None: the last one only; otherwise any from this one, for files that are written in passes"""


def _generations(workload: Workload, phase: str, context: JobContext) -> JobGenerations:
    if phase == "mixed" and workload.time_based and context.before is not None:
        return JobGenerations(context.generation, lowest=context.before)
    if phase == "read" and workload.time_based:
        last = context.generation + passes_of(workload) - 1
        return JobGenerations(last, lowest=context.generation)
    return JobGenerations(context.generation)


NAME_PATTERN = "*01*"
"""what `find` of IO500 looks for: `-name '*01*'`"""
LOOKS_AT_EITHER = ("stat", "utime", "readdir")
"""operations on files, or on the directories of mkdir; on those created last"""


def _phase(
    workload: Workload, phase: str, local_directory: str
) -> str | MixedPhase | FindPhase | CopyPhase:
    if phase == "mixed":
        assert workload.read_percent is not None
        return MixedPhase(workload.read_percent)
    if phase == "find":
        return FindPhase(workload.name_pattern or NAME_PATTERN)
    if phase in COPY_PHASES:
        sizes = tuple(CopySize(item.file_size, item.files) for item in workload.sizes)
        direction = phase.removeprefix("copy-")
        return CopyPhase(direction, sizes, local_directory, workload.discard)
    return phase


def _with_names(job: LoadJob, workload: Workload, phase: str, owner: int) -> LoadJob:
    """The job with its directory entries: the directory of each task, and the tree in it."""
    tree = workload.tree or Tree()
    shared = workload.directory == "shared"
    names = [SHARED if shared else f"d{owner:04d}.{task:03d}" for task in range(workload.tasks)]
    earlier = workload.phases[: workload.phases.index(phase)]
    made = [name for name in earlier if name in ("create", "mkdir")]
    of_directories = phase in LOOKS_AT_EITHER and made[-1:] == ["mkdir"]
    directories = Directories(
        items_per_directory=tree.items,
        depth=tree.depth,
        branching=tree.branching,
        renamed="rename" in earlier and not of_directories,
        directories=of_directories,
    )
    return replace(
        job,
        files=tuple(names),
        pattern=_pattern(workload, phase),
        file_bytes=workload.file_size,
        tree=directories,
    )


def _with_access(job: LoadJob, workload: Workload, phase: str) -> LoadJob:
    """The job with its access to files: the order of the transfers, and the calls for them."""
    return replace(
        job,
        pattern=_pattern(workload, phase),
        direct=workload.direct,
        o_sync=workload.o_sync,
        hints=tuple(workload.hints),
        hint_ahead_transfers=workload.hint_ahead,
        queue_depth=workload.queue_depth,
        engine=workload.engine,
    )


def _pattern(workload: Workload, phase: str) -> str | NumberedPattern:
    """The pattern with its numbers, as the agent reads it."""
    if phase == "read" and workload.pattern_traits.describes_writes:
        return "sequential"
    numbers = {f"{key}_transfers": number for key, number in workload.pattern_numbers}
    return NumberedPattern(workload.pattern, numbers) if numbers else workload.pattern


def _with_files(job: LoadJob, workload: Workload, owner: int, clients: int) -> LoadJob:
    """The job with its files: each task's own, or the shared one and the tasks' ranks in it."""
    if not workload.layout.startswith("n-1"):
        names = [file_name(owner, task) for task in range(workload.tasks)]
        return replace(
            job, layout=workload.layout, files=tuple(names), file_bytes=workload.file_size
        )
    first_rank = owner * workload.tasks
    ranks = clients * workload.tasks
    layout: Segmented | Interleaved = Segmented(first_rank, ranks)
    if workload.layout == "n-1-interleaved":
        chunk_bytes = workload.chunk or workload.transfer_size
        layout = Interleaved(first_rank, ranks, chunk_bytes)
    return replace(job, layout=layout, files=(SHARED,), file_bytes=workload.file_size * ranks)


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
