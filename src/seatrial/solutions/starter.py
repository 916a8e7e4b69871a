"""The first study of a kind of solution, which `seatrial new` writes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from seatrial.basics.optional import Optional
from seatrial.solutions.base import solution_kind, solution_kinds


@dataclass(frozen=True)
class Starter:
    """`STARTER` of the module of a kind.

    The template gets `kind`, `title`, `id`, `hosts`, `here`, `storage`, `nodes`, `single`,
    `clients` and `ends`. It can import `parts.j2` and extend `server.yaml.j2` of Seatrial.
    """

    title: str
    """the title of the study"""
    template: str
    """a Jinja template in the folder of the kind's module"""
    measures_existing: bool = False
    """The storage exists: a study of this machine is possible, and one of the lab is not."""
    folder: str = ""
    """a shipped folder, `studies/...`, that is copied next to the study, as `solution`"""


@runtime_checkable
class HasStarter(Protocol, metaclass=Optional):
    """The module of a kind with a first study."""

    STARTER: Starter
    __file__: str | None


@dataclass(frozen=True)
class FoundStarter:
    """A first study, with the folder of its template."""

    starter: Starter
    folder: Path


def starters() -> dict[str, FoundStarter]:
    """The first studies by kind; kinds without one are left out."""
    modules = {name: solution_kind(name) for name in solution_kinds()}
    return {
        name: FoundStarter(module.STARTER, Path(str(module.__file__)).parent)
        for name, module in modules.items()
        if isinstance(module, HasStarter)
    }
