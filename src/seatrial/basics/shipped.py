"""The parts of Seatrial other than its code: the studies, the published facts, the agent.

In a checkout they are where they are written; a wheel has them in `seatrial/shipped`.
"""

import shlex
import sys
from pathlib import Path

from seatrial.basics.errors import InputError, closest

_IN_WHEEL = Path(__file__).parents[1] / "shipped"
CHECKOUT = Path(__file__).parents[3]


def shipped(name: str) -> Path:
    """The path of `studies`, `published` or `seatrial-agent`; it does not exist where it is not
    installed.
    """
    return _IN_WHEEL / name if _IN_WHEEL.is_dir() else CHECKOUT / name


def in_checkout() -> bool:
    """Whether this is the source tree, where `make setup` restores missing parts."""
    return not _IN_WHEEL.is_dir() and (CHECKOUT / "Makefile").is_file()


def find_agent() -> Path:
    """The static agent of the set-up or of the wheel; InputError without one."""
    built = Path(sys.prefix) / "bin" / "seatrial-agent"
    for path in (built, shipped("seatrial-agent")):
        if path.is_file():
            return path
    hint = "make setup" if in_checkout() else "install a wheel of Seatrial"
    raise InputError(f"{built} is missing: the agent was not built", hint)


def study_places() -> list[dict[str, Path]]:
    """Name -> folder of the studies in the current folder, in its `studies`, and of the shipped
    ones.
    """
    places = (Path(), Path("studies"), shipped("studies"))
    return [
        {study.parent.name: study.parent for study in sorted(base.glob("*/study.yaml"))}
        for base in places
    ]


def study_file(path: Path) -> Path:
    """A study's file: `path` itself, or its folder's; where neither exists, that of a study in
    `studies` by name.

    Those in the current folder take precedence over the shipped ones.
    """
    names = [Path("studies") / path, shipped("studies") / path]
    places = [path, *names] if len(path.parts) == 1 else [path]
    place = next((place for place in places if place.exists()), None)
    if place is None:
        study_names = (
            sorted({name for place in study_places() for name in place})
            if len(path.parts) == 1
            else []
        )
        near = closest(path.name, study_names)
        meant = f"did you mean {near}? Else " if near else ""
        raise InputError(
            f"{path}: no such file", f"{meant}give the path of a study, or a name of seatrial list"
        )
    return place / "study.yaml" if place.is_dir() else place


def is_study(path: Path) -> bool:
    """Whether `study_file` finds one."""
    try:
        return study_file(path).is_file()
    except InputError:
        return False


def installing_typesetter() -> str:
    """The command that installs the typesetter of PDF reports into the environment that
    runs this.
    """
    return f"{shlex.quote(sys.executable)} -m pip install 'typst>=0.15,<0.16'"
