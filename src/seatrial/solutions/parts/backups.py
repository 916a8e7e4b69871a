"""Backup and restore of a node's state that a study takes over.

Two copies of each file are stored next to the study's marker: the original (or a note that there
was none) and the study's version. The original is restored only when the file still is the study's
version; a file that was edited since is left unchanged.
"""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seatrial.plan.plan import Step

MADE = "/var/lib/seatrial/made"
"""accessible by root alone; each study on the node has a folder with `mark`, later `left`"""

FUNCTIONS = (Path(__file__).parent / "backups.sh").read_text(encoding="ascii")


def before(study_id: str) -> str:
    """The folder with the backups of a study."""
    return f"{MADE}/{study_id}/before"


def _copy(study_id: str, path: str) -> str:
    """The backup of a file; `.ours` is the study's version, `.absent` notes a missing original."""
    return f"{before(study_id)}/{path.strip('/').replace('/', '-')}"


def back_up(study_id: str, path: str) -> str:
    """sh: back the file up once, atomically, as a partial copy would be restored."""
    copy, quoted = _copy(study_id, path), shlex.quote(path)
    return (
        f"[ -e {copy} ] || [ -e {copy}.absent ] || (\n    umask 077\n    mkdir -p {before(study_id)}\n"
        f"    [ -s {quoted} ] || exec touch {copy}.absent\n    cp -p {quoted} {copy}.new && mv {copy}.new {copy} ||\n"
        f"        {{ rm -f {copy}.new; exit 1; }}\n)"
    )


def store_version(study_id: str, path: str) -> str:
    """sh: store the study's version, which is next to the file as `.new`.

    This precedes the replacement: after a killed deployment a removal would otherwise consider the
    file edited.
    """
    ours = f"{_copy(study_id, path)}.ours"
    return (
        f"(umask 077 && cp {shlex.quote(path)}.new {ours}.new && mv {ours}.new {ours} ||\n"
        f"    {{ rm -f {ours}.new; exit 1; }})"
    )


def write_with_backup(study_id: str, step: Step, path: str) -> Step:
    """A step of `write_file` for a file that belongs to the whole node, with a backup."""
    moved = f"mv {shlex.quote(path)}.new {shlex.quote(path)}\n"
    apply = step.apply.replace(moved, f"{store_version(study_id, path)}\n{moved}", 1)
    return replace(step, apply=f"{back_up(study_id, path)}\n{apply}")


def restore(study_id: str, path: str, *, otherwise: str = "") -> Step:
    """Restore the original file, or its absence; `otherwise`: sh for a file edited since."""
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
    """sh: set the MTU of $link, and record the original one."""
    copy, half = (f"{before(study_id)}/{name}$link" for name in ("mtu-", "new-mtu-"))
    return (
        f"(\n    umask 077\n    mkdir -p {before(study_id)}\n"
        f'    if [ -e "{copy}" ]; then read -r was _ <"{copy}"; else read -r was <"/sys/class/net/$link/mtu"; fi\n'
        f'    echo "$was {mtu}" >"{half}" && mv "{half}" "{copy}" || {{ rm -f "{half}"; exit 1; }}\n)\n'
        f'ip link set dev "$link" mtu {mtu}'
    )


def restore_mtu(study_id: str) -> Step:
    """Restore the MTU of every link, except of links changed since."""
    copies = f"{before(study_id)}/mtu-*"
    return Step(
        "restore the MTU of links",
        f"for kept in {copies}; do [ ! -e $kept ] || exit 1; done",
        f"for kept in {copies}; do\n    read -r was ours <$kept\n    link=${{kept##*/mtu-}}\n"
        "    read -r now </sys/class/net/$link/mtu || now=\n"
        '    [ "$now" != "$ours" ] || ip link set dev "$link" mtu "$was"\n    rm $kept\ndone',
    )


def back_up_line(study_id: str, path: str, key: str) -> str:
    """sh: back up the line `key = value` that a setting replaces."""
    line = f"{_copy(study_id, path)}.line"
    return f"[ -s {line} ] || (umask 077 && grep -m 1 '^[[:space:]]*#*[[:space:]]*{key} *=' {path} >{line})"


def restore_line(study_id: str, path: str, key: str) -> str:
    """sh: restore that line, whatever else was edited."""
    copy = _copy(study_id, path)
    return (
        f"sed -e '/^[[:space:]]*{key} *=/{{' -e 'r {copy}.line' -e 'd' -e '}}' {path} >{path}.new\n"
        f"    chmod --reference={path} {path}.new\n    mv {path}.new {path}"
    )


def back_up_units(study_id: str, units: Sequence[str]) -> Step:
    """Record the state of units that a plan changes; a missing unit is `absent`."""
    backup = f"{before(study_id)}/units"
    names = " ".join(unit if "." in unit else f"{unit}.service" for unit in units)
    return Step(
        f"store the state of {', '.join(units)}",
        f"units_are_kept {backup} {names}",
        f"keep_units {backup} {names}",
        functions=FUNCTIONS,
    )


def restore_units(study_id: str) -> Step:
    """Restore the units: those that were enabled or active are so again."""
    backup = f"{before(study_id)}/units"
    return Step(
        "restore the state of units",
        f"[ ! -e {backup} ]",
        f"give_back_units {backup}\nrm {backup}",
        functions=FUNCTIONS,
    )
