"""The keys of a workload that metadata operations and copies do not use. A study must not have
them.

Each function raises ValueError.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seatrial.study.workload import Workload

CHANGES_DIRECTORIES = ("create", "mkdir", "rename", "remove", "rmdir")
UNUSED_FOR_METADATA = (
    "layout",
    "direct",
    "o_sync",
    "hints",
    "hint_ahead",
    "queue_depth",
    "engine",
    "prepare",
    "total_size",
)
"""keys that metadata operations would ignore"""


def check_metadata(workload: "Workload") -> None:
    """Refuse each key that metadata operations would ignore."""
    first = workload.phases[0]
    for key in UNUSED_FOR_METADATA:
        if getattr(workload, key) != type(workload).model_fields[key].default:
            raise ValueError(
                f"{key} is for phases that read or write records, not for {first}; leave it out"
            )
    if workload.pattern_traits.describes_writes:
        raise ValueError(f"the pattern {workload.pattern} is for data; it is not for {first}")
    once = [phase for phase in workload.phases if phase in CHANGES_DIRECTORIES]
    if workload.pattern_traits.repeats and once:
        raise ValueError(
            f"{workload.pattern} takes names more than once, and {once[0]} can do so once only"
        )


def check_copies(workload: "Workload") -> None:
    """A copy is one file after the other, from first to last."""
    for key in (*UNUSED_FOR_METADATA, "pattern", "file_size"):
        if getattr(workload, key) != type(workload).model_fields[key].default:
            raise ValueError(f"{key} is not for phases that copy; leave it out")
