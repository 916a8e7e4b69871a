"""The peak storage use of a run, which must fit on the storage."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from seatrial.basics.known import all_known
from seatrial.basics.units import written_size
from seatrial.basics.yamlfile import Mistake
from seatrial.cases import ExperimentCases, Variant, groups_of
from seatrial.faults.base import FaultCase, Planned
from seatrial.solutions.base import KnowsDataDisks, RawVolumes, Solution, client_groups_of
from seatrial.study.faults import Stream
from seatrial.study.points import phase_text, point_text
from seatrial.study.study import Study
from seatrial.study.workload import Workload, moves_data


def stored_bytes(
    load: Mapping[str, Stream],
    clients: tuple[str, ...],
    longest_s: float,
) -> dict[str | None, int]:
    """Bytes by mount that all streams together may have written in the end, with these clients."""
    needed_bytes = Counter[str | None]()
    for stream in load.values():
        needed_bytes[stream.mount] += stream.stored_bytes(len(stream.runs_on(clients)), longest_s)
    return dict(needed_bytes)


@dataclass(frozen=True, order=True)
class Use:
    """The use of the storage by a point or a fault."""

    size_bytes: int
    """the most at a time"""
    name: str


NO_USE = Use(0, "")


def most_written(
    solution: Solution,
    experiments: Sequence[ExperimentCases],
    load: Mapping[str, Stream],
    broken: Sequence[Planned],
) -> Use:
    """The highest use; `NO_USE` without points and faults."""
    return max(written(solution, experiments, load, broken), default=NO_USE)


def written(
    solution: Solution,
    experiments: Sequence[ExperimentCases],
    load: Mapping[str, Stream],
    broken: Sequence[Planned],
) -> list[Use]:
    """The use of each point and fault."""
    uses = []
    for experiment in experiments:
        for point in experiment.points:
            groups = groups_of(solution, point, solution.clients[: point.clients])
            size_bytes = sum(workload.stored_bytes(len(nodes)) for workload, nodes in groups)
            uses.append(Use(size_bytes, phase_text(experiment.name, point.values)))
    for fault in broken:
        by_mount = stored_bytes(load, solution.clients, fault.longest_s)
        uses.append(Use(sum(by_mount.values()), fault.name))
    return uses


@dataclass(frozen=True)
class Volume:
    """What all repeats of some experiments write, before they remove it."""

    size_bytes: int
    files: int
    limit_s: float | None
    """seconds after which all phases that move data have ended; None when a phase has no limit"""


def volume_of(experiments: Sequence[ExperimentCases]) -> Volume:
    """The volume of experiments; phases that repeat until a time limit count one pass."""
    size_bytes = 0
    files = 0
    limits_s: list[float | None] = []
    for planned in experiments:
        item = planned.experiment
        for point in planned.points:
            load = point.workload
            if item.continues is None:  # the other experiment has written the files
                size_bytes += item.repeats * load.stored_bytes(point.clients)
                files += item.repeats * files_of(load, point.clients)
            data_phases = len([phase for phase in load.phases if moves_data(phase)])
            if data_phases:
                limits_s.append(load.time_limit and item.repeats * data_phases * load.time_limit)
    known_limits_s = all_known(limits_s)
    return Volume(size_bytes, files, sum(known_limits_s) if known_limits_s else None)


def files_of(load: Workload, clients: int) -> int:
    """The number of files that a workload has on the storage with this number of clients."""
    if load.sizes:
        return sum(item.files + load.discard for item in load.sizes) * load.tasks * clients
    if load.metadata_phases:
        return load.items * load.tasks * clients
    return 1 if load.layout.startswith("n-1") else load.tasks * clients


def too_large(
    base: Variant,
    experiments: Sequence[ExperimentCases],
    faults: Sequence[FaultCase],
    load: Mapping[str, Stream],
) -> Iterator[Mistake]:
    """Each point and fault that has more on the storage at a time than its disks can hold, and why.

    `base`: the study's own values, which the faults keep.
    """
    continued = {item.experiment.continues for item in experiments}
    kept_bytes = 0
    for item in experiments:
        if item.experiment.continues is not None:
            continue
        for case in item.cases:
            needed_bytes = sum(work.stored_bytes(len(group)) for work, group in case.groups)
            if reason := _no_room(case.variant, needed_bytes + kept_bytes):
                point = point_text(case.point.values)
                yield Mistake(("experiments", item.name), f"{point}: {reason}" if point else reason)
            kept_bytes += needed_bytes if item.name in continued else 0
    for fault in faults:
        streams = stored_bytes(load, base.solution.clients, fault.planned.longest_s)
        if reason := _no_room(base, sum(streams.values())):
            yield Mistake(("faults", fault.name), f"the streams of background_load: {reason}")


def capacity_bytes(study: Study, solution: Solution) -> float | None:
    """The maximum content of the file system in bytes; None where the study has no disk sizes."""
    if (
        not isinstance(solution, KnowsDataDisks)
        or len(client_groups_of(solution, solution.clients)) > 1
    ):
        return None
    if isinstance(solution, RawVolumes) and solution.raw_directory() is not None:
        return None
    total_bytes = 0.0
    for name, disks in solution.data_disks.items():
        node_disks = study.node(name).disks
        if node_disks is None or node_disks.size is None:
            return None
        total_bytes += disks * node_disks.size
    return total_bytes


def _no_room(variant: Variant, needed_bytes: int) -> str | None:
    room_bytes = capacity_bytes(variant.study, variant.solution)
    if room_bytes is None or needed_bytes <= room_bytes:
        return None
    return (
        f"up to {written_size(needed_bytes)} are stored at a time, but the disks hold at most "
        f"{written_size(room_bytes)}; take a smaller file, fewer clients or larger disks"
    )
