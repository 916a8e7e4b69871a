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

from seatrial.basics.node_sets import fold
from seatrial.plan.site import MASK


@dataclass(frozen=True)
class Step:
    """One change on one node."""

    title: str
    check: str | None
    """sh; exit 0 means that nothing has to be done; None: an action that always runs"""
    apply: str
    """sh, run with `set -e`"""
    reason: str | None = None
    """why a tuning step is made; printed in the report"""
    destroys: tuple[str, ...] = ()
    """block devices that `apply` overwrites; it runs only when each is blank"""
    shows: str = ""
    """sh for an audit when the check fails: prints the current state without secrets; read-only"""
    option: str = ""
    """option, such as async or jumbo, by which an audit looks up the cost of a wrong setting"""
    takes: tuple[tuple[str, str], ...] = ()
    """(resource of the node that the step takes over, the study's name of it); see `look.py`"""
    labels: tuple[str, ...] = ()
    """names that `blkid` shows for the content that `apply` creates on the devices"""
    named: bool = False
    """the step only acts on devices that the user has named with --wipe"""
    packages: tuple[tuple[str, str], ...] = ()
    """(command, Debian package): `apply` installs the package when the command is missing"""
    after_boot: str = ""
    """`network` or `mounts` when `apply` sets a runtime value that is lost at a reboot.

    A unit sets the value again after each boot, as soon as the network or the mounts are ready.
    """
    functions: str = ""
    """sh functions that `check` and `apply` call; a script contains them once"""
    interrupts: str = ""
    """sh; exits with 0 when `apply` would interrupt other users: such nodes change one by one"""
    units: tuple[str, ...] = ()
    """existing systemd units that `apply` changes; a removal restores their state"""


@dataclass(frozen=True)
class Stage:
    """Steps that every node completes before any node begins the next stage."""

    title: str
    steps: dict[str, tuple[Step, ...]]
    """node -> its steps"""
    functions: str = ""
    """sh functions that the steps call"""


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


PRELUDE = """\
mode=${1:-apply}
node=${2:-$(uname -n)}
applied=0
log=$(mktemp)
exec 3>&1 1>&2

# Of a unit that has an init script too, `systemctl enable` would have update-rc.d read every unit anew: seconds each.
export SYSTEMCTL_SKIP_SYSV=1

# One result line per step on descriptor 3: RESULT NUMBER SECONDS-SINCE-BOOT.
result() { read -r uptime rest </proc/uptime; echo "$1 $2 $uptime" >&3; }
failed() {
    cat "$log" >&2
    df -P / /etc /usr/local/sbin /var/lib/seatrial /run 2>/dev/null |
        awk 'NR > 1 && $4 == 0 { print "no room is left on " $6 }' | sort -u >&2
    rm -f "$log"
    result failed "$1"
    exit 1
}

step() {
    if (set -e; "check_$1") >"$log" 2>&1; then result ok "$1"; return; fi
    if [ "$mode" = check ]; then result pending "$1"; interrupting "$1"; return; fi
    (set -e; "guard_$1"; "apply_$1") >"$log" 2>&1
    [ $? -eq 0 ] || failed "$1"
    applied=$1
    (set -e; "check_$1") >>"$log" 2>&1
    [ $? -eq 0 ] || { echo "the step ran, but its check still fails" >>"$log"; failed "$1"; }
    result changed "$1"
}

# What others use now would be taken away by the step.
interrupting() {
    command -v "interrupts_$1" >"$log" && "interrupts_$1" >"$log" 2>&1 && echo "interrupts $1" >&3
}

# again SECONDS WHAT: in a loop, to wait a moment more, for so long in all; then the step has failed, and says what for.
again() {
    tries=$((${tries:-0} + 1))
    [ "$tries" -le $((2 * $1)) ] || { echo "waited $1 s in vain for $2"; exit 1; }
    sleep 0.5
}

# What was changed is to outlive a power cut right after it.
settle() { [ "$applied" = 0 ] || sync -f / /etc /usr /var; }

# Nothing is overwritten unless blkid and wipefs both see a blank device.
must_be_blank() {
    [ -b "$1" ] || { echo "$1 is not a block device"; return 1; }
    found=$(wipefs --noheadings --output TYPE,LABEL "$1") || return 1
    probe=0
    blkid -p "$1" || probe=$?
    [ "$probe" = 2 ] || found=${found:-something that blkid finds}
    [ -z "$found" ] && return 0
    echo "refused: $1 holds: $found"
    echo "to erase it, name it: --wipe $node:$1"
    return 1
}
all_must_be_blank() {
    pids=
    for device; do must_be_blank "$device" & pids="$pids $!"; done
    all=0
    for pid in $pids; do wait "$pid" || all=1; done
    return "$all"  # `set -e` ends nothing inside a condition
}
"""


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
    functions = "".join(dict.fromkeys([stage.functions, *(step.functions for step in steps)]))
    return f"{head}{PRELUDE}\n{functions}{body}\nmain() {{\n{calls}{end}}}\nmain </dev/null\n"


def render_step(index: int, step: Step) -> str:
    """The three functions of a step; `index` is its number in the script, from 1."""
    reason = "".join(f"#    why: {line}\n" for line in (step.reason or "").splitlines())
    guards = f"all_must_be_blank {shlex.join(step.destroys)}" if step.destroys else ":"
    check = step.check or f'[ "$applied" = {index} ]'
    interrupts = f"interrupts_{index}() {{\n{_indented(step.interrupts)}}}\n" if step.interrupts else ""
    return (
        f"# {index}. {step.title}\n{reason}"
        f"check_{index}() {{\n{_indented(check)}}}\n"
        f"guard_{index}() {{ {guards}; }}\n"
        f"apply_{index}() {{\n{_indented(step.apply)}}}\n{interrupts}"
    )


def _indented(script: str) -> str:
    """Indent a body, except the lines of a here-document."""
    lines, end = [], None
    for line in script.strip("\n").split("\n"):
        lines.append(line if end or not line else f"    {line}")
        if end:
            end = None if line == end else end
        elif "<<'" in line:
            end = line.split("<<'", 1)[1].split("'", 1)[0]
    return "\n".join(lines) + "\n"


DIFFERENCES = "--old-line-format='there: %L' --new-line-format='study: %L' --unchanged-line-format="
"""options of diff that label existing and requested lines"""


def write_file(
    path: str,
    content: str,
    *,
    title: str | None = None,
    after: str = "",
    reason: str | None = None,
    mode: str | None = None,
    shown: bool = False,
    takes: tuple[tuple[str, str], ...] = (),
) -> Step:
    """A step that gives the file `path` this `content`; `after` is run when the file has changed.

    `mode` (octal) is set before the file gets its name, as another process may run it at once.
    With `shown` an audit may print the differing lines, as neither version contains a secret.

    ValueError for text that is not ASCII: dash 0.5.12 loses bytes of other characters in
    here-documents (seen with a line that begins like the delimiter).
    """
    if not content.isascii() or "\0" in content:
        raise ValueError(f"{path}: a plan can only write ASCII text")
    quoted = shlex.quote(path)
    body = content if content.endswith("\n") else content + "\n"
    folder = shlex.quote(path.rsplit("/", 1)[0] or "/")
    chmod = f"chmod {mode} {quoted}.new\n" if mode else ""
    # A file with restricted access must also be restricted while it is written.
    write = f"(umask 077; cat >{quoted}.new)" if mode and mode.endswith("00") else f"cat >{quoted}.new"
    return Step(
        title=title or f"write {path}",
        check=f"cmp -s {quoted} - <<'SEATRIAL'\n{body}SEATRIAL",
        apply=f"mkdir -p {folder}\n{write} <<'SEATRIAL' || {{ rm -f {quoted}.new; exit 1; }}\n{body}SEATRIAL\n"
        f"{chmod}mv {quoted}.new {quoted}\n{after}",
        reason=reason,
        shows=f"diff {DIFFERENCES} {quoted} - <<'SEATRIAL'\n{body}SEATRIAL" if shown else "",
        takes=takes,
    )


def remove_file(path: str, *, after: str = "") -> Step:
    """A step that removes the file `path`; `after` is run when it was removed."""
    quoted = shlex.quote(path)
    return Step(f"remove {path}", f"[ ! -e {quoted} ]", f"rm -f {quoted}\n{after}")


def describe(plan: Plan) -> str:
    """The plan as text: every script, each with a heading that names its stage and nodes."""
    by_script: dict[tuple[int, str], list[str]] = {}
    for number, _stage, node, script in plan.scripts():
        by_script.setdefault((number, plan.masked(script)), []).append(node)
    return "\n".join(
        f"##### stage {number}, {fold(nodes)} #####\n{script}" for (number, script), nodes in by_script.items()
    )
