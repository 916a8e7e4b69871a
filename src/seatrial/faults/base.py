"""The actions of a fault, the protocol of a fault kind, and the list of kinds.

A kind is a module in `kinds/` with `Options` (the keys next to `kind:` in the study), `TITLE`,
`WORD`, `DURATION_S` and `actions(options, scene)`. A kind executes nothing: it returns actions,
which `seatrial.faults.injection` executes. A kind that needs an action of another sort defines a
subclass of `Action`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self, cast

from pydantic import Field

from seatrial.basics.errors import Refused, not_known
from seatrial.basics.plugins import Plugins
from seatrial.basics.schema import Model, validate
from seatrial.basics.text import Name
from seatrial.cases import Variant
from seatrial.faults.actions.base import Action, lost_by
from seatrial.faults.actions.commands import Shell, Wait
from seatrial.faults.actions.disks import Disk, Rebuild
from seatrial.faults.actions.links import Link, Mtu, Network
from seatrial.faults.actions.power import Bus, Emulator, Power, Revive
from seatrial.faults.actions.services import Extend, Switchover
from seatrial.faults.active import roles_asked_for
from seatrial.faults.aftermath import AFTERMATH_S, aftermath_s
from seatrial.judge.controls import judges_faults, names_of_judges
from seatrial.plan.site import Site
from seatrial.solutions.base import (
    Fences,
    Solution,
    grace_s,
    service_servers_of,
    services_of,
    timers_of,
)
from seatrial.study.faults import Fault
from seatrial.study.study import Study

__all__ = [
    "AROUND_FAULT_S",
    "Action",
    "Actions",
    "Bus",
    "Disk",
    "Emulator",
    "Extend",
    "FaultCase",
    "FaultKind",
    "Link",
    "Mtu",
    "Network",
    "NotHere",
    "OnNode",
    "Planned",
    "Power",
    "Rebuild",
    "Revive",
    "Roles",
    "Scene",
    "Shell",
    "Switchover",
    "Wait",
    "combination_words",
    "fault_case",
    "fault_kind",
    "fault_kinds",
    "load_fault",
    "needs_root",
]


class NotHere(Exception):  # noqa: N818 - not an error: a reason to skip the fault
    """The fault cannot be injected into this solution or this lab; the message gives the reason."""


@dataclass(frozen=True)
class Actions:
    """The actions that inject a fault and those that repair it, in order.

    Every repair action is safe to run whatever part of `inject` was done.
    """

    inject: tuple[Action, ...]
    repair: tuple[Action, ...] = ()
    after: tuple[Action, ...] = ()
    """actions to wait for after the repair; skipped when the run is ended before"""
    fenced: frozenset[str] = frozenset()
    """clients that the cluster powers off and on meanwhile; their processes are lost"""

    @property
    def everything(self) -> tuple[Action, ...]:
        """All actions."""
        return (*self.inject, *self.repair, *self.after)

    @property
    def waits_s(self) -> float:
        """The maximum time of the actions in s in addition to `duration`, as far as it is known."""
        return sum(item.waits_s for item in self.everything)

    def nodes_losing_memory(self) -> frozenset[str]:
        """The nodes that lose their memory: power cut, crashed, or fenced."""
        return self.fenced | lost_by(self.inject)

    def overwritten(self) -> frozenset[tuple[str, str]]:
        """Every (node, device) that loses its content."""
        actions = (*self.inject, *self.repair)
        return frozenset(item for action in actions for item in action.overwritten)

    def stop(self) -> frozenset[str]:
        """The nodes that do not run while the fault lasts."""
        return self.nodes_losing_memory() | frozenset(
            node for action in self.inject for node in action.stopped_nodes
        )


@dataclass(frozen=True)
class Roles:
    """The roles of the servers at one moment."""

    servers: tuple[str, ...]
    """servers that can run a service"""
    active: Mapping[str, str]
    """service -> the server that runs it; without high availability one unnamed service"""

    @classmethod
    def before(cls, solution: Solution) -> Self:
        """The initial roles: every service on the first server, where servers are known."""
        servers = service_servers_of(solution)
        return cls(servers, dict.fromkeys(services_of(solution), servers[0]) if servers else {})

    def server_of(self, service: str | None = None) -> str:
        """The server that runs a service, by default the first service."""
        name = next(iter(self.active), "") if service is None else service
        if not self.servers:
            raise NotHere("no server of this storage is known; name a client")
        if name not in self.active:
            raise NotHere(f"{name or 'the service'} runs nowhere")
        return self.active[name]

    def peer_of(self, service: str | None = None) -> str:
        """The server that would take a service over."""
        others = [name for name in self.servers if name != self.server_of(service)]
        if not others:
            raise NotHere("there is no other server")
        return others[0]


@dataclass(frozen=True)
class Scene:
    """The inputs that a kind of fault may use."""

    study: Study
    site: Site
    solution: Solution
    roles: Roles

    def fences(self, node: str) -> bool:
        """Whether the node's cluster powers it off and on when it stops responding."""
        return isinstance(self.solution, Fences) and node in self.solution.fenced_nodes

    def lost_by_fencing(self, node: str) -> frozenset[str]:
        """The node, where it is a client that its cluster fences."""
        return (
            frozenset({node})
            if self.fences(node) and node in self.solution.clients
            else frozenset()
        )

    def node(self, reference: str, service: str | None = None) -> str:
        """Resolve a node by name or current role; raises Refused when no node matches."""
        if reference == "active":
            return self.roles.server_of(service)
        if reference == "passive":
            return self.roles.peer_of(service)
        if reference not in self.site.nodes:
            raise Refused(f"no node is called {reference!r}; write a name, active or passive")
        return reference

    def network(self, name: str | None) -> str:
        """A network of the study; by default the only one. Raises Refused for an unknown name."""
        networks = tuple(self.study.networks)
        if name is None and len(networks) == 1:
            return networks[0]
        if name not in networks:
            raise Refused(f"{name!r} is not a network of this study; one of {', '.join(networks)}")
        return name

    def link(self, node: str, network: str | None) -> tuple[str, str]:
        """(node, network) of an existing cable; raises Refused when there is none."""
        name = self.network(network)
        attached = self.study.node(node).networks
        if attached is not None and name not in attached:
            raise Refused(f"{node} is not on the network {name}; it is on {', '.join(attached)}")
        return node, name


class OnNode(Model):
    """The target node, which most kinds need."""

    node: Name = Field("active", description="A node, or its role: `active` or `passive`.")
    service: Name | None = Field(None, description="Service of the role. By default the first.")

    def where(self, scene: Scene) -> str:
        """The node's name."""
        return scene.node(self.node, self.service)


class FaultKind(Protocol):
    """The module of a kind of fault."""

    Options: type[Model]
    TITLE: str
    WORD: str
    """short name for tables: `panic`"""
    DURATION_S: float
    """duration in s where the study does not set it"""
    # NEEDS_ROOT, bool, may be left out; see `needs_root`.
    # COMBINATION, str: what a kind with other faults as its parts calls itself.

    def actions(self, options: Any, scene: Scene) -> Actions:
        """The actions; raises NotHere when impossible here, Refused when an option is wrong."""


_KINDS = Plugins(
    "seatrial.faults.kinds",
    "seatrial.faults",
    ("Options", "TITLE", "WORD", "DURATION_S", "actions"),
)


def fault_kinds() -> list[str]:
    """The existing kinds, as written in a study (`power-cut` is the module power_cut)."""
    return _KINDS.names()


def fault_kind(name: str) -> FaultKind:
    """The module of a kind; raises Refused when there is none."""
    if name not in fault_kinds():
        raise Refused(not_known(name, fault_kinds()))
    return cast(FaultKind, _KINDS.load(name))


def needs_root(kind: FaultKind) -> bool:
    """Whether only root on the nodes can inject faults of a kind: all, except those of a kind with
    `NEEDS_ROOT = False`.
    """
    return bool(getattr(kind, "NEEDS_ROOT", True))


def combination_words(name: str) -> str:
    """What a kind with other faults as its parts calls itself (`COMBINATION`); empty for one
    without parts, and for an unknown kind.
    """
    if name not in fault_kinds():
        return ""
    return str(getattr(fault_kind(name), "COMBINATION", ""))


AROUND_FAULT_S = 87.0
"""maximum time in s around a fault (baseline, commands, recovery) while the streams run"""


@dataclass(frozen=True)
class Planned:
    """A fault of a study with its kind's own options."""

    name: str
    fault: Fault
    kind: FaultKind
    options: Model
    waits_s: float = 0.0
    """maximum time of its actions in s in addition to `duration`"""
    grace_s: float = 0.0
    """maximum wait in s of a first request after a server restart, beyond the allowed recovery"""
    aftermath_s: float = AFTERMATH_S
    """maximum observation time in s once the system is healthy"""
    overwritten: frozenset[tuple[str, str]] = frozenset()
    """every (node, device) that loses its content"""
    roles: Mapping[str, str] = field(default_factory=dict)
    """service -> the server that must run it before the fault is injected"""

    @property
    def duration_s(self) -> float:
        """Its duration in s."""
        return self.fault.duration if self.fault.duration is not None else self.kind.DURATION_S

    @property
    def longest_s(self) -> float:
        """The maximum time of the streams in s, which exceeds that of a failed recovery."""
        recovery_s = self.fault.recovery_timeout + self.grace_s + self.aftermath_s
        return self.fault.observe + self.duration_s + self.waits_s + recovery_s + AROUND_FAULT_S

    @property
    def title(self) -> str:
        """A readable title."""
        return self.fault.title or self.kind.TITLE

    def actions(self, scene: Scene) -> Actions:
        """The actions at this moment."""
        return self.kind.actions(self.options, scene)


def load_fault(study: Study, site: Site, solution: Solution, name: str, fault: Fault) -> Planned:
    """A fault with validated options; raises InputError when they are wrong."""
    try:
        kind = fault_kind(fault.kind)
    except Refused as error:
        raise study.mistake(("faults", name, "kind"), str(error)) from None
    options = validate(kind.Options, fault.options(), study.source, study.written(("faults", name)))
    planned = Planned(
        name, fault, kind, options, roles=roles_asked_for(study, solution, name, fault)
    )
    for check in fault.expect.detected_by:
        if not judges_faults(check):
            reason = not_known(check, names_of_judges())
            raise study.mistake(("faults", name, "expect", "detected_by"), reason)
    timers = timers_of(solution)
    if fault.expect.outage and (unknown := fault.expect.outage.unknown(timers)):
        timer_names = ", ".join(timers) or "it has none"
        reason = f"{unknown[0]!r} is not a timer of {study.solution.kind}; {timer_names}"
        raise study.mistake(("faults", name, "expect", "outage"), reason)
    try:
        actions = planned.actions(Scene(study, site, solution, Roles.before(solution)))
        return replace(
            planned,
            waits_s=actions.waits_s,
            grace_s=grace_s(solution),
            aftermath_s=max(aftermath_s(solution, taken_over=True), fault.observe),
            overwritten=actions.overwritten(),
        )
    except NotHere:
        pass  # Such a fault is skipped when its turn comes, with this reason.
    except Refused as error:
        raise study.mistake(("faults", name), str(error)) from None
    return planned


@dataclass(frozen=True)
class FaultCase:
    """A planned fault, with the system into which it is injected."""

    planned: Planned
    variant: Variant

    @property
    def name(self) -> str:
        """Its name; of a repetition, its own one."""
        return self.planned.name

    @property
    def fault(self) -> Fault:
        """As the study writes it."""
        return self.planned.fault

    def initial_actions(self) -> Actions:
        """The actions with the roles that the study states; NotHere for a fault that is skipped."""
        variant = self.variant
        roles = Roles.before(variant.solution)
        scene = Scene(variant.study, variant.site, variant.solution, roles)
        return self.planned.actions(scene)


def fault_case(variant: Variant, name: str, fault: Fault) -> FaultCase:
    """The fault in the variant with its overrides; InputError when its options are wrong."""
    planned = load_fault(variant.study, variant.site, variant.solution, name, fault)
    return FaultCase(planned, variant)
