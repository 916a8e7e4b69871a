"""A workload: the work of each client, in the terms of IOR, mdtest, IOzone and fio.

See docs/same-job.md.
"""

from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

from pydantic import Field, model_validator

from seatrial.basics.errors import Refused
from seatrial.basics.schema import Duration, Model, Size
from seatrial.basics.units import binary_reading, format_size, good_multiples
from seatrial.study import agent_limits, aliases, unused_keys

Pattern = Literal[
    "sequential", "backward", "rewrite", "append", "random", "random-with-replacement", "strided", "semi-random"
]
Layout = Literal["n-n", "1-1", "n-1-segmented", "n-1-interleaved"]
Hint = Literal["sequential", "random", "will-need", "dont-need", "no-reuse"]
DataPhase = Literal["write", "read", "mixed"]
MetadataPhase = Literal[
    "create",
    "mkdir",
    "stat",
    "utime",
    "rename",
    "open-close",
    "read-files",
    "readdir",
    "find",
    "remove",
    "rmdir",
]
CopyPhase = Literal["copy-to-storage", "copy-from-storage"]
Phase = Literal[DataPhase, MetadataPhase, CopyPhase]
METADATA_PHASES: tuple[str, ...] = get_args(MetadataPhase)
COPY_PHASES: tuple[str, ...] = get_args(CopyPhase)
BUFFERS_MAX_BYTES = 8 * 2**30
"""the limit of the agent for the buffers of a client: transfers in flight, of all tasks"""
ONLY_FOR = {"skip": "strided", "next": "semi-random", "working_set": "semi-random"}


class Tree(Model):
    """The tree of metadata operations: -I, -z and -b of mdtest, with items at the leaves (-L)."""

    ALIASES = aliases.OF_TREE
    items: int = Field(
        10,
        ge=1,
        description="Files in each lowest directory; directories for the phases `mkdir` and `rmdir`.",
    )
    depth: int = Field(0, ge=0, le=8, description="Levels of directories above the lowest ones.")
    branching: int = Field(
        1,
        ge=1,
        le=4096,
        description="Directories in each directory above the lowest level.",
    )


class Files(Model):
    """`{file_size: 1MiB, files: 10}`: `files` files of one size, for the phases that copy."""

    file_size: Size = Field(description="Size of each file. It is not scaled.")
    files: int = Field(1, ge=1, description="Number of files that are copied and counted.")


OUTAGE_THRESHOLD_S = 1.0
FAULT_OUTAGE_THRESHOLD_S = 0.1
"""during faults: a job that waits for its storage at every step feels a tenth of a second"""


class Workload(Model):
    """Access pattern, file layout, transfer size and volume; a directory tree; or files to copy."""

    ALIASES = aliases.OF_WORKLOAD
    pattern: Pattern = Field("sequential", description="Order of the transfers, or of the names.")
    skip: int | None = Field(
        None,
        ge=1,
        le=agent_limits.COUNT_MAX,
        description="With `strided`: transfers left out between two, wrapping until each was done.",
    )
    next: int | None = Field(
        None,
        ge=1,
        description="With `semi-random`: number of transfers that are taken at random from the working set.",
    )
    working_set: int | None = Field(
        None,
        ge=1,
        description="With `semi-random`: number of transfers in the working set.",
    )
    layout: Layout = Field(
        "n-n",
        description="`n-n`: one file per task. `n-1-...`: one shared file. `1-1`: one task and one file.",
    )
    chunk: Size | None = Field(
        None,
        description="With `n-1-interleaved`: bytes of one turn of a task, in whole transfers. By default one transfer.",
    )
    transfer_size: Size = Field(
        4096,
        description="Bytes of one read or write, up to 64 MiB; a divisor has 512 B to 4096 B.",
    )
    file_size: Size = Field(
        0,
        description="Bytes of each task's file, or of its part of the shared file. Not scaled. "
        "Required for data phases.",
    )
    total_size: Size | None = Field(
        None,
        description="Bytes of all tasks of all clients together, instead of `file_size`.",
    )
    tree: Tree | None = Field(
        None,
        description="Metadata operations: the tree of directories. Its files have `file_size` bytes.",
    )
    directory: Literal["unique", "shared"] = Field(
        "unique",
        description="Metadata operations: one tree per task, or one for all tasks.",
    )
    name_pattern: str | None = Field(
        None,
        min_length=1,
        description="With `find`: the names to find, with `*` and `?` as in a shell. By default `*01*`, as in IO500.",
    )
    sizes: tuple[Files, ...] = Field(
        (),
        description="Copy phases: the mix of file sizes, `[{file_size: 1MiB, files: 10}]`.",
    )
    discard: int = Field(
        1,
        ge=0,
        description="Copy phases: the first files of each size, which are not counted.",
    )
    read_percent: int | None = Field(
        None,
        ge=1,
        le=99,
        description="With the phase `mixed`: percentage of the operations that read.",
    )
    tasks: int = Field(1, ge=1, le=1024, description="Threads per client.")
    server_load: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Share of the time in which other work occupies one processor of the server in each phase.",
    )
    local: bool = Field(False, description="Run the tasks on the server, on its own file system.")
    direct: bool = Field(False, description="Open files with O_DIRECT: no cache on the client.")
    o_sync: bool = Field(
        False,
        description="Open files with O_SYNC: a write returns when it is durable.",
    )
    fsync: Literal["none", "file", "transfer"] = Field(
        "file",
        description="For writes. `file`: once at the end, within the timing (IOzone `-e`). "
        "`transfer`: after each operation.",
    )
    close_in_timing: bool = Field(True, description="The timing includes the close (IOzone `-c`).")
    hints: tuple[Hint, ...] = Field(
        (),
        description="Advice to the kernel (posix_fadvise) on opening. `will-need` is given when the clock starts.",
    )
    hint_ahead: int = Field(
        0,
        ge=0,
        le=agent_limits.COUNT_MAX,
        description="Announce the transfer that follows after this number of operations.",
    )
    queue_depth: int = Field(
        1,
        ge=1,
        le=1024,
        description="Operations of one task in flight at the same time.",
    )
    engine: Literal["auto", "plain", "io-uring"] = Field(
        "auto",
        description="How operations are submitted. `auto` selects one of the two.",
    )
    time_limit: Duration | None = Field(
        None,
        description="Stop after this time, finished or not. The end of `file_size` still stops earlier.",
    )
    time_based: bool = Field(
        False,
        description="Repeat until `time_limit`, which is required. Each pass writes other data.",
    )
    warm_up: Duration | None = Field(
        None,
        description="Time before the measurement of the steady state begins.",
    )
    window: Duration | None = Field(
        None,
        description="Length of the measurement after `warm_up`. By default until the first task ends.",
    )
    arrivals_per_s: float | None = Field(
        None,
        gt=0,
        le=agent_limits.ARRIVALS_MAX_PER_S,
        description="Open loop: operations per second of each client. Latency counts from the scheduled start.",
    )
    outage_threshold: Duration | None = Field(
        None,
        description="A longer time without a completed operation is an outage. By default `1s`, "
        "in `background_load` `100ms`.",
    )
    prepare: bool = Field(
        False,
        description="Write the files first, sequentially and unmeasured, and then empty all caches.",
    )
    phases: tuple[Phase, ...] = Field(
        ("write", "read"),
        description="The phases in order, with a barrier before each.",
    )
    read: Literal["neighbour", "own"] = Field(
        "neighbour",
        description="`neighbour`: each client reads, stats or lists files of the next client. `own`: its own files.",
    )
    verify: bool = Field(
        True,
        description="Check every block that is read and every name that is looked up.",
    )
    verify_tree: bool = Field(
        False,
        description="After the phases, compare the storage with the operation logs of all clients.",
    )
    log_sync: bool = Field(
        False,
        description="The operation log survives a power failure of the client.",
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        own = (_check_transfer_size, _check_pattern, _check_layout, _check_phases, _check_reading, _check_time)
        for check in (*own, *agent_limits.CHECKS):
            check(self)
        return self

    def changed(self, changes: Mapping[str, Any]) -> "Workload":
        """With some keys as in a study; ValidationError when they contradict each other."""
        if not changes:
            return self
        return Workload.model_validate({**self.model_dump(mode="json", exclude_unset=True), **changes})

    def shared_out(self, clients: int) -> "Workload":
        """With a `total`: the same workload, with the share of each task as `file_size`.

        The share is a multiple of the transfer size and of the turn.
        """
        if self.total_size is None:
            return self
        unit = self.chunk or self.transfer_size
        share = self.total_size // (clients * self.tasks) // unit * unit
        if not share:
            raise Refused(
                f"total_size ({self.total_size} B) leaves less than one transfer for each of {clients} clients"
            )
        return self.model_copy(update={"file_size": share, "total_size": None})

    @property
    def data_phases(self) -> tuple[str, ...]:
        """The phases that write or read files."""
        return tuple(phase for phase in self.phases if phase not in (*METADATA_PHASES, *COPY_PHASES))

    @property
    def metadata_phases(self) -> tuple[str, ...]:
        """The phases that are metadata operations."""
        return tuple(phase for phase in self.phases if phase in METADATA_PHASES)

    def phase_bytes(self, phase: str) -> int:
        """What one task moves in a phase; 0 where only names are dealt with."""
        if phase in COPY_PHASES:
            return sum(item.file_size * (item.files + self.discard) for item in self.sizes)
        if phase in METADATA_PHASES:
            return self.file_size * self.items if phase in MOVES_SMALL_FILES else 0
        return self.file_size

    def stored_bytes(self, nodes: int) -> int:
        """Most bytes that `nodes` nodes can have on the storage: files, trees or copies.

        The limit of a phase does not reduce it.
        """
        return max(self.phase_bytes(phase) for phase in self.phases) * self.tasks * nodes

    @property
    def items(self) -> int:
        """Names of one task: items in all lowest directories."""
        tree = self.tree or Tree()
        return tree.items * int(tree.branching**tree.depth)


MOVES_SMALL_FILES = ("create", "read-files")
"""metadata operations that write or read the content of their files"""
LOOKS_AT_NEIGHBOUR = ("read", "copy-from-storage", "stat", "open-close", "read-files", "readdir", "find")
"""phases that read existing files

mdtest -N shifts these too: a client may have its own files in its cache.
"""


def file_name(client: int, task: int) -> str:
    """The file of one task of one client."""
    return f"f{client:04d}.{task:03d}"


def moves_data(phase: str) -> bool:
    """Whether a phase's figure is a rate in bytes per second; the other phases count operations."""
    return phase not in METADATA_PHASES


def writes_data(phase: str) -> bool:
    """Whether a phase writes data, so that another generation of the files begins."""
    return phase in ("write", "mixed")


def reads_data(phase: str) -> bool:
    """Whether a phase reads data of an earlier one; caches must be empty before it."""
    return phase in ("read", "mixed", "copy-from-storage", "read-files")


def _check_transfer_size(workload: Workload) -> None:
    if problem := agent_limits.transfer_problem(workload.transfer_size):
        raise ValueError(
            f"transfer_size is {workload.transfer_size} B; {problem}, e.g. {_good_transfer_size(workload)}"
        )
    if not workload.data_phases:
        return
    if (buffers_bytes := workload.tasks * workload.queue_depth * workload.transfer_size) > BUFFERS_MAX_BYTES:
        raise ValueError(
            f"tasks × queue_depth × transfer_size is {buffers_bytes} B of each client's memory; "
            f"at most {BUFFERS_MAX_BYTES} B can be under way"
        )
    if workload.total_size is not None:
        if "file_size" in workload.model_fields_set:
            raise ValueError(
                "total_size and file_size are both given; say one, each task's file or that of all together"
            )
        return
    for key in ("transfer_size", "file_size"):
        if key not in workload.model_fields_set:
            raise ValueError(f"{key} must be given for the phase {workload.data_phases[0]}")
    if not workload.file_size:
        raise ValueError(f"file_size is 0 B; the phase {workload.data_phases[0]} needs at least one transfer")
    if workload.file_size % workload.transfer_size:
        raise ValueError(_not_whole("file_size", workload.file_size, "transfer_size", workload.transfer_size))


def _good_transfer_size(workload: Workload) -> str:
    """The same number with a binary prefix, when that is a transfer size; else examples."""
    meant_bytes = binary_reading(workload.transfer_size)
    if meant_bytes is None or meant_bytes > 64 * 2**20:
        return "4KiB or 1MiB"
    return format_size(meant_bytes)


def _not_whole(key: str, size_bytes: int, unit: str, unit_bytes: int) -> str:
    """Why a size cannot be divided, and the sizes that can."""
    return (
        f"{key} ({size_bytes} B) is not a multiple of {unit} ({format_size(unit_bytes)}); "
        f"write {good_multiples(size_bytes, unit_bytes)}"
    )


def _check_pattern(workload: Workload) -> None:
    for key, pattern in ONLY_FOR.items():
        given = getattr(workload, key) is not None
        if given != (workload.pattern == pattern):
            raise ValueError(f"{key} belongs to the pattern {pattern}" if given else f"{pattern} needs {key}")


def _check_layout(workload: Workload) -> None:
    if workload.chunk is not None and workload.layout != "n-1-interleaved":
        raise ValueError("chunk belongs to the layout n-1-interleaved and is a multiple of transfer_size")
    if workload.chunk and workload.chunk % workload.transfer_size:
        raise ValueError(_not_whole("chunk", workload.chunk, "transfer_size", workload.transfer_size))
    if workload.chunk and workload.file_size % workload.chunk:
        raise ValueError(_not_whole("file_size", workload.file_size, "chunk", workload.chunk))
    if workload.layout == "1-1" and workload.tasks != 1:
        raise ValueError("the layout 1-1 has one task")


def _check_reading(workload: Workload) -> None:
    """Refuse a workload in which a reader cannot know the expected data."""
    phases = workload.phases
    if ("mixed" in phases) != (workload.read_percent is not None):
        raise ValueError("the phase mixed needs read_percent" if "mixed" in phases else "read_percent is for mixed")
    if "mixed" in phases and workload.verify:
        _check_mixed(workload, phases[phases.index("mixed") + 1 :])
    if workload.pattern == "random-with-replacement" and {"write", "read"} <= set(phases) and workload.verify:
        raise ValueError("random-with-replacement may skip any transfer; set verify: false")
    if workload.pattern == "append" and workload.prepare:
        raise ValueError("append begins at the end of the file, and prepare has written it whole")


def _check_mixed(workload: Workload, after: tuple[str, ...]) -> None:
    """A task knows its own writes only while it has a single operation in flight."""
    if {"read", "mixed"} & set(after):
        unknown = "after mixed the old records are unknown; read before it, or set verify: false"
        raise ValueError(unknown)
    replaces = workload.pattern == "random-with-replacement"
    twice = workload.pattern if replaces else "time_based" if workload.time_based else None
    if twice and (workload.queue_depth > 1 or workload.engine == "io-uring"):
        raise ValueError(f"mixed with {twice} and several operations at once cannot be checked; set verify: false")


def _check_time(workload: Workload) -> None:
    if not workload.time_based:
        return
    if workload.time_limit is None:
        raise ValueError("time_based needs time_limit, its duration")
    if not workload.data_phases:
        raise ValueError(f"time_based is for the phases write, read and mixed, not for {workload.phases[0]}")
    if workload.pattern == "append":
        raise ValueError("time_based begins again at the end of the file, and append cannot do so")


def _check_phases(workload: Workload) -> None:
    phases = workload.phases
    if not phases:
        raise ValueError("phases is empty; name at least one")
    kinds = [bool(workload.data_phases), bool(workload.metadata_phases), any(phase in COPY_PHASES for phase in phases)]
    if sum(kinds) > 1:
        raise ValueError("phases mix data, names and copying; make an experiment for each")
    if bool(workload.sizes) != kinds[2]:
        raise ValueError("phases that copy need sizes" if kinds[2] else "sizes are for phases that copy")
    if workload.tree is not None and not kinds[1]:
        raise ValueError("tree is for metadata phases")
    if kinds[1]:
        unused_keys.check_metadata(workload)
    if kinds[2]:
        unused_keys.check_copies(workload)
    if workload.name_pattern is not None and "find" not in phases:
        raise ValueError("name_pattern belongs to the phase find")
    if workload.window is not None and workload.warm_up is None:
        raise ValueError("window needs warm_up: say after which time it begins (0s is allowed)")
