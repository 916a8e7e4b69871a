"""What a study takes over of a node is kept beside its mark, as it was before, and given back when it goes.

Of each file there are two copies: what was there (or that nothing was), and what the study wrote. The former one is put
back only where the file is still what the study wrote: what somebody has edited since is theirs, and stays.
"""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seatrial.plan.plan import Step

MADE = "/var/lib/seatrial/made"
"""root's alone; for each study that builds on the node a folder, with `mark` while it does and `left` afterwards"""

FUNCTIONS = (Path(__file__).parent / "kept.sh").read_text(encoding="ascii")


def before(study_id: str) -> str:
    """The folder of what a study found."""
    return f"{MADE}/{study_id}/before"


def _copy(study_id: str, path: str) -> str:
    """Where a file is kept; with `.ours` what the study wrote, with `.absent` that there was none."""
    return f"{before(study_id)}/{path.strip('/').replace('/', '-')}"


def keep(study_id: str, path: str) -> str:
    """sh: keep the file, once. Whole or not at all: a copy that was cut off would be given back."""
    copy, quoted = _copy(study_id, path), shlex.quote(path)
    return (
        f"[ -e {copy} ] || [ -e {copy}.absent ] || (\n    umask 077\n    mkdir -p {before(study_id)}\n"
        f"    [ -s {quoted} ] || exec touch {copy}.absent\n    cp -p {quoted} {copy}.new && mv {copy}.new {copy} ||\n"
        f"        {{ rm -f {copy}.new; exit 1; }}\n)"
    )


def note(study_id: str, path: str) -> str:
    """sh: keep what the study is about to put in the file's place, which is beside it with `.new`.

    Before it is there: of a deploy that is killed between the two, a removal would take it for somebody's.
    """
    ours = f"{_copy(study_id, path)}.ours"
    return (
        f"(umask 077 && cp {shlex.quote(path)}.new {ours}.new && mv {ours}.new {ours} ||\n"
        f"    {{ rm -f {ours}.new; exit 1; }})"
    )


def write_kept(study_id: str, step: Step, path: str) -> Step:
    """A step of `write_file` for a file that belongs to the whole node."""
    moved = f"mv {shlex.quote(path)}.new {shlex.quote(path)}\n"
    apply = step.apply.replace(moved, f"{note(study_id, path)}\n{moved}", 1)
    return replace(step, apply=f"{keep(study_id, path)}\n{apply}")


def give_back(study_id: str, path: str, *, otherwise: str = "") -> Step:
    """The file as it was before, or none; `otherwise`: sh for one that somebody has edited since."""
    copy, quoted = _copy(study_id, path), shlex.quote(path)
    edited = otherwise or f"echo '{path} was edited since it was written; it stays as it is'"
    return Step(
        f"restore {path}",
        f"[ ! -e {copy} ] && [ ! -e {copy}.absent ]",
        f"if ! [ -e {quoted} ] || cmp -s {quoted} {copy}.ours; then\n"
        f"    if [ -e {copy} ]; then cp -p {copy} {quoted}.new && mv {quoted}.new {quoted}; else rm -f {quoted}; fi\n"
        f"else\n    {edited}\nfi\nrm -f {copy}.ours {copy}.line {copy}.absent {copy}",
    )


def mtu_set(study_id: str, mtu: int) -> str:
    """sh: set the MTU of $link, and keep what it was before the first time."""
    copy, half = (f"{before(study_id)}/{name}$link" for name in ("mtu-", "new-mtu-"))
    return (
        f"(\n    umask 077\n    mkdir -p {before(study_id)}\n"
        f'    if [ -e "{copy}" ]; then read -r was _ <"{copy}"; else read -r was <"/sys/class/net/$link/mtu"; fi\n'
        f'    echo "$was {mtu}" >"{half}" && mv "{half}" "{copy}" || {{ rm -f "{half}"; exit 1; }}\n)\n'
        f'ip link set dev "$link" mtu {mtu}'
    )


def mtu_given_back(study_id: str) -> Step:
    """Every link as it was, but for those that somebody has set since."""
    copies = f"{before(study_id)}/mtu-*"
    return Step(
        "restore the MTU of links",
        f"for kept in {copies}; do [ ! -e $kept ] || exit 1; done",
        f"for kept in {copies}; do\n    read -r was ours <$kept\n    link=${{kept##*/mtu-}}\n"
        "    read -r now </sys/class/net/$link/mtu || now=\n"
        '    [ "$now" != "$ours" ] || ip link set dev "$link" mtu "$was"\n    rm $kept\ndone',
    )


def line_kept(study_id: str, path: str, key: str) -> str:
    """sh: keep the line of `key = value` that a setting replaces."""
    line = f"{_copy(study_id, path)}.line"
    return f"[ -s {line} ] || (umask 077 && grep -m 1 '^[[:space:]]*#*[[:space:]]*{key} *=' {path} >{line})"


def line_given_back(study_id: str, path: str, key: str) -> str:
    """sh: put that line back, whatever else was edited."""
    copy = _copy(study_id, path)
    return (
        f"sed -e '/^[[:space:]]*{key} *=/{{' -e 'r {copy}.line' -e 'd' -e '}}' {path} >{path}.new\n"
        f"    chmod --reference={path} {path}.new\n    mv {path}.new {path}"
    )


def units_kept(study_id: str, units: Sequence[str]) -> Step:
    """Keep how units are that a plan starts, stops, enables or disables; one that is not installed yet is `absent`."""
    kept = f"{before(study_id)}/units"
    names = " ".join(unit if "." in unit else f"{unit}.service" for unit in units)
    return Step(
        f"store the state of {', '.join(units)}",
        f"units_are_kept {kept} {names}",
        f"keep_units {kept} {names}",
        functions=FUNCTIONS,
    )


def units_given_back(study_id: str) -> Step:
    """As they were: what was enabled or ran does so again."""
    kept = f"{before(study_id)}/units"
    return Step(
        "restore the state of units",
        f"[ ! -e {kept} ]",
        f"give_back_units {kept}\nrm {kept}",
        functions=FUNCTIONS,
    )
