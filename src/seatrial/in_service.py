"""What is in service now, and the way from there to what a point of an experiment asks for.

Only what differs is changed. Where the place of the data depends on it (another file system, another array), the
storage is taken out of service and made anew; where it is the lab's cables, the lab moves them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from seatrial.errors import InputError
from seatrial.labs.base import CablingControl, lab_kind
from seatrial.session import Observer, Session
from seatrial.site import Site
from seatrial.solutions.base import Wipe, load_solution
from seatrial.study import Study
from seatrial.workloads import Point


class InService:
    """The state that the nodes are in; starts as the study's own values."""

    def __init__(self, base: Session, observer: Observer, wipe: Wipe) -> None:
        self._base = base
        self._observer = observer
        self._wipe = wipe_of(base.site, wipe)
        self._changes: Mapping[str, Any] = {}
        self._current = base

    def reach(self, point: Point, title: str) -> Session:
        """The session in the state that a point asks for; also back to the study's own values."""
        return self.change({**point.solution, **point.site}, title)

    def change(self, changes: Mapping[str, Any], title: str) -> Session:
        """The session with the study's values changed like this and no other."""
        if changes == self._changes:
            return self._current
        study = self._base.study.with_values(changes) if changes else self._base.study
        site = lab_kind(study).site(study) if changes else self._base.site
        wanted = replace(self._base, study=study, site=site, solution=load_solution(study, site))
        for node, paths in recabled(self._current.study, study).items():
            if isinstance(wanted.lab, CablingControl):
                wanted.lab.cable(node, paths)
        if wanted.solution.layout != self._current.solution.layout:
            self._current.deploy(self._current.solution.removal(self._wipe))
            outcome = wanted.deploy(wanted.solution.plan(self._wipe))
        else:
            outcome = wanted.deploy(wanted.solution.plan({}))
        self._observer.say(f"{title}: {outcome.summary()}")
        self._changes, self._current = changes, wanted
        return wanted


def wipe_of(site: Site, wipe: Wipe) -> Wipe:
    """What may be erased to make the storage anew: a lab's own disks, and what the user named."""
    made = {name: frozenset(node.devices) for name, node in site.nodes.items() if node.devices_hold_zeros}
    return {**wipe, **{name: devices for name, devices in made.items() if devices}}


def recabled(before: Study, after: Study) -> dict[str, Any]:
    """The nodes whose disks hang on other paths in the second study, with those paths."""
    found = {}
    for name in after.node_names():
        old, new = before.node(name).disks, after.node(name).disks
        if old is not None and new is not None and old.paths != new.paths:
            found[name] = new.paths
    return found


def check_remaking(study: Study, site: Site, wanted: Iterable[tuple[str, Point]], wipe: Wipe) -> None:
    """InputError when a point needs the storage made anew, and the user has not named the devices that this erases."""
    base = load_solution(study, site)
    allowed = wipe_of(site, wipe)
    for name, point in wanted:
        if not point.solution:
            continue
        varied = load_solution(study.with_values(point.solution), site)
        missing = {
            device
            for server in varied.servers
            for device in site.nodes[server].devices
            if device not in allowed.get(server, frozenset())
        }
        if varied.layout != base.layout and missing:
            raise InputError(
                f"{name} makes the storage anew, which erases {', '.join(sorted(missing))}",
                "name every device with --wipe NODE:DEVICE, or leave the experiment out with --only",
            )
