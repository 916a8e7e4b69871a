"""The state under the load, before the fault: the cost of work, and the boots of the nodes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from seatrial.faults import cluster_status, expectations
from seatrial.faults.context import FaultContext
from seatrial.faults.stages.prepare import Decided
from seatrial.load import processes
from seatrial.result.fault_parts import Expectations
from seatrial.result.faults import HERE, WorkCosts
from seatrial.solutions.base import cluster_nodes_of


@dataclass(frozen=True)
class Work:
    """The cost of work under the load, and the allowed outage that follows from it."""

    costs: WorkCosts = field(default_factory=WorkCosts)
    limit: Expectations = field(default_factory=Expectations)
    """of the expectations: the longest allowed outage in s, and the terms of its sum"""


@dataclass(frozen=True)
class Boots:
    """The boots of the nodes that the fault may stop."""

    nodes: frozenset[str]
    ids: Mapping[str, str]
    """node -> its boot id; without the nodes that do not answer"""


def time_work(context: FaultContext) -> Work:
    """Measure the cost of a process and a handshake under the load, which quantify the
    machine's part of an outage.
    """
    session = context.session
    solution = session.solution
    transport = session.transport
    nodes = tuple(dict.fromkeys((*solution.servers, *cluster_nodes_of(solution))))
    starts_ms = processes.costs_ms(transport, nodes)
    here_ms = processes.here_ms()
    starts_ms |= {HERE: here_ms} if here_ms else {}
    costs = WorkCosts(starts_ms, processes.handshakes_ms(transport, nodes))
    return Work(costs, expectations.limit(session, context.planned.fault, costs.work_ms))


def boots(context: FaultContext, decided: Decided) -> Boots:
    """The boots of the servers, and of the nodes that the fault stops."""
    session = context.session
    nodes = frozenset({*session.solution.servers, *decided.actions.stop()})
    return Boots(nodes, cluster_status.boots(session, nodes))
