"""The rules of a workload that concern several of its keys. Each raises ValueError."""

from typing import TYPE_CHECKING

from seatrial.basics.units import binary_reading, format_size, good_multiples
from seatrial.study import agent_limits, unused_keys
from seatrial.study.pattern_kinds import owners_of_keys

if TYPE_CHECKING:
    from seatrial.study.workload import Workload

BUFFERS_MAX_BYTES = 8 * 2**30
"""the limit of the agent for the buffers of a client: transfers in flight, of all tasks"""


def _check_transfer_size(workload: "Workload") -> None:
    if problem := agent_limits.transfer_problem(workload.transfer_size):
        raise ValueError(
            f"transfer_size is {workload.transfer_size} B; {problem}, e.g."
            f" {_good_transfer_size(workload)}"
        )
    if not workload.data_phases:
        return
    if (
        buffers_bytes := workload.tasks * workload.queue_depth * workload.transfer_size
    ) > BUFFERS_MAX_BYTES:
        raise ValueError(
            f"tasks × queue_depth × transfer_size is {buffers_bytes} B of each client's memory; "
            f"at most {BUFFERS_MAX_BYTES} B can be under way"
        )
    if workload.total_size is not None:
        if "file_size" in workload.model_fields_set:
            raise ValueError(
                "total_size and file_size are both given; say one, each task's file or that of all"
                " together"
            )
        return
    for key in ("transfer_size", "file_size"):
        if key not in workload.model_fields_set:
            raise ValueError(f"{key} must be given for the phase {workload.data_phases[0]}")
    if not workload.file_size:
        raise ValueError(
            f"file_size is 0 B; the phase {workload.data_phases[0]} needs at least one transfer"
        )
    if workload.file_size % workload.transfer_size:
        raise ValueError(
            _not_whole("file_size", workload.file_size, "transfer_size", workload.transfer_size)
        )


def _good_transfer_size(workload: "Workload") -> str:
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


def _check_pattern(workload: "Workload") -> None:
    for key, pattern in owners_of_keys().items():
        is_set = getattr(workload, key) is not None
        if is_set != (workload.pattern == pattern):
            raise ValueError(
                f"{key} belongs to the pattern {pattern}" if is_set else f"{pattern} needs {key}"
            )


def _check_layout(workload: "Workload") -> None:
    if workload.chunk is not None and workload.layout != "n-1-interleaved":
        raise ValueError(
            "chunk belongs to the layout n-1-interleaved and is a multiple of transfer_size"
        )
    if workload.chunk and workload.chunk % workload.transfer_size:
        raise ValueError(
            _not_whole("chunk", workload.chunk, "transfer_size", workload.transfer_size)
        )
    if workload.chunk and workload.file_size % workload.chunk:
        raise ValueError(_not_whole("file_size", workload.file_size, "chunk", workload.chunk))
    if workload.layout == "1-1" and workload.tasks != 1:
        raise ValueError("the layout 1-1 has one task")


def _check_reading(workload: "Workload") -> None:
    """Refuse a workload in which a reader cannot know the expected data."""
    phases = workload.phases
    if ("mixed" in phases) != (workload.read_percent is not None):
        raise ValueError(
            "the phase mixed needs read_percent"
            if "mixed" in phases
            else "read_percent is for mixed"
        )
    if "mixed" in phases and workload.verify:
        _check_mixed(workload, phases[phases.index("mixed") + 1 :])
    if workload.pattern_traits.repeats and {"write", "read"} <= set(phases) and workload.verify:
        raise ValueError(f"{workload.pattern} may skip any transfer; set verify: false")
    if workload.pattern_traits.is_at_end and workload.prepare:
        problem = "begins at the end of the file, and prepare has written it whole"
        raise ValueError(f"{workload.pattern} {problem}")


def _check_mixed(workload: "Workload", after: tuple[str, ...]) -> None:
    """A task knows its own writes only while it has a single operation in flight."""
    if {"read", "mixed"} & set(after):
        unknown = "after mixed the old records are unknown; read before it, or set verify: false"
        raise ValueError(unknown)
    if workload.queue_depth <= 1 and workload.engine != "io-uring":
        return
    # A block that is written twice has two contents, and both may be in flight.
    writes_twice = "time_based" if workload.time_based else None
    if workload.pattern_traits.repeats:
        writes_twice = workload.pattern
    if writes_twice:
        raise ValueError(
            f"mixed with {writes_twice} and several operations at once cannot be checked; "
            "set verify: false"
        )


def _check_time(workload: "Workload") -> None:
    if not workload.time_based:
        return
    if workload.time_limit is None:
        raise ValueError("time_based needs time_limit, its duration")
    if not workload.data_phases:
        raise ValueError(
            f"time_based is for the phases write, read and mixed, not for {workload.phases[0]}"
        )
    if workload.pattern_traits.is_at_end:
        problem = f"begins again at the end of the file, and {workload.pattern} cannot do so"
        raise ValueError(f"time_based {problem}")


def _check_phases(workload: "Workload") -> None:
    phases = workload.phases
    if not phases:
        raise ValueError("phases is empty; name at least one")
    kinds = [
        bool(workload.data_phases),
        bool(workload.metadata_phases),
        bool(workload.copy_phases),
    ]
    if sum(kinds) > 1:
        raise ValueError("phases mix data, names and copying; make an experiment for each")
    if bool(workload.sizes) != kinds[2]:
        raise ValueError(
            "phases that copy need sizes" if kinds[2] else "sizes are for phases that copy"
        )
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


CHECKS = (
    _check_transfer_size,
    _check_pattern,
    _check_layout,
    _check_phases,
    _check_reading,
    _check_time,
)
