"""A session: a solution at a site, and the lab around it."""

import contextlib
import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from seatrial.basics.command_log import doing
from seatrial.basics.errors import InputError, RunError
from seatrial.labs.base import Lab, Leavable, SharesMachines, lab_kind
from seatrial.labs.node_state import NodeState, NotAvailable, RunsAsUser
from seatrial.plan.plan import Plan
from seatrial.plan.site import Site
from seatrial.service.deploy import Mode, Outcome, apply_plan
from seatrial.service.holding import held
from seatrial.service.node_facts import SCRIPT, facts_in
from seatrial.solutions.base import MadeOfFiles, NeedsPackages, Solution, load_solution
from seatrial.study.points import points
from seatrial.study.study import Study
from seatrial.transport import Transport, on_every


class Observer(Protocol):
    """Receives the progress of a run; the terminal is one observer."""

    def say(self, text: str) -> None:
        """A message: a stage began, or a result is known."""

    def detail(self, text: str) -> None:
        """A script was started on a node, or a step of one has ended."""

    def expect(self, remaining_s: float) -> None:
        """The expected remaining time of the run in seconds."""

    def progress(self, title: str, share: float, rate: str) -> None:
        """About once per second in a phase: its completed share (0 to 1) and its rate as text."""


@dataclass
class Session:
    """A solution at a site, and the transport to its nodes."""

    study: Study
    site: Site
    solution: Solution
    lab: Lab
    transport: Transport
    outlives_run: bool = False
    """the nodes exist after the run: hosts, or a lab that was up before"""

    @property
    def node_state(self) -> NodeState | None:
        """The places of an ordinary user's files on the nodes; None where root uses its own."""
        return self.lab.node_state if isinstance(self.lab, RunsAsUser) else None

    @property
    def not_available(self) -> tuple[NotAvailable, ...]:
        """What needs root, on nodes that are used without it."""
        return self.lab.not_available if isinstance(self.lab, RunsAsUser) else ()

    def held(self) -> contextlib.AbstractContextManager[None]:
        """Lock the nodes while they are changed; a temporary lab's nodes need no lock."""
        if self.site.traits.is_temporary:
            return contextlib.nullcontext()
        nodes = self.study.node_names()
        if isinstance(self.lab, SharesMachines):
            nodes = self.lab.different_machines(nodes)
        return held(self.transport, nodes, self.study.id, self.node_state)

    def remove_node_state(self) -> None:
        """Remove an ordinary user's files from every node; RunError when one cannot."""
        if self.node_state is None:
            return
        folder = shlex.quote(self.node_state.folder)
        above = shlex.quote(str(PurePosixPath(self.node_state.folder).parent))
        command = f"rm -rf {folder}; rmdir {above} 2>/dev/null; [ ! -e {folder} ]"

        def remove(node: str) -> None:
            done = self.transport.run(node, command)
            if done.exit_code:
                raise RunError(f"{node}: {folder} could not be removed: {done.stderr.strip()}")

        on_every(self.study.node_names(), remove)

    def deploy(self, plan: Plan, observer: Observer | None = None, mode: Mode = "apply") -> Outcome:
        """Deploy a plan on this session's nodes; see `apply_plan`."""
        if observer is None:
            return apply_plan(plan, self.transport, mode=mode)
        return apply_plan(plan, self.transport, mode=mode, say=observer.say, detail=observer.detail)


@contextlib.contextmanager
def session(
    study: Study,
    site: Site,
    solution: Solution,
    *,
    name: str,
    console: Path,
    detached: bool,
    observer: Observer,
) -> Iterator[Session]:
    """A lab with the study's nodes; at the end it is removed unless it was up or is `detached`."""
    kind = lab_kind(study)
    lab = kind.find(study, name)
    ends = lab is None and not detached
    if lab is None:
        lab = kind.up(
            study,
            systemd_nodes=solution.storage_nodes,
            name=name,
            console=console,
            detached=detached,
            say=observer.say,
            packages=packages_of(study, site),
        )
    try:
        current = Session(
            study,
            site,
            solution,
            lab,
            lab.transport,
            outlives_run=not (ends and site.traits.is_temporary),
        )
        with current.held():
            yield current
    finally:
        if ends:
            lab.down()
        elif isinstance(lab, Leavable):
            lab.leave()


def solutions_of(study: Study, site: Site) -> list[Solution]:
    """The study's solution, and its variants in experiments of the profiles that fit its nodes."""
    changes: list[Mapping[str, Any]] = [{}]
    for profile in study.profiles:
        for experiment in study.experiments_in(profile).values():
            changes += [
                point.solution for point in points(experiment, 1) if point.solution not in changes
            ]
    return [load_solution(study.with_values(item), site) for item in changes]


def packages_of(study: Study, site: Site) -> set[str]:
    """Debian packages that any of the study's solutions needs beyond those of every lab."""
    needing = [item for item in solutions_of(study, site) if isinstance(item, NeedsPackages)]
    return {name for item in needing for name in item.packages}


def files_of(study: Study, site: Site) -> dict[str, str]:
    """The files of all of the study's solutions: path from the study's folder -> text."""
    made = [item for item in solutions_of(study, site) if isinstance(item, MadeOfFiles)]
    return {path: text for item in made for path, text in item.files.items()}


def lasting(
    study: Study, site: Site, solution: Solution, observer: Observer
) -> contextlib.AbstractContextManager[Session]:
    """The study's own lab, which is started when necessary and stays up."""
    base = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state")
    console = base / "seatrial" / study.id / "console"
    return session(
        study, site, solution, name=study.id, console=console, detached=True, observer=observer
    )


def running(study: Study, site: Site, solution: Solution) -> Session:
    """The study's own lab, which must be up; InputError otherwise."""
    lab = lab_kind(study).find(study, study.id)
    if lab is None:
        raise InputError(
            f"no lab of {study.id} is up", "seatrial lab up STUDY, or seatrial deploy STUDY"
        )
    return Session(study, site, solution, lab, lab.transport)


def system_facts(current: Session) -> dict[str, dict[str, str]]:
    """The software, mounts, network cards and clock of every node, for the result."""

    def of_node(node: str) -> dict[str, str]:
        return facts_in(current.transport.run(node, "sh -s", stdin=SCRIPT).stdout)

    with doing("facts of the nodes"):
        return on_every(current.study.node_names(), of_node)
