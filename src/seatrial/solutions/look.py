"""Preflight checks and the ownership marker, which every deployment and removal has on every node.

Stage 0 only reads, and refuses before any node is changed. Its checks are derived from the plan:
the devices that steps overwrite (`Step.destroys`) and the resources of the node that they take over
(`Step.takes`). A removal also checks for the ownership marker of the study that deployed.
"""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from seatrial.plan.plan import Plan, Stage, Step, command_step
from seatrial.plan.resources import Packages, Refusal, call
from seatrial.plan.site import Site
from seatrial.solutions.base import Extensible, Solution, Wipe
from seatrial.solutions.parts import after_boot, volumes
from seatrial.solutions.parts.backups import FUNCTIONS as UNITS_AND_PACKAGES
from seatrial.solutions.parts.backups import MADE, back_up_units, restore_mtu, restore_units
from seatrial.solutions.parts.steps import seen_by
from seatrial.solutions.shared_storage import work_folder


@dataclass(frozen=True)
class ResourceCheck:
    """The preflight check of a resource that a step may take over."""

    title: str
    function: str
    """in look.sh"""

    def step(self, study_id: str, name: str, *, names_it: bool = True) -> Step:
        """The check for the study's `name` of the resource, which the title names."""
        title = f"{self.title}: {name}" if names_it else self.title
        return _check(title, f"{self.function} {shlex.join((study_id, name))}")


RESOURCE_CHECKS = {
    "cluster": ResourceCheck("refuse another cluster", "no_other_cluster"),
    "targets": ResourceCheck("refuse other iSCSI targets", "no_other_targets"),
    "sessions": ResourceCheck("refuse sessions to other iSCSI targets", "no_other_sessions"),
    "maps": ResourceCheck("refuse other multipath devices", "no_other_maps"),
    "exports": ResourceCheck("refuse other NFS exports", "no_other_exports"),
    "mount": ResourceCheck("refuse an occupied mount point", "no_other_mount"),
    "secret": ResourceCheck("check that only root can read the secret", "secret_file"),
}
"""resource of a node (`Step.takes`) -> its check"""
TITLE = "preflight check (read-only)"
LAST = "store volume UUIDs; install boot-time settings"
FUNCTIONS = volumes.FUNCTIONS + "".join(
    (Path(__file__).parent / "parts" / name).read_text(encoding="ascii") + "\n"
    for name in ("look.sh", "look_disks.sh")
)


def deployment(solution: Solution, site: Site, wipe: Wipe) -> Plan:
    """The plan that deploys a solution: preflight checks, ownership markers, its own plan.

    A solution that takes over nothing of its nodes has its own plan alone.
    """
    plan = solution.plan(wipe)
    if not _builds(plan):
        return plan
    nodes = _nodes(solution, plan)
    own_checks, rest = _parted(plan)
    preflight = {}
    last = {}
    for name in nodes:
        erasable = wipe.get(name, frozenset())
        preflight[name] = (*_preflight_steps(plan, site, name, erasable), *own_checks.get(name, ()))
        boot_steps = after_boot.steps(plan.study_id, _steps(rest, name))
        last[name] = (*_noted_step(plan, site, name), *boot_steps)
    mark = Stage("mark", {name: _mark_steps(plan.study_id, _steps(rest, name)) for name in nodes})
    noting = _noting_steps(plan, site, rest)
    return replace(plan, stages=(_stage(preflight), mark, *noting, Stage(LAST, last)))


def mark_of(solution: Solution, node: str) -> str:
    """The ownership marker: a file that exists on the node while the solution is deployed."""
    plan = solution.plan({})
    return (
        f"{MADE}/{plan.study_id}/mark"
        if _builds(plan)
        else seen_by(work_folder(solution, solution.directory), node)
    )


def removal(solution: Solution, wipe: Wipe, *, packages: bool = False) -> Plan:
    """The plan that undeploys a solution: preflight checks, its own plan, and the marker last.

    With `packages` it also removes packages that deployments installed and nothing else needs.
    """
    plan = solution.removal(wipe)
    built = solution.plan(wipe)
    if not _builds(built):
        return plan
    nodes = _nodes(solution, built, plan)
    own_checks, rest = _parted(plan)
    preflight = {
        name: (
            _planted(plan.study_id),
            *_taken(built, name, but=("secret",)),
            *own_checks.get(name, ()),
            _marked_step(plan.study_id, _steps(rest, name)),
            *(
                _own_step(plan.study_id, group, wipe.get(name, ()))
                for group in _made(built.stages, name)
            ),
        )
        for name in nodes
    }
    holds = {
        name for name in nodes if any(step.guard.destroys for step in _steps(built.stages, name))
    }
    ends: dict[str, tuple[Step, ...]] = {
        name: (
            restore_mtu(plan.study_id),
            *([restore_units(plan.study_id)] if _units(_steps(built.stages, name)) else []),
            _unmark_step(plan.study_id, holds_data=name in holds),
            *([_packages_step(plan.study_id)] if packages else []),
        )
        for name in nodes
    }
    # First: a unit that still waits for a mount would apply its settings again after the removal.
    units = Stage(
        "remove boot-time settings", dict.fromkeys(nodes, (after_boot.removal(plan.study_id),))
    )
    return replace(plan, stages=(_stage(preflight), units, *rest, Stage("remove the mark", ends)))


def extension(solution: Extensible, site: Site, what: str) -> Plan:
    """The plan that makes a solution larger, with preflight checks of the nodes that join.

    Nothing can be named with --wipe: a run is not interactive, so non-blank disks are refused.
    """
    plan = solution.extension(what)
    nodes = dict.fromkeys(name for stage in plan.stages for name in stage.steps)
    joining = [name for name in nodes if _overwriting(plan, site, name)]
    preflight = {name: _preflight_steps(plan, site, name, frozenset()) for name in joining}
    uuid_steps = {name: step for name in nodes if (step := _noted_step(plan, site, name))}
    stages = (
        *_noting_steps(plan, site, plan.stages),
        *([Stage("store volume UUIDs", uuid_steps)] if uuid_steps else []),
    )
    return replace(plan, stages=(_stage(preflight), *stages) if preflight else stages)


def _parted(plan: Plan) -> tuple[Mapping[str, tuple[Step, ...]], tuple[Stage, ...]]:
    """The solution's own preflight checks by node, and its other stages."""
    if plan.stages and plan.stages[0].is_preflight:
        return plan.stages[0].steps, plan.stages[1:]
    return {}, plan.stages


def _stage(steps: Mapping[str, tuple[Step, ...]]) -> Stage:
    return Stage(
        TITLE,
        {name: preflight for name, preflight in steps.items() if preflight},
        FUNCTIONS,
        is_preflight=True,
    )


def _builds(plan: Plan) -> bool:
    """Whether the plan takes over anything of a node, which `mount` does not."""
    return any(
        step.takes or step.guard.destroys
        for stage in plan.stages
        for steps in stage.steps.values()
        for step in steps
    )


def _nodes(solution: Solution, *plans: Plan) -> tuple[str, ...]:
    planned = (name for plan in plans for stage in plan.stages for name in stage.steps)
    return tuple(dict.fromkeys((*planned, *solution.storage_nodes)))


def _steps(stages: Iterable[Stage], node: str) -> Iterable[Step]:
    return (step for stage in stages for step in stage.steps.get(node, ()))


def _preflight_steps(
    plan: Plan, site: Site, node: str, erasable: frozenset[str]
) -> tuple[Step, ...]:
    """The preflight checks of one node before a deployment."""
    own_devices = frozenset(site.nodes[node].devices)
    groups = _overwriting(plan, site, node)
    between = [
        group for group in _made(plan.stages, node, own_devices) if own_devices.isdisjoint(group)
    ]
    devices = tuple(
        dict.fromkeys(
            device for step in groups for device in step.guard.destroys if device in own_devices
        )
    )
    # A mere client may also be a member of another cluster, which a trial would disturb.
    foreign_cluster = []
    if all(resource != "cluster" for resource, _name in _claims(plan, node)):
        check = RESOURCE_CHECKS["cluster"]
        foreign_cluster.append(check.step(plan.study_id, plan.study_id, names_it=False))
    twice = []
    if len(devices) > 1:
        used_twice = f"look_twice {shlex.join(devices)}"
        twice.append(_check("refuse a disk that is used twice", used_twice))
    return (
        _planted(plan.study_id),
        *_taken(plan, node),
        *foreign_cluster,
        *twice,
        *(_disks_step(plan.study_id, step, own_devices, erasable) for step in groups),
        *(_own_step(plan.study_id, group) for group in between),
    )


def _overwriting(plan: Plan, site: Site, node: str) -> list[Step]:
    """The steps that overwrite the node's own disks, not only devices created on top of them."""
    own_devices = frozenset(site.nodes[node].devices)
    return [
        step for step in _steps(plan.stages, node) if own_devices & frozenset(step.guard.destroys)
    ]


def _planted(study_id: str) -> Step:
    return _check("refuse symbolic links", f"no_planted {study_id}")


def _taken(plan: Plan, node: str, but: tuple[str, ...] = ()) -> tuple[Step, ...]:
    return tuple(
        _resource_check(resource).step(plan.study_id, name)
        for resource, name in _claims(plan, node)
        if resource not in but
    )


def _resource_check(resource: str) -> ResourceCheck:
    """The check of a kind of `Step.takes`; ValueError for an unknown kind, in the code of a
    solution.
    """
    if resource not in RESOURCE_CHECKS:
        known = ", ".join(RESOURCE_CHECKS)
        raise ValueError(f"a step takes an object of the unknown kind {resource}; known: {known}")
    return RESOURCE_CHECKS[resource]


def _claims(plan: Plan, node: str) -> dict[tuple[str, str], None]:
    """Each (resource, the study's name of it) that the steps of a node take over, once."""
    return dict.fromkeys(claim for step in _steps(plan.stages, node) for claim in step.takes)


def _check(title: str, script: str) -> Step:
    """A step that changes nothing; when it is applied, it prints its refusal again."""
    return Step(title, Refusal(script))


def _disks_step(
    study_id: str, step: Step, own_devices: frozenset[str], erasable: frozenset[str]
) -> Step:
    """Check that the disks may be overwritten; disks of a completed step are already in service."""
    devices = [device for device in step.guard.destroys if device in own_devices]
    arguments = (study_id, " ".join(step.guard.labels), " ".join(sorted(erasable)), *devices)
    script = f"look_disks {shlex.join(arguments)}"
    is_deployed = f"is_deployed {shlex.join((study_id, *devices))}"
    check = step.alone(step.check) if step.check else ""
    served = f"(\n{check}\n) >/dev/null 2>&1 && {is_deployed} && exit 0\n" if check else ""
    return _check(f"refuse disks that are in use: {step.title}", f"{served}{script}")


# ---- volumes on devices, by UUID, and packages


def packages_noted(study_id: str) -> str:
    """The file on a node that lists the packages installed by deployments."""
    return f"{MADE}/{study_id}/packages"


def _packages_step(study_id: str) -> Step:
    file = packages_noted(study_id)
    return command_step(
        "remove the installed packages",
        f"[ ! -e {file} ]",
        f"take_packages {file}",
        functions=UNITS_AND_PACKAGES,
    )


def _made(
    stages: Iterable[Stage], node: str, own_devices: frozenset[str] | None = None
) -> list[tuple[str, ...]]:
    """The devices on which each step of a node creates something; one tuple per step.

    With `own_devices` only these disks of the node and arrays of them count.
    """
    groups = [step.guard.destroys for step in _steps(stages, node) if step.guard.destroys]
    if own_devices is None:
        return groups
    own_groups = (_of_own(group, own_devices) for group in groups)
    return [group for group in own_groups if group]


def _of_own(devices: Iterable[str], own_devices: frozenset[str]) -> tuple[str, ...]:
    """The node's own disks and arrays among the devices; others belong to another node's disks."""
    return tuple(
        device for device in devices if device in own_devices or device.startswith("/dev/md/")
    )


def _noting_steps(plan: Plan, site: Site, stages: Iterable[Stage]) -> tuple[Stage, ...]:
    """Add to each stage: record volumes before they exist, refuse foreign ones, note packages."""

    def noting(node: str, step: Step) -> Iterable[Step]:
        own_disks = _of_own(step.guard.destroys, frozenset(site.nodes[node].devices))
        if isinstance(step.change, Packages):
            file = packages_noted(plan.study_id)
            yield replace(step, change=step.change.listed_in(file))
        elif own_disks:
            expect = volumes.call("expect_volumes", plan.study_id, *own_disks)
            guard = replace(step.guard, then=expect)
            yield replace(step, guard=guard, functions=step.functions + volumes.FUNCTIONS)
            yield replace(_own_step(plan.study_id, own_disks), functions=volumes.FUNCTIONS)
        else:
            yield step

    return tuple(
        replace(
            stage,
            steps={
                name: tuple(chain.from_iterable(noting(name, step) for step in steps))
                for name, steps in stage.steps.items()
            },
        )
        for stage in stages
    )


def _own_step(study_id: str, devices: tuple[str, ...], erasable: Iterable[str] = ()) -> Step:
    """A step that fails when the devices hold a volume of another study.

    `erasable`: those that --wipe names.
    """
    title = f"refuse volumes of another owner on {', '.join(devices)}"
    return _check(
        title, volumes.call("only_own_volumes", study_id, " ".join(sorted(erasable)), *devices)
    )


def _noted_step(plan: Plan, site: Site, node: str) -> tuple[Step, ...]:
    """A step that stores the UUIDs of everything that was created on the node's disks."""
    groups = _made(plan.stages, node, frozenset(site.nodes[node].devices))
    devices = tuple(dict.fromkeys(chain.from_iterable(groups)))
    if not devices:
        return ()
    is_recorded, note = (
        volumes.call(name, plan.study_id, *devices)
        for name in ("volumes_are_noted", "note_volumes")
    )
    return (
        command_step(
            "store the UUIDs of created volumes", is_recorded, note, functions=volumes.FUNCTIONS
        ),
    )


# ---- the ownership marker


def _units(steps: Iterable[Step]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit for step in steps for unit in step.units))


def _mark_steps(study_id: str, steps: Iterable[Step]) -> tuple[Step, ...]:
    folder = f"{MADE}/{study_id}"
    units = _units(steps)
    mark = command_step(
        f"mark this node for {study_id}",
        f"[ -e {folder}/mark ]",
        f"umask 077\nmkdir -p {folder}\nchmod 700 {MADE} {folder}\n: >{folder}/left\n:"
        f" >{folder}/mark",
    )
    return (mark, back_up_units(study_id, units)) if units else (mark,)


def _unmark_step(study_id: str, *, holds_data: bool) -> Step:
    """Remove the marker; `left` stays where the study's data may be on disks."""
    folder = f"{MADE}/{study_id}"
    title = f"remove the mark of {study_id}"
    if holds_data:
        return command_step(title, f"[ ! -e {folder}/mark ]", f"rm {folder}/mark")
    return command_step(
        title,
        f"[ ! -e {folder}/mark ] && [ ! -e {folder}/left ]",
        f"rm -f {folder}/mark {folder}/left\nrmdir {folder} 2>/dev/null || true",
    )


def _marked_step(study_id: str, steps: Iterable[Step]) -> Step:
    """Without the marker only devices named by --wipe may have steps to do.

    Anything else belongs to another study or to the site, and the step refuses to remove it.
    """
    mark = f"{MADE}/{study_id}/mark"
    unnamed = [step for step in steps if step.check and not step.guard.named]
    checks = "".join(
        f"(\n{step.alone(step.check or '')}\n) >/dev/null 2>&1 ||\n"
        f"    {call('would_change', step.title, study_id, mark)}\n"
        for step in unnamed
    )
    return Step(
        f"refuse to remove storage that {study_id} did not create",
        Refusal(f'[ ! -e {mark} ] || exit 0\nfound=\n{checks}[ -z "$found" ]'),
        functions="".join(dict.fromkeys(step.functions for step in unnamed)),
    )
