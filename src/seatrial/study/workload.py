"""A workload: the work of each client, in the terms of IOR, mdtest, IOzone and fio.

See docs/same-job.md.
"""

from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

from pydantic import Field, model_validator

from seatrial.basics.errors import Refused
from seatrial.basics.schema import Duration, Model, Size
from seatrial.study import agent_limits, aliases, workload_rules
from seatrial.study.pattern_keys import PatternKeys

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


class Tree(Model):
    """The tree of metadata operations: -I, -z and -b of mdtest, with items at the leaves (-L)."""

    ALIASES = aliases.OF_TREE
    items: int = Field(
        10,
        ge=1,
        description=(
            "Files in each lowest directory; directories for the phases `mkdir` and `rmdir`."
        ),
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


class Workload(PatternKeys):
    """Access pattern, file layout, transfer size and volume; a directory tree; or files to copy."""

    ALIASES = aliases.OF_WORKLOAD
    layout: Layout = Field(
        "n-n",
        description=(
            "`n-n`: one file per task. `n-1-...`: one shared file. `1-1`: one task and one file."
        ),
    )
    chunk: Size | None = Field(
        None,
        description=(
            "With `n-1-interleaved`: bytes of one turn of a task, in whole transfers. By default"
            " one transfer."
        ),
    )
    transfer_size: Size = Field(
        4096,
        description="Bytes of one read or write, up to 64 MiB; a divisor has 512 B to 4096 B.",
    )
    file_size: Size = Field(
        0,
        description=(
            "Bytes of each task's file, or of its part of the shared file. Not scaled. "
            "Required for data phases."
        ),
    )
    total_size: Size | None = Field(
        None,
        description="Bytes of all tasks of all clients together, instead of `file_size`.",
    )
    tree: Tree | None = Field(
        None,
        description=(
            "Metadata operations: the tree of directories. Its files have `file_size` bytes."
        ),
    )
    directory: Literal["unique", "shared"] = Field(
        "unique",
        description="Metadata operations: one tree per task, or one for all tasks.",
    )
    name_pattern: str | None = Field(
        None,
        min_length=1,
        description=(
            "With `find`: the names to find, with `*` and `?` as in a shell. By default `*01*`, as"
            " in IO500."
        ),
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
        description=(
            "Share of the time in which other work occupies one processor of the server in each"
            " phase."
        ),
    )
    local: bool = Field(False, description="Run the tasks on the server, on its own file system.")
    direct: bool = Field(False, description="Open files with O_DIRECT: no cache on the client.")
    o_sync: bool = Field(
        False,
        description="Open files with O_SYNC: a write returns when it is durable.",
    )
    fsync: Literal["none", "file", "transfer"] = Field(
        "file",
        description=(
            "For writes. `file`: once at the end, within the timing (IOzone `-e`). "
            "`transfer`: after each operation."
        ),
    )
    close_in_timing: bool = Field(True, description="The timing includes the close (IOzone `-c`).")
    hints: tuple[Hint, ...] = Field(
        (),
        description=(
            "Advice to the kernel (posix_fadvise) on opening. `will-need` is given when the clock"
            " starts."
        ),
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
        description=(
            "Stop after this time, finished or not. The end of `file_size` still stops earlier."
        ),
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
        description=(
            "Length of the measurement after `warm_up`. By default until the first task ends."
        ),
    )
    arrivals_per_s: float | None = Field(
        None,
        gt=0,
        le=agent_limits.ARRIVALS_MAX_PER_S,
        description=(
            "Open loop: operations per second of each client. Latency counts from the scheduled"
            " start."
        ),
    )
    outage_threshold: Duration | None = Field(
        None,
        description=(
            "A longer time without a completed operation is an outage. By default `1s`, "
            "in `background_load` `100ms`."
        ),
    )
    prepare: bool = Field(
        False,
        description=(
            "Write the files first, sequentially and unmeasured, and then empty all caches."
        ),
    )
    phases: tuple[Phase, ...] = Field(
        ("write", "read"),
        description="The phases in order, with a barrier before each.",
    )
    read: Literal["neighbour", "own"] = Field(
        "neighbour",
        description=(
            "`neighbour`: each client reads, stats or lists files of the next client. `own`: its"
            " own files."
        ),
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
        for check in (*workload_rules.CHECKS, *agent_limits.CHECKS):
            check(self)
        return self

    def changed(self, changes: Mapping[str, Any]) -> "Workload":
        """With some keys as in a study; ValidationError when they contradict each other."""
        if not changes:
            return self
        return Workload.model_validate(
            {**self.model_dump(mode="json", exclude_unset=True), **changes}
        )

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
                f"total_size ({self.total_size} B) leaves less than one transfer for each of"
                f" {clients} clients"
            )
        return self.model_copy(update={"file_size": share, "total_size": None})

    @property
    def data_phases(self) -> tuple[str, ...]:
        """The phases that write or read files."""
        return tuple(
            phase for phase in self.phases if phase not in (*METADATA_PHASES, *COPY_PHASES)
        )

    @property
    def copy_phases(self) -> tuple[str, ...]:
        """Its phases that copy files."""
        return tuple(phase for phase in self.phases if phase in COPY_PHASES)

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
LOOKS_AT_NEIGHBOUR = (
    "read",
    "copy-from-storage",
    "stat",
    "open-close",
    "read-files",
    "readdir",
    "find",
)
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
