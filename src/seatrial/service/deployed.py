"""The deployed state, and the changes between the points of an experiment.

Only differences are deployed. When the layout of the data changes (another file system, another
array), the storage is undeployed and recreated. When the lab's cables change, the lab moves them.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from seatrial.basics.errors import InputError
from seatrial.cases import Case, Variant
from seatrial.labs.base import BondControl, CablingControl, LinkRateControl
from seatrial.plan.site import Site
from seatrial.service.deploy import Outcome
from seatrial.service.session import Observer, Session
from seatrial.solutions.base import RemadeAlone, Wipe
from seatrial.solutions.look import deployment
from seatrial.study.nodes import Paths
from seatrial.study.study import Study


class Deployed:
    """The current state of the nodes, which starts as the study's own values.

    During a change and after a failure the state is unknown. The next change then moves all cables,
    applies the whole plan, and recreates the storage unless it is provably the requested one.
    """

    def __init__(self, base: Session, observer: Observer, wipe: Wipe) -> None:
        self._base = base
        self._observer = observer
        self._wipe = wipe_of(base.site, wipe)
        self._changes: Mapping[str, Any] | None = {}
        self._current = base
        self._incomplete: Session | None = None
        """what a deployment failed to complete: parts of it may run"""
        self._wired: Study | None = base.study
        self._layout: Hashable | None = base.solution.layout

    def invalidate(self) -> None:
        """Mark the state as unknown after a failure; the next change checks it."""
        self._changes = None

    def change(self, variant: Variant, title: str) -> Session:
        """The session with exactly this variant of its study."""
        changes = variant.changes
        if changes == self._changes:
            return self._current
        requested = self._session_of(variant) if changes else self._base
        is_known = self._changes is not None
        self._changes = None
        moved = self._rewire(requested)
        if is_known and not moved and self._is_the_same(requested):
            self._observer.say(f"{title}: the same plan, on other links")
            self._changes = changes
            self._current = requested
            return requested
        incomplete = self._incomplete
        if incomplete and type(incomplete.solution) is not type(requested.solution):
            incomplete.deploy(incomplete.solution.removal({}))
        self._incomplete = requested
        outcome = self._deploy(requested)
        self._observer.say(f"{title}: {outcome.summary()}")
        self._changes = changes
        self._current = requested
        self._incomplete = None
        return requested

    def _session_of(self, variant: Variant) -> Session:
        return replace(
            self._base, study=variant.study, site=variant.site, solution=variant.solution
        )

    def _is_the_same(self, requested: Session) -> bool:
        """Whether every node gets the same script as before."""
        before = self._current.solution
        after = requested.solution
        if type(before) is not type(after) or self._layout != after.layout:
            return False
        return deployment(before, self._current.site, {}) == deployment(after, requested.site, {})

    def _rewire(self, requested: Session) -> bool:
        """Change the disks' cables, the links' rates and the bonds, which nodes cannot change.

        True when a disk was moved.
        """
        before = self._wired
        after = requested.study
        lab = requested.lab
        self._wired = None
        moved = False
        if isinstance(lab, CablingControl):
            for node, paths in recabled(before, after).items():
                lab.cable(node, paths)
                moved = True
        if isinstance(lab, LinkRateControl):
            for node, network, rate in relinked(before, after):
                lab.link_rate(node, network, rate)
        if isinstance(lab, BondControl):
            for node, network, members in rebonded(before, after):
                lab.bond(node, network, members)
        self._wired = after
        return moved

    def _deploy(self, requested: Session) -> Outcome:
        same_data = self._layout == requested.solution.layout
        if same_data and type(requested.solution) is type(self._current.solution):
            return requested.deploy(deployment(requested.solution, requested.site, {}))
        self._layout = None
        # Another protocol on the same data: the old service is undeployed, and the data stay.
        wipe: Wipe = {} if same_data else self._wipe
        before = self._current.solution
        if isinstance(before, RemadeAlone) and type(requested.solution) is type(before):
            self._current.deploy(before.clearing(wipe))
        else:
            self._current.deploy(before.removal(wipe))
        outcome = requested.deploy(deployment(requested.solution, requested.site, wipe))
        self._layout = requested.solution.layout
        return outcome


def wipe_of(site: Site, wipe: Wipe) -> Wipe:
    """The devices that may be erased to recreate the storage: a lab's disks, and `wipe`."""
    made = {
        name: frozenset(node.devices)
        for name, node in site.nodes.items()
        if node.devices_hold_zeros
    }
    return {**wipe, **{name: devices for name, devices in made.items() if devices}}


def recabled(before: Study | None, after: Study) -> dict[str, Paths]:
    """Node -> its storage paths in `after`, where they differ; all nodes without `before`."""
    changed = {}
    for name in after.node_names():
        old = before.node(name).disks if before else None
        new = after.node(name).disks
        if new is not None and new.paths is not None and (old is None or old.paths != new.paths):
            changed[name] = new.paths
    return changed


def relinked(before: Study | None, after: Study) -> list[tuple[str, str, float | None]]:
    """(node, network, bytes/s) of links with a new rate in `after`; all without `before`."""

    def rate_of(study: Study, name: str, network: str) -> float | None:
        return study.node(name).links.get(network, study.node(name).link)

    return [
        (name, network, rate_of(after, name, network))
        for name in after.node_names()
        for network in after.networks_of(name)
        if before is None or rate_of(before, name, network) != rate_of(after, name, network)
    ]


def rebonded(before: Study | None, after: Study) -> list[tuple[str, str, int]]:
    """(node, network, links) of bonds with another number of links in `after`; all without
    `before`.
    """
    changed = []
    for name in after.node_names():
        for network, bond in after.node(name).bonds.items():
            old = before.node(name).bonds.get(network) if before else None
            if old is None or old.members != bond.members:
                changed.append((name, network, bond.members))
    return changed


def check_remaking(base: Variant, cases: Iterable[Case], wipe: Wipe) -> None:
    """InputError when a point recreates the storage on devices that the user has not named."""
    allowed = wipe_of(base.site, wipe)
    for name, devices in remade(base, cases):
        missing = {
            device for node, device in devices if device not in allowed.get(node, frozenset())
        }
        if missing:
            raise InputError(
                f"{name} recreates the storage, which erases {', '.join(sorted(missing))}",
                "name every device with --wipe NODE:DEVICE, or leave the experiment out with"
                " --only",
            )


def remade(base: Variant, cases: Iterable[Case]) -> Iterator[tuple[str, set[tuple[str, str]]]]:
    """Each experiment that recreates the storage, and the devices (node, name) that this erases."""
    for case in cases:
        if case.point.solution and case.layout != base.solution.layout:
            nodes = (*case.solution.servers, *case.solution.storage_nodes)
            yield (
                case.name,
                {(node, device) for node in nodes for device in base.site.nodes[node].devices},
            )
