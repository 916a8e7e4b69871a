"""How fast each client or server of a result was, compared with the others.

An observation is the share of a member's rate of the median of the others, in one repeat of one
phase. Seconds of one client depend on each other, so that they are no observations. With fewer than
three repeats, the means over blocks of at least 10 s take their place. A difference from repeat to
repeat is then unknown.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from seatrial.analysis.statistics import Estimate, Sample, contrast
from seatrial.result.phases import ClientResult, PhaseResult
from seatrial.study.workload import moves_data

MEMBERS_LEAST = 3
"""of two members it is unknown which one is the exception"""
OBSERVATIONS_LEAST = 3
BLOCK_S = 10.0
BLOCKS_MAX = 10

Rates = Mapping[str, float]
"""by member: bytes or operations per second"""


class MemberKind(StrEnum):
    """The members that are compared."""

    CLIENTS = "clients"
    SERVERS = "servers"


@dataclass(frozen=True)
class Observations:
    """The shares of all members, as logarithms."""

    logs: Mapping[str, Sample]
    """by member: one value per observation"""
    repeats: int
    """the number of phases that they come from"""
    uses_blocks: bool
    """the observations are blocks of seconds, not repeats"""

    @property
    def variance(self) -> float:
        """Of one observation, pooled over all members."""
        squares = [item.variance * (len(item.values) - 1) for item in self.logs.values()]
        return math.fsum(squares) / self.freedom if self.freedom else 0.0

    @property
    def freedom(self) -> int:
        """Degrees of freedom of the pooled variance."""
        return sum(len(item.values) - 1 for item in self.logs.values())

    def estimate(self, member: str) -> Estimate:
        """The logarithm of a member's share, with the pooled variance."""
        sample = self.logs[member]
        error = math.sqrt(self.variance / len(sample.values))
        return Estimate(sample.mean, error, float(self.freedom))

    def own_estimate(self, member: str) -> Estimate | None:
        """The same with the variance of that member alone."""
        return contrast([(1.0, self.logs[member])])


def observe(phases: Sequence[PhaseResult], kind: MemberKind) -> Observations | None:
    """The observations on some phases; None where too few have three members or more."""
    by_repeat = [_rates(phase, kind) for phase in phases]
    usable = [rates for groups in by_repeat for rates in groups if len(rates) >= MEMBERS_LEAST]
    if len(usable) >= OBSERVATIONS_LEAST:
        return _observations(usable, len(usable), uses_blocks=False)
    blocks = [
        rates
        for phase in phases
        for rates in _block_rates(phase, kind)
        if len(rates) >= MEMBERS_LEAST
    ]
    if len(blocks) < OBSERVATIONS_LEAST:
        return None
    return _observations(blocks, len(usable), uses_blocks=True)


def _observations(
    observed: Sequence[Rates], repeats: int, *, uses_blocks: bool
) -> Observations | None:
    logs: dict[str, list[float]] = defaultdict(list)
    for rates in observed:
        for member, rate in rates.items():
            others = median(other for name, other in rates.items() if name != member)
            if rate > 0 and others > 0:
                logs[member].append(math.log(rate / others))
    repeated = {name: Sample(tuple(values)) for name, values in logs.items() if len(values) > 1}
    return Observations(repeated, repeats, uses_blocks) if repeated else None


def _rates(phase: PhaseResult, kind: MemberKind) -> list[Rates]:
    """The rates of members with the same work: those of each kind of client, or of all servers."""
    if kind is MemberKind.SERVERS:
        return [_server_rates(phase, phase.started_unix_s, math.inf)]
    groups: dict[str, dict[str, float]] = defaultdict(dict)
    for client in phase.clients:
        groups[client.kind][client.client] = _rate_of(client, phase)
    return list(groups.values())


def _rate_of(client: ClientResult, phase: PhaseResult) -> float:
    return client.rate_bytes_per_s if moves_data(phase.phase) else client.operations_per_s


def _block_rates(phase: PhaseResult, kind: MemberKind) -> Iterator[Rates]:
    """The rates in each block of the time in which every client was at work."""
    ends_s = [client.start_late_s + client.elapsed_s for client in phase.clients]
    length_s = min(ends_s, default=0.0)
    count = min(int(length_s / BLOCK_S), BLOCKS_MAX)
    for number in range(count):
        start_s = phase.started_unix_s + number * length_s / count
        end_s = start_s + length_s / count
        if kind is MemberKind.SERVERS:
            yield _server_rates(phase, start_s, end_s)
            continue
        groups: dict[str, dict[str, float]] = defaultdict(dict)
        for client in phase.clients:
            groups[client.kind][client.client] = _work_between(client, phase, start_s, end_s)
        yield from groups.values()


def _work_between(client: ClientResult, phase: PhaseResult, start_s: float, end_s: float) -> float:
    """The bytes or operations of the seconds that ended between two times."""
    counts_bytes = moves_data(phase.phase)
    return float(
        sum(
            second.size_bytes if counts_bytes else second.operations
            for second in client.seconds
            if start_s < second.ended_unix_s <= end_s
        )
    )


def _server_rates(phase: PhaseResult, start_s: float, end_s: float) -> Rates:
    """The bytes that the network of each server carried between two times."""
    return {
        name: math.fsum(
            line.get("network_received_bytes", 0) + line.get("network_sent_bytes", 0)
            for line in lines
            if start_s < line["unix_s"] <= end_s
        )
        for name, lines in phase.servers.items()
    }
