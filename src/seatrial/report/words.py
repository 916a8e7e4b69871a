"""A workload as a sentence."""

from collections.abc import Mapping
from typing import Any

from seatrial.basics.units import counted
from seatrial.report.tables import size
from seatrial.study.experiment import Experiment
from seatrial.study.workload import COPY_PHASES, Workload
from seatrial.summary.names import short, value_name

FSYNCS = {"none": "no fsync", "file": "one fsync per file", "transfer": "one fsync per transfer"}
PLACES = {"unique": " in one directory per task", "shared": " in one shared directory"}


def in_words(workload: Workload, experiment: Experiment, clients: int | None = None) -> str:
    """The work of each client as a sentence, for readers of the report only.

    `clients`: the highest number of clients that took part, if known; a single one has no
    neighbour.
    """
    if clients == 1:
        workload = workload.model_copy(update={"read": "own"})
    many = _tasks(workload, experiment)
    where = "on the server itself" if workload.local else "per client"
    if workload.metadata_phases:
        synced = "not synced" if workload.fsync == "none" else "each synced"
        whose = "its own" if workload.read == "own" else "its neighbour’s"
        parts = [f"{', '.join(workload.phases)} of {_tree(workload, experiment)}; {many} {where}"]
        parts += [synced, f"each client reads {whose} entries", *_emptied(experiment)]
    elif any(phase in COPY_PHASES for phase in workload.phases):
        sizes = ", ".join(f"{item.files} × {size(item.file_size)}" for item in workload.sizes)
        first = "first" if workload.discard == 1 else f"first {workload.discard}"
        sizes += f" (the {first} of each size not counted)" if workload.discard else ""
        parts = [f"copies of {sizes}; {many} {where}", *_timing(workload)]
    else:
        parts = _transfers(workload, f"{many} {where}")
        parts += [*_timing(workload), *_reading(workload, experiment)]
    for kind, changes in experiment.kinds.items():
        settings = ", ".join(_setting(key, value) for key, value in changes.items())
        parts.append(f"{kind} clients: {settings}")
    parts += [_setting(key, value) for key, value in experiment.overrides.items()]
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _tasks(workload: Workload, experiment: Experiment) -> str:
    tried = [count for count in experiment.sweep.get("tasks", ()) if isinstance(count, int)]
    if tried and min(tried) < max(tried):
        return f"{min(tried)} to {max(tried)} tasks"
    tasks = tried[0] if tried else workload.tasks
    return "one task" if tasks == 1 else f"{tasks} tasks"


def _setting(key: str, value: Any) -> str:
    """A value that differs from the study; of a whole solution its kind and server."""
    if key == "solution" and isinstance(value, Mapping):
        return (
            f"{value.get('kind')} on {value['server']}"
            if "server" in value
            else str(value.get("kind"))
        )
    return f"{short(key)} {value_name(value)}"


def _transfers(workload: Workload, who: str) -> list[str]:
    parts = [
        f"{workload.pattern} {workload.layout.upper()} transfers of {size(workload.transfer_size)}"
    ]
    part = "a file" if workload.layout == "n-n" else "a part"
    if workload.total_size is not None:
        parts.append(
            f"{who}, {size(workload.total_size)} in total, with {part} of equal share per task"
        )
    else:
        parts.append(f"{who} with {part} of {size(workload.file_size)} each")
    if "mixed" in workload.phases:
        parts.append(f"mixed: {workload.read_percent} % reads")
    if workload.prepare:
        parts.append("files written before the phase")
    until = (
        "until the first task has ended"
        if workload.window is None
        else f"for {workload.window:g} s"
    )
    offered_per_s = workload.arrivals_per_s or 0
    for applies, option in (
        (workload.direct, "O_DIRECT"),
        (workload.o_sync, "O_SYNC"),
        (workload.queue_depth > 1, f"{workload.queue_depth} operations of a task in flight"),
        (workload.arrivals_per_s, f"open loop of {offered_per_s:g} operations/s per client"),
        (workload.warm_up is not None, f"steady state after {workload.warm_up or 0:g} s, {until}"),
    ):
        if applies:
            parts.append(option)
    return parts


def _timing(workload: Workload) -> list[str]:
    timed = FSYNCS[workload.fsync]
    return [f"{timed}{' and the close' if workload.close_in_timing else ''} inside the timing"]


def _reading(workload: Workload, experiment: Experiment) -> list[str]:
    if "read" not in workload.phases:
        return []
    whose = "its own" if workload.read == "own" or workload.local else "its neighbour’s"
    return [
        f"each client reads {whose} file",
        "every block read is verified" if workload.verify else "blocks are not verified",
        f"caches {'are' if experiment.empty_caches else 'are not'} emptied before each read",
    ]


def _emptied(experiment: Experiment) -> list[str]:
    """When caches are emptied around metadata operations, where that is not the default."""
    if experiment.empty_caches != "each-phase":
        return []
    return ["caches are emptied before each phase"]


def _tree(workload: Workload, experiment: Experiment) -> str:
    held = f"of {size(workload.file_size)}" if workload.file_size else "empty"
    place = "" if "directory" in experiment.sweep else PLACES[workload.directory]
    levels = f", {workload.tree.depth} levels deep" if workload.tree and workload.tree.depth else ""
    return f"{counted(workload.items, 'item')} per task ({held}){place}{levels}"
