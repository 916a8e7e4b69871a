"""A plan: stages of steps, each a check and an apply, rendered to one sh script per node and stage.

`seatrial plan --scripts` prints byte for byte what a deployment pipes to the nodes and what the
report lists.
Stages are barriers across nodes. A step's `check` exits with 0 when nothing has to be done. After
`apply` the check must pass, or the step has failed. So a second deployment changes nothing, and a
successful deployment is verified.

The rendering avoids three traps:

- A command that reads stdin would consume the rest of a piped script: the whole script is one
  function that is called with </dev/null.
- The shell ignores `set -e` left of `||` and in conditions: apply runs alone in a subshell.
- Results would be lost in a command's output: they have a separate file descriptor.
"""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from seatrial.basics.node_sets import fold
from seatrial.basics.withheld import MASK
from seatrial.plan import library
from seatrial.plan.resources import Command, File, NoFile, Packages, Resource, Shell

COLUMNS_MAX = 100
"""length of a function on one line"""


@dataclass(frozen=True)
class Guard:
    """What must hold before a step may overwrite devices."""

    destroys: tuple[str, ...] = ()
    """block devices that the change overwrites; it happens only when each is blank"""
    labels: tuple[str, ...] = ()
    """names that `blkid` shows for the content that the change creates on the devices"""
    named: bool = False
    """the step only acts on devices that the user has named with --wipe"""
    then: str = ""
    """sh, run after the guard and before the change"""


@dataclass(frozen=True)
class Step:
    """One change on one node."""

    title: str
    change: Resource
    reason: str | None = None
    """why a tuning step is made; printed in the report"""
    guard: Guard = Guard()
    option: str = ""
    """option, such as async or jumbo, by which an audit looks up the cost of a wrong setting"""
    takes: tuple[tuple[str, str], ...] = ()
    """(resource of the node that the step takes over, the study's name of it); see `look.py`"""
    after_boot: str = ""
    """`network` or `mounts` when the change sets a runtime value that is lost at a reboot.

    A unit sets the value again after each boot, as soon as the network or the mounts are ready.
    """
    functions: str = ""
    """sh functions that the change calls besides those of `sh/`; a script contains them once"""
    interrupts: str = ""
    """sh; exits with 0 when the change would interrupt other users: such nodes change one by one"""
    units: tuple[str, ...] = ()
    """existing systemd units that the step changes; a removal restores their state"""
    unless: str = ""
    """sh, a command; where it exits with 0, the node needs no change"""

    @cached_property
    def shell(self) -> Shell:
        """The shell text of the change."""
        return self.change.shell()

    @property
    def check(self) -> str | None:
        """sh; exit 0 means that nothing has to be done; None: an action that always runs."""
        if self.unless and self.shell.check:
            return f"{self.unless} || {{\n{self.shell.check}\n}}"
        return self.shell.check

    @property
    def apply(self) -> str:
        """sh, run with `set -e`."""
        return self.shell.apply

    @property
    def packages(self) -> tuple[tuple[str, str], ...]:
        """(command, Debian package) of each command that the step installs."""
        return tuple(self.change.debian.items()) if isinstance(self.change, Packages) else ()

    def alone(self, text: str) -> str:
        """One of the step's texts for another script, with the content that it may print."""
        return f"{_content_function('content', self.shell.content)}{text}"


def command_step(
    title: str,
    check: str | None,
    apply: str,
    *,
    reason: str | None = None,
    destroys: tuple[str, ...] = (),
    labels: tuple[str, ...] = (),
    named: bool = False,
    shows: str = "",
    option: str = "",
    takes: tuple[tuple[str, str], ...] = (),
    after_boot: str = "",
    functions: str = "",
    interrupts: str = "",
    units: tuple[str, ...] = (),
) -> Step:
    """A step with a change in free shell text, for which there is no resource."""
    return Step(
        title,
        Command(check, apply, shows),
        reason,
        Guard(destroys, labels, named),
        option,
        takes,
        after_boot,
        functions,
        interrupts,
        units,
    )


@dataclass(frozen=True)
class Stage:
    """Steps that every node completes before any node begins the next stage."""

    title: str
    steps: dict[str, tuple[Step, ...]]
    """node -> its steps"""
    functions: str = ""
    """sh functions that the steps call"""
    is_preflight: bool = False
    """read-only checks before any change"""


@dataclass(frozen=True)
class Generated:
    """A secret that a deployment creates: the plan has a placeholder; only the nodes know it."""

    name: str
    path: str
    """the file in which each of the nodes keeps it"""
    nodes: tuple[str, ...]
    size_bytes: int

    @property
    def placeholder(self) -> str:
        """The text in scripts until they are piped to the nodes."""
        return f"@generated:{self.name}@"


@dataclass(frozen=True)
class Learned:
    """A public value that one node reports and other nodes need, such as a host key.

    The plan has a placeholder until the stage that names it.
    """

    name: str
    node: str
    command: str
    """sh, read-only: prints the value"""
    form: str
    """regular expression for the whole value, which becomes part of the scripts of other nodes"""

    @property
    def placeholder(self) -> str:
        """The text in scripts until they are piped to the nodes."""
        return f"@learned:{self.name}@"


@dataclass(frozen=True)
class Plan:
    """All stages in order, and the warnings about them, which the report shows."""

    study_id: str
    title: str
    stages: tuple[Stage, ...]
    warnings: tuple[str, ...] = ()
    secrets: tuple[str, ...] = field(default=(), repr=False)
    generated: tuple[Generated, ...] = ()
    learned: tuple[Learned, ...] = ()

    def scripts(self) -> Iterable[tuple[int, Stage, str, str]]:
        """(stage number from 1, stage, node, script) in the order in which they are piped."""
        for number, stage in enumerate(self.stages, start=1):
            for node, steps in stage.steps.items():
                yield number, stage, node, render(self, number, steps)

    def checked_steps(self) -> frozenset[str]:
        """The titles of the steps with a check; all other steps run in every deployment."""
        titles = set()
        for stage in self.stages:
            for steps in stage.steps.values():
                titles |= {step.title for step in steps if step.check is not None}
        return frozenset(titles)

    def reasons(self) -> list[dict[str, str]]:
        """The reason of each tuning step, without repetition: `stage`, `step`, `reason`."""
        reasons_of_steps = {
            (stage.title, step.title): step.reason
            for stage in self.stages
            for steps in stage.steps.values()
            for step in steps
            if step.reason
        }
        items = reasons_of_steps.items()
        return [{"stage": stage, "step": step, "reason": why} for (stage, step), why in items]

    def masked(self, text: str) -> str:
        """`text` with every secret replaced, for logs and reports."""
        for secret in self.secrets:
            text = text.replace(secret, MASK)
        return text


def render(plan: Plan, number: int, steps: tuple[Step, ...]) -> str:
    """The script for one stage; nodes with the same steps get the same script.

    `sh -s check NODE` only reports. `sh -s apply NODE` (the default) applies. NODE appears only in
    messages.
    """
    stage = plan.stages[number - 1]
    head = f"""\
#!/bin/sh
# Seatrial plan {plan.study_id}: {plan.title}
# stage {number} of {len(plan.stages)}: {stage.title}
"""
    body = "\n".join(render_step(index, step) for index, step in enumerate(steps, start=1))
    calls = "".join(f"    step {index}\n" for index in range(1, len(steps) + 1))
    end = '    rm -f "$log"\n    settle\n    echo done >&3\n'
    parts = "".join(dict.fromkeys([stage.functions, *(step.functions for step in steps)]))
    return (
        f"{head}{library.prelude()}\n{library_of(stage, steps)}{parts}{body}\n"
        f"main() {{\n{calls}{end}}}\nmain </dev/null\n"
    )


def library_of(stage: Stage, steps: Iterable[Step]) -> str:
    """The functions of `sh/` in the script of these steps."""
    texts = [stage.functions]
    for step in steps:
        texts += [step.check or "", step.apply, step.interrupts, step.guard.then, step.functions]
    return library.functions_for("\n".join(texts))


def render_step(index: int, step: Step) -> str:
    """The functions of a step; `index` is its number in the script, from 1."""
    reason = "".join(f"#    why: {line}\n" for line in (step.reason or "").splitlines())
    check = step.check or f'[ "$applied" = {index} ]'
    interrupts = _function(f"interrupts_{index}", step.interrupts) if step.interrupts else ""
    return (
        f"# {index}. {step.title}\n{reason}"
        f"{_content_function(f'content_{index}', step.shell.content)}"
        f"{_function(f'check_{index}', check)}"
        f"{_guard(index, step.guard)}"
        f"{_function(f'apply_{index}', step.apply)}{interrupts}"
    )


def _guard(index: int, guard: Guard) -> str:
    if not guard.destroys:
        return ""
    blank = f"all_must_be_blank {shlex.join(guard.destroys)}\n"
    return _function(f"guard_{index}", f"{blank}{guard.then}".rstrip("\n"))


def _function(name: str, body: str) -> str:
    """A function on one line if its body is one short line."""
    line = f"{name}() {{ {body}; }}\n"
    short = "\n" not in body and "#" not in body and len(line) <= COLUMNS_MAX
    return line if short else f"{name}() {{\n{_indented(body)}}}\n"


def _content_function(name: str, content: str | None) -> str:
    if content is None:
        return ""
    return f"{name}() {{ cat <<'SEATRIAL'\n{content}SEATRIAL\n}}\n"


def _indented(script: str) -> str:
    """Indent a body, except the lines of a here-document."""
    lines = []
    end = None
    for line in script.strip("\n").split("\n"):
        lines.append(line if end or not line else f"    {line}")
        if end:
            end = None if line == end else end
        elif "<<'" in line:
            end = line.split("<<'", 1)[1].split("'", 1)[0]
    return "\n".join(lines) + "\n"


def write_file(
    path: str,
    content: str,
    *,
    title: str | None = None,
    after: str = "",
    reason: str | None = None,
    mode: str = "",
    shown: bool = False,
    backup: str = "",
    takes: tuple[tuple[str, str], ...] = (),
) -> Step:
    """A step that gives the file `path` this `content`; see `File` for the other arguments."""
    file = File(path, content, mode, after, shown, backup)
    return Step(title or f"write {path}", file, reason, takes=takes)


def remove_file(path: str, *, after: str = "", interrupts: str = "") -> Step:
    """A step that removes the file `path`; `after` is run when it was removed."""
    return Step(f"remove {path}", NoFile(path, after), interrupts=interrupts)


def describe(plan: Plan) -> str:
    """The plan as text: every script, each with a heading that names its stage and nodes."""
    by_script: dict[tuple[int, str], list[str]] = {}
    for number, _stage, node, script in plan.scripts():
        by_script.setdefault((number, plan.masked(script)), []).append(node)
    return "\n".join(
        f"##### stage {number}, {fold(nodes)} #####\n{script}"
        for (number, script), nodes in by_script.items()
    )
