"""Limits of every job of the agent (crates/job/src/check.rs): a valid study never exceeds them.

Each function raises ValueError. `tests/test_agent_limits.py` compares the rules with those of the
real agent.
"""

from itertools import chain
from typing import TYPE_CHECKING

from seatrial.basics.units import binary_reading, format_size

if TYPE_CHECKING:
    from seatrial.study.workload import Workload

TIME_MAX_S = 1e9
OUTAGE_MIN_S = 0.001
ARRIVALS_MAX_PER_S = 1e8
ITEMS_MAX = 2**40
NAMES_MAX = 2**28
COPY_MAX_BYTES = 2**50
COPIES_MAX = 2**24
FILE_MAX_BYTES = 2**50
SHARED_MAX_BYTES = 2**49
"""of the tasks of one client in a file of all: with 10 000 clients it stays below 2^63, the largest
offset of Linux
"""
SECTOR_BYTES = 512
"""O_DIRECT moves whole sectors"""
BLOCKS_BYTES = (4096, 2048, 1024, 512)
"""usual sizes of a content block, the preferred one first"""
BLOCK_MIN_BYTES = 512
BLOCK_MAX_BYTES = 4096
TRANSFER_MAX_BYTES = 64 * 2**20
SMALL_FILES_MAX_BYTES = 8 * 2**30
"""of the files of all tasks that `read-files` holds in memory at a time"""
COUNT_MAX = 2**32
"""of transfers to skip or to announce; more than any file has"""


def block_bytes(transfer_bytes: int) -> int | None:
    """Bytes of a content block in a file with this transfer size; None where no block divides it.

    See docs/content-format.md, and `block_bytes_for` of crates/content.
    """
    if transfer_bytes <= 0:
        return None
    odd_bytes = range(BLOCK_MAX_BYTES, BLOCK_MIN_BYTES - 1, -1)
    candidates = chain(BLOCKS_BYTES, odd_bytes)
    return next((size_bytes for size_bytes in candidates if transfer_bytes % size_bytes == 0), None)


def transfer_problem(transfer_bytes: int) -> str | None:
    """Why a transfer cannot have this size; None where it can."""
    most = "it must be a multiple of 512 B, up to 64 MiB"
    if transfer_bytes > TRANSFER_MAX_BYTES or block_bytes(transfer_bytes) is None:
        return f"{most}, or have a divisor from 512 B to 4096 B"
    if transfer_bytes % SECTOR_BYTES and binary_reading(transfer_bytes) is not None:
        # An author who writes 1MB most probably means 1MiB.
        return "it must be a multiple of 512 B, as every size in kB or MB"
    return None


def check_times(workload: "Workload") -> None:
    """Times and rates that a job can have."""
    above_0 = {"time_limit": workload.time_limit, "window": workload.window}
    for key, time_s in above_0.items():
        if time_s is not None and not 0 < time_s <= TIME_MAX_S:
            raise ValueError(f"{key} is {time_s:g} s; it must be above 0, up to {TIME_MAX_S:g} s")
    if workload.warm_up is not None and workload.warm_up > TIME_MAX_S:
        raise ValueError(f"warm_up is {workload.warm_up:g} s; it must be at most {TIME_MAX_S:g} s")
    threshold_s = workload.outage_threshold
    if threshold_s is not None and not OUTAGE_MIN_S <= threshold_s <= TIME_MAX_S:
        raise ValueError(
            f"outage_threshold is {threshold_s:g} s; it must be from 1 ms to {TIME_MAX_S:g} s"
        )


def check_file(workload: "Workload") -> None:
    """Files and turns that are whole, and that an offset can reach."""
    if workload.chunk == 0:
        raise ValueError("chunk is 0 B; it must be at least one transfer")
    if workload.file_size > FILE_MAX_BYTES or (workload.total_size or 0) > FILE_MAX_BYTES:
        raise ValueError(f"file_size and total_size are at most {format_size(FILE_MAX_BYTES)}")
    of_client_bytes = (
        (workload.total_size or 0) if workload.total_size else workload.file_size * workload.tasks
    )
    if workload.layout.startswith("n-1") and of_client_bytes > SHARED_MAX_BYTES:
        raise ValueError(
            f"the tasks of a client have {format_size(of_client_bytes)} of a shared file; "
            f"at most {format_size(SHARED_MAX_BYTES)}"
        )


def check_pattern(workload: "Workload") -> None:
    """Orders of the transfers of a job."""
    workload.pattern_numbers.check()
    if workload.pattern_traits.is_at_end and "mixed" in workload.phases:
        raise ValueError(f"{workload.pattern} is for the phase write; mixed reads, too")
    if workload.pattern_traits.is_at_end and workload.layout.startswith("n-1"):
        problem = "is for files that are not shared; take the layout n-n or 1-1"
        raise ValueError(f"{workload.pattern} {problem}")


def check_depth(workload: "Workload") -> None:
    """What several operations at once go with."""
    at_once = workload.queue_depth > 1 or workload.engine == "io-uring"
    if workload.queue_depth > 1 and workload.engine == "plain":
        raise ValueError(
            "the engine plain does one operation at a time; leave queue_depth at 1, or take more"
            " tasks"
        )
    writes = workload.prepare or {"write", "mixed"} & set(workload.phases)
    if at_once and workload.fsync == "transfer" and writes:
        raise ValueError(
            "fsync: transfer needs one operation at a time, without io-uring; take o_sync: true"
            " instead"
        )


def check_direct(workload: "Workload") -> None:
    """O_DIRECT moves whole sectors."""
    if workload.direct and workload.transfer_size % SECTOR_BYTES:
        raise ValueError(
            f"direct needs whole sectors of {SECTOR_BYTES} B, and transfer_size is"
            f" {workload.transfer_size} B; leave direct out"
        )


def check_tree(workload: "Workload") -> None:
    """Trees that can be counted."""
    if not workload.metadata_phases:
        return
    if workload.items > ITEMS_MAX:
        raise ValueError(f"a tree of {workload.items} items for each task; at most {ITEMS_MAX}")
    items = workload.tree.items if workload.tree else 0
    lists = next((phase for phase in workload.phases if phase in ("readdir", "find")), None)
    if lists and workload.verify and items > NAMES_MAX:
        raise ValueError(
            f"{lists} checks at most {NAMES_MAX} names in a directory; set verify: false"
        )


def check_small_files(workload: "Workload") -> None:
    """Files that a task reads whole, and the search for names."""
    if "read-files" in workload.phases:
        of_client_bytes = workload.file_size * workload.tasks
        if workload.file_size > TRANSFER_MAX_BYTES or of_client_bytes > SMALL_FILES_MAX_BYTES:
            raise ValueError(
                f"read-files reads files of at most {format_size(TRANSFER_MAX_BYTES)}, and "
                f"{format_size(SMALL_FILES_MAX_BYTES)} in all tasks of a client"
            )
    if "find" not in workload.phases:
        return
    if "/" in (workload.name_pattern or ""):
        raise ValueError("name_pattern is for the name of a file; it has no /")
    if workload.arrivals_per_s is not None:
        raise ValueError("arrivals_per_s is not for the phase find; leave it out")


def check_copies(workload: "Workload") -> None:
    """Files that are copied."""
    seen: set[int] = set()
    for item in workload.sizes:
        if not 0 < item.file_size <= COPY_MAX_BYTES:
            raise ValueError(
                f"sizes: a file has 1 B to {format_size(COPY_MAX_BYTES)}, not"
                f" {format_size(item.file_size)}"
            )
        if item.files + workload.discard > COPIES_MAX:
            raise ValueError(
                f"sizes: files and discard are {item.files + workload.discard}; at most"
                f" {COPIES_MAX}"
            )
        if item.file_size in seen:
            raise ValueError(
                f"sizes: {format_size(item.file_size)} is written twice; add up their files"
            )
        seen.add(item.file_size)
    if workload.sizes and workload.arrivals_per_s is not None:
        raise ValueError("arrivals_per_s is not for phases that copy; leave it out")


CHECKS = (
    check_times,
    check_file,
    check_pattern,
    check_depth,
    check_direct,
    check_tree,
    check_small_files,
    check_copies,
)
