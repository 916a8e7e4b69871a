"""The actions of a fault as plain data, the protocol of a fault kind, and the list of kinds.

A kind is a module in `kinds/` with `Options` (the keys next to `kind:` in the study), `TITLE`,
`WORD`, `DURATION_S` and `actions(options, scene)`. A kind executes nothing: that is the task of
`seatrial.faults.injection`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, Self, cast

from pydantic import Field

from seatrial.basics.errors import Refused, not_known
from seatrial.basics.plugins import Plugins
from seatrial.basics.schema import Model, validate
from seatrial.basics.text import Name
from seatrial.faults.active import roles_asked_for
from seatrial.faults.aftermath import AFTERMATH_S, aftermath_s
from seatrial.faults.probe import Probe
from seatrial.faults.site_actions import SiteAction, SiteCheck, SiteCommand
from seatrial.plan.site import Site
from seatrial.service.variants import vary
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


class NotHere(Exception):  # noqa: N818 - not an error: a reason to skip the fault
    """The fault cannot be injected into this solution or this lab; the message gives the reason."""


@dataclass(frozen=True)
class Power:
    """A node's power: cut, restored, or its kernel frozen for a while."""

    node: str
    state: Literal["off", "on", "frozen", "thawed"]


@dataclass(frozen=True)
class Revive:
    """A node that may hang: power off and on, unless it answers within `patience_s`."""

    node: str
    patience_s: float = 5.0


@dataclass(frozen=True)
class Link:
    """A node's cable to a network."""

    node: str
    network: str
    up: bool


@dataclass(frozen=True)
class Network:
    """A whole network: its switch loses power, or gets it back."""

    name: str
    up: bool


@dataclass(frozen=True)
class Emulator:
    """An emulated device next to the nodes: the mode of its answers from now on."""

    name: str
    mode: str
    delay_s: float = 0.0


@dataclass(frozen=True)
class Bus:
    """A power bus: the supplies connected to its PDU have current, or have not."""

    pdu: str
    live: bool


@dataclass(frozen=True)
class Shell:
    """A command on a node; `expect_answer` is false where the node cannot answer after it."""

    node: str
    command: str
    expect_answer: bool = True
    overwrites: tuple[str, ...] = ()
    """devices of the node, as named in the study, that lose their content"""
    probe: Probe | None = None
    """a check of the command's effect, where its own answer does not show it"""


@dataclass(frozen=True)
class Switchover:
    """A planned move of a service."""

    service: str
    to: str


@dataclass(frozen=True)
class Extend:
    """The storage is extended while it is in use: by a `member` or a `journal`."""

    what: str

    def text(self) -> str:
        """A readable description."""
        return f"a {self.what} is added"


@dataclass(frozen=True)
class Wait:
    """A pause between two actions."""

    duration_s: float

    def text(self) -> str:
        """A readable description."""
        return f"wait for {self.duration_s:g} s"


@dataclass(frozen=True)
class Mtu:
    """The switch port of a node's cable: it drops larger packets; None: the MTU of the study."""

    node: str
    network: str
    mtu: int | None

    def text(self) -> str:
        """A readable description."""
        return f"MTU of the port of {self.node} on {self.network}: {self.mtu or 'as before'}"


@dataclass(frozen=True)
class Disk:
    """A disk of a node, numbered from 1, and its new limits; without limits, its original rate."""

    node: str
    number: int
    rate_bytes_per_s: float | None = None
    requests_per_s: float | None = None

    def text(self) -> str:
        """A readable description."""
        limits = [f"{self.rate_bytes_per_s / 1e6:.3g} MB/s"] if self.rate_bytes_per_s is not None else []
        limits += [f"{self.requests_per_s:g} requests/s"] if self.requests_per_s is not None else []
        return f"disk {self.number} of {self.node}: {' and '.join(limits) or 'as fast as before'}"


@dataclass(frozen=True)
class Rebuild:
    """Wait until an array is completely rebuilt."""

    node: str
    array: str
    begun_by: Shell
    """the rebuild begins after this command"""
    is_over: str
    """a command on the node that exits with 0 when the rebuild has ended"""
    limit_s: float

    def text(self) -> str:
        """A readable description."""
        return f"rebuild of {self.array} on {self.node}"


LabAction = Power | Revive | Link | Network | Emulator | Bus | Mtu | Disk
Action = LabAction | Shell | Switchover | Extend | Wait | Rebuild | SiteAction


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
    def waits_s(self) -> float:
        """The maximum time of the actions in s in addition to `duration`, as far as it is known."""
        everything = (*self.inject, *self.repair, *self.after)
        pauses = (item.duration_s for item in everything if isinstance(item, Wait))
        limited = (item.limit_s for item in everything if isinstance(item, Rebuild | SiteAction))
        return sum(pauses) + sum(limited)

    def lose(self) -> frozenset[str]:
        """The nodes that lose their memory: power cut, crashed, or fenced."""
        return self.fenced | frozenset(
            action.node
            for action in self.inject
            if (isinstance(action, Power) and action.state == "off")
            or (isinstance(action, Shell) and not action.expect_answer)
        )

    def overwritten(self) -> frozenset[tuple[str, str]]:
        """Every (node, device) that loses its content."""
        shells = [action for action in (*self.inject, *self.repair) if isinstance(action, Shell)]
        return frozenset((action.node, device) for action in shells for device in action.overwrites)

    def stop(self) -> frozenset[str]:
        """The nodes that do not run while the fault lasts."""
        frozen = (item.node for item in self.inject if isinstance(item, Power) and item.state == "frozen")
        return self.lose() | frozenset(frozen)


def action_text(action: Action) -> str:
    """An action as text: `power of nas1: off`."""
    match action:
        case Power(node, state):
            return f"power of {node}: {state}"
        case Revive(node):
            return f"restart of {node}, unless it answers"
        case Link(node, network, up):
            return f"link of {node} to {network}: {'repaired' if up else 'cut'}"
        case Network(name, up):
            return f"network {name}: {'up' if up else 'down'}"
        case Emulator(name, mode, delay_s):
            return f"{name}: {mode}" + (f", {delay_s:g} s" if delay_s else "")
        case Bus(pdu, live):
            return f"power bus of {pdu}: {'live' if live else 'dead'}"
        case Shell(node, command):
            return f"on {node}: {command}"
        case Switchover(service, to):
            return f"{service or 'the service'} is moved to {to}"
        case Extend() | Wait() | Mtu() | Disk() | Rebuild() | SiteCommand() | SiteCheck():
            return action.text()


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
        return frozenset({node}) if self.fences(node) and node in self.solution.clients else frozenset()

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
        known = tuple(self.study.networks)
        if name is None and len(known) == 1:
            return known[0]
        if name not in known:
            raise Refused(f"{name!r} is not a network of this study; one of {', '.join(known)}")
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

    def actions(self, options: Any, scene: Scene) -> Actions:
        """The actions; raises NotHere when impossible here, Refused when an option is wrong."""


_KINDS = Plugins("seatrial.faults.kinds", "seatrial.faults", ("Options", "TITLE", "WORD", "DURATION_S", "actions"))


def fault_kinds() -> list[str]:
    """The existing kinds, as written in a study (`power-cut` is the module power_cut)."""
    return _KINDS.names()


def fault_kind(name: str) -> FaultKind:
    """The module of a kind; raises Refused when there is none."""
    if name not in fault_kinds():
        raise Refused(not_known(name, fault_kinds()))
    return cast(FaultKind, _KINDS.load(name))


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
    planned = Planned(name, fault, kind, options, roles=roles_asked_for(study, solution, name, fault))
    timers = timers_of(solution)
    if fault.expect.outage and (unknown := fault.expect.outage.unknown(timers)):
        known = ", ".join(timers) or "it has none"
        reason = f"{unknown[0]!r} is not a timer of {study.solution.kind}; {known}"
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


def planned_fault(study: Study, name: str, fault: Fault) -> Planned:
    """The planned fault before any node exists, with the settings of the fault."""
    varied = vary(study, fault.overrides)
    return load_fault(varied.study, varied.site, varied.solution, name, fault)
