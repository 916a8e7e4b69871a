"""How much a run has on the storage at the same time, which must have room for it."""

from collections.abc import Mapping, Sequence

from seatrial.faults.base import Planned
from seatrial.faults.streams import stored_bytes
from seatrial.load.phases import groups_of
from seatrial.solutions.base import Solution
from seatrial.study.experiment import Experiment
from seatrial.study.faults import Stream
from seatrial.study.points import points


def most_written(
    solution: Solution, experiments: Mapping[str, Experiment], load: Mapping[str, Stream], broken: Sequence[Planned]
) -> tuple[int, str]:
    """(bytes of the point or fault that has most there at a time, its name); (0, "") where nothing is written."""
    return max(written(solution, experiments, load, broken), default=(0, ""))


def written(
    solution: Solution, experiments: Mapping[str, Experiment], load: Mapping[str, Stream], broken: Sequence[Planned]
) -> list[tuple[int, str]]:
    """(what it has there at a time, its name) of each point and fault."""
    sizes = [
        (sum(each.stored_bytes(len(group)) for each, group in groups), f"{name} {point.name}")
        for name, item in experiments.items()
        for point in points(item, len(solution.clients))
        for groups in [groups_of(solution, point, solution.clients[: point.clients])]
    ]
    return sizes + [(sum(stored_bytes(load, solution.clients, item.longest_s).values()), item.name) for item in broken]
