"""Backup and restore of a node's state that a study takes over.

Two copies of each file are stored next to the study's marker: the original (or a note that there
was none) and the study's version. The original is restored only when the file still is the study's
version; a file that was edited since is left unchanged.
"""

from collections.abc import Sequence
from pathlib import Path

from seatrial.plan.plan import Step, command_step
from seatrial.plan.resources import OriginalFile, OriginalMtus

MADE = "/var/lib/seatrial/made"
"""accessible by root alone; each study on the node has a folder with `mark`, later `left`"""

FUNCTIONS = (Path(__file__).parent / "backups.sh").read_text(encoding="ascii")


def before(study_id: str) -> str:
    """The folder with the backups of a study."""
    return f"{MADE}/{study_id}/before"


def backup_of(study_id: str, path: str) -> str:
    """The backup of a file; `.ours` is the study's version, `.absent` notes a missing original."""
    return f"{before(study_id)}/{path.strip('/').replace('/', '-')}"


def restore(study_id: str, path: str, *, setting: str = "") -> Step:
    """Restore the original file, or its absence; of an edited file only the line of `setting`."""
    return Step(f"restore {path}", OriginalFile(path, backup_of(study_id, path), setting))


def restore_mtu(study_id: str) -> Step:
    """Restore the MTU of every link, except of links changed since."""
    return Step("restore the MTU of links", OriginalMtus(before(study_id)))


def back_up_units(study_id: str, units: Sequence[str]) -> Step:
    """Record the state of units that a plan changes; a missing unit is `absent`."""
    backup = f"{before(study_id)}/units"
    names = " ".join(unit if "." in unit else f"{unit}.service" for unit in units)
    return command_step(
        f"store the state of {', '.join(units)}",
        f"units_are_kept {backup} {names}",
        f"keep_units {backup} {names}",
        functions=FUNCTIONS,
    )


def restore_units(study_id: str) -> Step:
    """Restore the units: those that were enabled or active are so again."""
    backup = f"{before(study_id)}/units"
    return command_step(
        "restore the state of units",
        f"[ ! -e {backup} ]",
        f"give_back_units {backup}\nrm {backup}",
        functions=FUNCTIONS,
    )
