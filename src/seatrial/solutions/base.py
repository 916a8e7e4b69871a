"""What every kind of solution answers, and the list of kinds (one file beside this one each)."""

import importlib
import pkgutil
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol, cast

import seatrial.solutions
from seatrial.model import DataPath
from seatrial.plan import Plan
from seatrial.schema import Model
from seatrial.site import Site
from seatrial.study import Study

Wipe = Mapping[str, frozenset[str]]
"""Devices that the user has named, by node: they may be erased."""


class Solution(Protocol):
    """A solution as one study configures it, at one site."""

    servers: tuple[str, ...]
    clients: tuple[str, ...]
    directory: str
    """where the clients see the storage"""
    local_directory: str
    """where the first server sees it, without the network"""

    @property
    def layout(self) -> Hashable:
        """What the place of the data depends on: where two values differ, the storage has to be made anew."""

    def plan(self, wipe: Wipe) -> Plan:
        """What puts it in service."""

    def removal(self, wipe: Wipe) -> Plan:
        """What takes it out of service; data stay unless their devices are named."""

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """What leaves no byte of earlier phases in the memory of clients or servers."""

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """The resources between so many clients, or the server itself, and the disks."""

    def parts(self) -> list[tuple[str, str]]:
        """What was built, for the report: (part, description)."""


class SolutionKind(Protocol):
    """The module of a kind of solution."""

    Options: type[Model]

    def load(self, study: Study, site: Site) -> Solution:
        """Read the study's options; InputError when they do not fit the site."""


def solution_kinds() -> list[str]:
    """The kinds that exist, as a study writes them (`nfs-ha` is the module nfs_ha)."""
    names = [item.name for item in pkgutil.iter_modules(seatrial.solutions.__path__)]
    return [name.replace("_", "-") for name in names if name not in {"base", "filesystem", "raid", "steps"}]


def solution_kind(name: str) -> SolutionKind:
    """The module of the kind `name`."""
    return cast(SolutionKind, importlib.import_module(f"seatrial.solutions.{name.replace('-', '_')}"))


def load_solution(study: Study, site: Site) -> Solution:
    """The study's solution; InputError when its kind is not known or its options are wrong."""
    kind = study.solution.kind
    if kind not in solution_kinds():
        raise study.mistake(("solution", "kind"), f"{kind!r} is not known; one of {', '.join(solution_kinds())}")
    return solution_kind(kind).load(study, site)


def options_data(study: Study) -> dict[str, Any]:
    """The solution's keys as written, for its own model."""
    return {"kind": study.solution.kind, **study.solution.options()}
