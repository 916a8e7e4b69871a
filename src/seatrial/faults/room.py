"""The peak storage use of a run, which must fit on the storage."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from seatrial.basics.units import written_size
from seatrial.basics.yamlfile import Location
from seatrial.faults.base import Planned, planned_fault
from seatrial.load.phases import groups_of
from seatrial.service.variants import vary
from seatrial.solutions.base import KnowsDataDisks, RawVolumes, Solution, client_groups_of
from seatrial.study.experiment import Experiment
from seatrial.study.faults import Stream
from seatrial.study.points import points
from seatrial.study.profiles import Profile
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


def most_written(
    solution: Solution, experiments: Mapping[str, Experiment], load: Mapping[str, Stream], broken: Sequence[Planned]
) -> tuple[int, str]:
    """(bytes of the point or fault with the highest use at a time, its name); (0, "") without
    writes.
    """
    return max(written(solution, experiments, load, broken), default=(0, ""))


def written(
    solution: Solution, experiments: Mapping[str, Experiment], load: Mapping[str, Stream], broken: Sequence[Planned]
) -> list[tuple[int, str]]:
    """(bytes at a time, name) of each point and fault."""
    sizes = [
        (sum(each.stored_bytes(len(group)) for each, group in groups), f"{name} {point.name}")
        for name, item in experiments.items()
        for point in points(item, len(solution.clients))
        for groups in [groups_of(solution, point, solution.clients[: point.clients])]
    ]
    return sizes + [(sum(stored_bytes(load, solution.clients, item.longest_s).values()), item.name) for item in broken]


@dataclass(frozen=True)
class Volume:
    """What all repeats of some experiments write, before they remove it."""

    size_bytes: int
    files: int
    limit_s: float | None
    """seconds after which all phases that move data have ended; None when a phase has no limit"""


def volume_of(solution: Solution, experiments: Mapping[str, Experiment]) -> Volume:
    """The volume of experiments; phases that repeat until a time limit count one pass."""
    size_bytes, files = 0, 0
    limits_s: list[float | None] = []
    for item in experiments.values():
        for point in points(item, len(solution.clients)):
            load = point.workload
            if item.continues is None:  # the other experiment has written the files
                size_bytes += item.repeats * load.stored_bytes(point.clients)
                files += item.repeats * files_of(load, point.clients)
            data_phases = len([phase for phase in load.phases if moves_data(phase)])
            if data_phases:
                limits_s.append(load.time_limit and item.repeats * data_phases * load.time_limit)
    known_s = [limit_s for limit_s in limits_s if limit_s is not None]
    is_limited = bool(limits_s) and len(known_s) == len(limits_s)
    return Volume(size_bytes, files, sum(known_s) if is_limited else None)


def files_of(load: Workload, clients: int) -> int:
    """The number of files that a workload has on the storage with this number of clients."""
    if load.sizes:
        return sum(item.files + load.discard for item in load.sizes) * load.tasks * clients
    if load.metadata_phases:
        return load.items * load.tasks * clients
    return 1 if load.layout.startswith("n-1") else load.tasks * clients


def too_large(study: Study, profile: Profile) -> Iterator[tuple[Location, str]]:
    """Each point and fault of a profile that has more on the storage at a time than its disks can
    hold, and why.
    """
    there = study.in_profile(profile)
    experiments = there.experiments_in(profile)
    continued = {item.continues for item in experiments.values()}
    kept_bytes = 0
    for name, experiment in experiments.items():
        if experiment.continues is not None:
            continue
        for point in points(experiment, len(vary(there, experiment.overrides).solution.clients)):
            varied = vary(there, {**point.solution, **point.site})
            clients = varied.solution.clients[: point.clients]
            needed_bytes = sum(
                load.stored_bytes(len(group)) for load, group in groups_of(varied.solution, point, clients)
            )
            if reason := _no_room(varied.study, varied.solution, needed_bytes + kept_bytes):
                yield ("experiments", name), f"{point.name}: {reason}"
            kept_bytes += needed_bytes if name in continued else 0
    solution = vary(there).solution
    for name, fault in there.faults_in(profile).items():
        longest_s = planned_fault(there, name, fault).longest_s
        streams = stored_bytes(there.background_load_in(profile), solution.clients, longest_s)
        if reason := _no_room(there, solution, sum(streams.values())):
            yield ("faults", name), f"the streams of background_load: {reason}"


def capacity_bytes(study: Study, solution: Solution) -> float | None:
    """The maximum content of the file system in bytes; None where the study has no disk sizes."""
    if not isinstance(solution, KnowsDataDisks) or len(client_groups_of(solution, solution.clients)) > 1:
        return None
    if isinstance(solution, RawVolumes) and solution.raw_directory() is not None:
        return None
    total_bytes = 0.0
    for name, disks in solution.data_disks.items():
        there = study.node(name).disks
        if there is None or there.size is None:
            return None
        total_bytes += disks * there.size
    return total_bytes


def _no_room(study: Study, solution: Solution, needed_bytes: int) -> str | None:
    room_bytes = capacity_bytes(study, solution)
    if room_bytes is None or needed_bytes <= room_bytes:
        return None
    return (
        f"up to {written_size(needed_bytes)} are stored at a time, but the disks hold at most "
        f"{written_size(room_bytes)}; take a smaller file, fewer clients or larger disks"
    )
