"""What a deploy and a removal begin with on every node, whatever the solution: a look, and the mark of who built there.

Stage 0 only reads, and refuses before anything is changed anywhere. What it looks for is derived from the plan: the
devices that its steps overwrite (`Step.destroys`), what they take over of the node (`Step.takes`), and, of a removal,
whether the node bears the mark of the study that made what is to be taken away.
"""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from seatrial.plan.plan import Plan, Stage, Step
from seatrial.plan.site import Site
from seatrial.solutions.base import Extensible, Solution, Wipe
from seatrial.solutions.parts import after_boot, volumes
from seatrial.solutions.parts.kept import FUNCTIONS as UNITS_AND_PACKAGES
from seatrial.solutions.parts.kept import MADE, mtu_given_back, units_given_back, units_kept
from seatrial.solutions.parts.steps import seen_by

TAKEN: Mapping[str, tuple[str, str]] = {
    "cluster": ("refuse another cluster", "no_other_cluster"),
    "targets": ("refuse other iSCSI targets", "no_other_targets"),
    "sessions": ("refuse sessions to other iSCSI targets", "no_other_sessions"),
    "maps": ("refuse other multipath devices", "no_other_maps"),
    "exports": ("refuse other NFS exports", "no_other_exports"),
    "mount": ("refuse an occupied mount point", "no_other_mount"),
    "secret": ("check that only root can read the secret", "secret_file"),
}
"""what a step may take over of a node -> (what is looked for, the function of look.sh that does)"""
TITLE = "preflight check (read-only)"
LAST = "store volume UUIDs; install boot-time settings"
OWN = "preflight check"
"""what a solution calls a first stage of its own that only reads; it is done with the look of all"""
FUNCTIONS = volumes.FUNCTIONS + "".join(
    (Path(__file__).parent / "parts" / name).read_text(encoding="ascii") + "\n" for name in ("look.sh", "look_disks.sh")
)


def deployment(solution: Solution, site: Site, wipe: Wipe) -> Plan:
    """What puts a solution in service: a look at all nodes, the mark on each, and the solution's own plan."""
    plan = solution.plan(wipe)
    if not _builds(plan):
        return plan
    nodes = _nodes(solution, plan)
    own, rest = _parted(plan)
    look = {name: (*_looks(plan, site, name, wipe.get(name, frozenset())), *own.get(name, ())) for name in nodes}
    mark = Stage("mark", {name: _mark_steps(plan.study_id, _steps(rest, name)) for name in nodes})
    last = {
        name: (
            *_noted_step(plan, site, name),
            *after_boot.steps(plan.study_id, _steps(rest, name)),
        )
        for name in nodes
    }
    return replace(plan, stages=(_stage(look), mark, *_noting_steps(plan, site, rest), Stage(LAST, last)))


def mark_of(solution: Solution, node: str) -> str:
    """The file that a node bears while the solution is deployed there."""
    plan = solution.plan({})
    return f"{MADE}/{plan.study_id}/mark" if _builds(plan) else seen_by(solution.directory, node)


def removal(solution: Solution, wipe: Wipe, *, packages: bool = False) -> Plan:
    """What takes a solution out of service: a look at all nodes, the solution's own plan, and the mark goes last.

    With `packages` those go, too, that its deploys have installed and nobody else needs.
    """
    plan, built = solution.removal(wipe), solution.plan(wipe)
    if not _builds(built):
        return plan
    nodes = _nodes(solution, built, plan)
    own, rest = _parted(plan)
    look = {
        name: (
            _planted(plan.study_id),
            *_taken(built, name, but=("secret",)),
            *own.get(name, ()),
            _marked_step(plan.study_id, _steps(rest, name)),
            *(_own_step(plan.study_id, group, wipe.get(name, ())) for group in _made(built.stages, name)),
        )
        for name in nodes
    }
    holds = {name for name in nodes if any(step.destroys for step in _steps(built.stages, name))}
    ends: dict[str, tuple[Step, ...]] = {
        name: (
            mtu_given_back(plan.study_id),
            *([units_given_back(plan.study_id)] if _units(_steps(built.stages, name)) else []),
            _unmark_step(plan.study_id, holds_data=name in holds),
            *([_packages_step(plan.study_id)] if packages else []),
        )
        for name in nodes
    }
    # First of all: what still waits for a mount would set it once more, behind the back of what takes it away.
    units = Stage("remove boot-time settings", dict.fromkeys(nodes, (after_boot.removal(plan.study_id),)))
    return replace(plan, stages=(_stage(look), units, *rest, Stage("remove the mark", ends)))


def extension(solution: Extensible, site: Site, what: str) -> Plan:
    """What makes a solution larger, with the same look before anything is added: at what joins it.

    Nothing is named with --wipe for it: a run asks nobody, so that disks that hold anything are refused.
    """
    plan = solution.extension(what)
    nodes = dict.fromkeys(name for stage in plan.stages for name in stage.steps)
    joining = [name for name in nodes if _overwriting(plan, site, name)]
    look = {name: _looks(plan, site, name, frozenset()) for name in joining}
    noted = {name: step for name in nodes if (step := _noted_step(plan, site, name))}
    stages = (
        *_noting_steps(plan, site, plan.stages),
        *([Stage("store volume UUIDs", noted)] if noted else []),
    )
    return replace(plan, stages=(_stage(look), *stages) if look else stages)


def _parted(plan: Plan) -> tuple[Mapping[str, tuple[Step, ...]], tuple[Stage, ...]]:
    """What the solution itself looks at before anything is changed, by node, and its other stages."""
    if plan.stages and plan.stages[0].title == OWN:
        return plan.stages[0].steps, plan.stages[1:]
    return {}, plan.stages


def _stage(steps: Mapping[str, tuple[Step, ...]]) -> Stage:
    return Stage(TITLE, {name: looks for name, looks in steps.items() if looks}, FUNCTIONS)


def _builds(plan: Plan) -> bool:
    """Whether anything of a node is taken over: storage of the site's own is looked at by its solution."""
    return any(step.takes or step.destroys for stage in plan.stages for steps in stage.steps.values() for step in steps)


def _nodes(solution: Solution, *plans: Plan) -> tuple[str, ...]:
    planned = (name for plan in plans for stage in plan.stages for name in stage.steps)
    return tuple(dict.fromkeys((*planned, *solution.storage_nodes)))


def _steps(stages: Iterable[Stage], node: str) -> Iterable[Step]:
    return (step for stage in stages for step in stage.steps.get(node, ()))


def _looks(plan: Plan, site: Site, node: str, named: frozenset[str]) -> tuple[Step, ...]:
    """What is looked at on one node before a deploy."""
    own, groups = frozenset(site.nodes[node].devices), _overwriting(plan, site, node)
    between = [group for group in _made(plan.stages, node, own) if own.isdisjoint(group)]
    devices = tuple(dict.fromkeys(device for step in groups for device in step.destroys if device in own))
    # Also a node that is to be a client only may be a member of somebody's cluster, which a trial would disturb.
    joins = any(what == "cluster" for step in _steps(plan.stages, node) for what, _whose in step.takes)
    title, function = TAKEN["cluster"]
    twice = [_look("refuse a disk that is used twice", f"look_twice {shlex.join(devices)}")] if len(devices) > 1 else []
    return (
        _planted(plan.study_id),
        *_taken(plan, node),
        *([] if joins else [_look(title, f"{function} {shlex.join((plan.study_id, plan.study_id))}")]),
        *twice,
        *(_disks_step(plan.study_id, step, own, named) for step in groups),
        *(_own_step(plan.study_id, group) for group in between),
    )


def _overwriting(plan: Plan, site: Site, node: str) -> list[Step]:
    """The steps that overwrite disks of the node's own, and not only what has been made of them."""
    own = frozenset(site.nodes[node].devices)
    return [step for step in _steps(plan.stages, node) if own & frozenset(step.destroys)]


def _planted(study_id: str) -> Step:
    return _look("refuse symbolic links", f"no_planted {study_id}")


def _taken(plan: Plan, node: str, but: tuple[str, ...] = ()) -> tuple[Step, ...]:
    taken = dict.fromkeys(item for step in _steps(plan.stages, node) for item in step.takes if item[0] not in but)
    return tuple(
        _look(f"{TAKEN[what][0]}: {whose}", f"{TAKEN[what][1]} {shlex.join((plan.study_id, whose))}")
        for what, whose in taken
    )


def _look(title: str, script: str) -> Step:
    """A step that changes nothing: what refuses is said once more when it is to be applied."""
    # To ask is no failure. A condition keeps `set -e` from ending what it tests, but not what that starts beside it or
    # takes the output of: such would end at the first command that finds nothing.
    asked = f"set +e\n{script}"
    return Step(title, asked, f"{asked}\nexit 1")


def _disks_step(study_id: str, step: Step, own: frozenset[str], named: frozenset[str]) -> Step:
    """Disks whose step has nothing to do any more are in service, and nothing is overwritten."""
    devices = [device for device in step.destroys if device in own]
    words = (study_id, " ".join(step.labels), " ".join(sorted(named)), *devices)
    script = f"look_disks {shlex.join(words)}"
    known = f"is_deployed {shlex.join((study_id, *devices))}"
    served = f"(\n{step.check}\n) >/dev/null 2>&1 && {known} && exit 0\n" if step.check else ""
    return _look(f"refuse disks that are in use: {step.title}", f"{served}{script}")


# ---- what is made on devices, by UUID, and packages


def packages_noted(study_id: str) -> str:
    """The file with the names of the packages that deploys have installed on a node."""
    return f"{MADE}/{study_id}/packages"


def _packages_step(study_id: str) -> Step:
    file = packages_noted(study_id)
    return Step(
        "remove the installed packages",
        f"[ ! -e {file} ]",
        f"take_packages {file}",
        functions=UNITS_AND_PACKAGES,
    )


def _made(stages: Iterable[Stage], node: str, own: frozenset[str] | None = None) -> list[tuple[str, ...]]:
    """The devices on which each step of a node makes something; with `own`, what lies on these disks of the node's."""
    groups = [step.destroys for step in _steps(stages, node) if step.destroys]
    return groups if own is None else [found for group in groups if (found := _of_own(group, own))]


def _of_own(devices: Iterable[str], own: frozenset[str]) -> tuple[str, ...]:
    """Those of the node's own disks, or arrays of them; others are known by the node whose disks they lie on."""
    return tuple(device for device in devices if device in own or device.startswith("/dev/md/"))


def _noting_steps(plan: Plan, site: Site, stages: Iterable[Stage]) -> tuple[Stage, ...]:
    """Stages that note what they are about to make, refuse what another has made, and note packages they install."""

    def noting(node: str, step: Step) -> Iterable[Step]:
        own = _of_own(step.destroys, frozenset(site.nodes[node].devices))
        if step.packages:
            file = packages_noted(plan.study_id)
            # Also of an installation that fails in its middle.
            apply = f"keep_packages {file}\ntrap 'note_packages {file}' EXIT\n{step.apply}"
            yield replace(step, apply=apply, functions=step.functions + UNITS_AND_PACKAGES)
        elif own:
            expect = volumes.call("expect_volumes", plan.study_id, *own)
            yield replace(step, apply=f"{expect}\n{step.apply}", functions=step.functions + volumes.FUNCTIONS)
            yield replace(_own_step(plan.study_id, own), functions=volumes.FUNCTIONS)
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


def _own_step(study_id: str, devices: tuple[str, ...], named: Iterable[str] = ()) -> Step:
    """Fails, and says why, where these devices, on which one thing was made, hold another's; `named` by --wipe."""
    title = f"refuse volumes of another owner on {', '.join(devices)}"
    return _look(title, volumes.call("only_own_volumes", study_id, " ".join(sorted(named)), *devices))


def _noted_step(plan: Plan, site: Site, node: str) -> tuple[Step, ...]:
    """The UUIDs of all that was made on the node's disks are noted there."""
    groups = _made(plan.stages, node, frozenset(site.nodes[node].devices))
    devices = tuple(dict.fromkeys(chain.from_iterable(groups)))
    if not devices:
        return ()
    noted, note = (volumes.call(name, plan.study_id, *devices) for name in ("volumes_are_noted", "note_volumes"))
    return (Step("store the UUIDs of created volumes", noted, note, functions=volumes.FUNCTIONS),)


# ---- the mark


def _units(steps: Iterable[Step]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(unit for step in steps for unit in step.units))


def _mark_steps(study_id: str, steps: Iterable[Step]) -> tuple[Step, ...]:
    folder, units = f"{MADE}/{study_id}", _units(steps)
    mark = Step(
        f"mark this node for {study_id}",
        f"[ -e {folder}/mark ]",
        f"umask 077\nmkdir -p {folder}\nchmod 700 {MADE} {folder}\n: >{folder}/left\n: >{folder}/mark",
    )
    return (mark, units_kept(study_id, units)) if units else (mark,)


def _unmark_step(study_id: str, *, holds_data: bool) -> Step:
    """Where the study's data may lie on disks, `left` stays; elsewhere nothing, but what was not given back."""
    folder = f"{MADE}/{study_id}"
    title = f"remove the mark of {study_id}"
    if holds_data:
        return Step(title, f"[ ! -e {folder}/mark ]", f"rm {folder}/mark")
    return Step(
        title,
        f"[ ! -e {folder}/mark ] && [ ! -e {folder}/left ]",
        f"rm -f {folder}/mark {folder}/left\nrmdir {folder} 2>/dev/null || true",
    )


def _marked_step(study_id: str, steps: Iterable[Step]) -> Step:
    """Without the mark there must be nothing to do, but for what the user has named: it is not ours to take away."""
    mark = f"{MADE}/{study_id}/mark"
    others = [step for step in steps if step.check and not step.named]
    asked = [(step.title, f"(\n{step.check}\n) >/dev/null 2>&1 || ") for step in others]
    found = "".join(f"{check}found={shlex.quote(title)}\n" for title, check in asked)
    told = "".join(f"{check}echo {shlex.quote(f'  {title}')}\n" for title, check in asked)
    return Step(
        f"refuse to remove storage that {study_id} did not create",
        f'[ ! -e {mark} ] || exit 0\nfound=\n{found}[ -z "$found" ]',
        f'echo "refused: {study_id} has made nothing on this node ({mark} is missing); this would be done:"\n'
        f"{told}exit 1",
        functions="".join(dict.fromkeys(step.functions for step in others)),
    )
