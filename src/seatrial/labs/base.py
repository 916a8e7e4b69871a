"""What every lab offers, what only some can, and the list of kinds (one file beside this one each)."""

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import seatrial.labs
from seatrial.schema import Model
from seatrial.site import Site
from seatrial.study import Paths, Study

Say = Callable[[str], None]


@runtime_checkable
class Lab(Protocol):
    """Nodes that can be reached over ssh."""

    kind: str

    @property
    def ssh_config(self) -> Path | None:
        """The configuration that `ssh -F` needs; None means the user's own."""

    def down(self) -> None:
        """Leave no process, mount, namespace or file; nothing where the lab made none."""

    def facts(self) -> dict[str, Any]:
        """What the record says of this lab."""


@runtime_checkable
class PowerControl(Protocol):
    """A lab that can cut and restore a node's power."""

    def power(self, node: str, state: str) -> None:
        """`on`, `off` (cut), `frozen` or `thawed`."""


@runtime_checkable
class LinkControl(Protocol):
    """A lab that can cut and mend a node's link to a network."""

    def link(self, node: str, network: str, *, up: bool) -> None:
        """Plug or unplug."""


@runtime_checkable
class CablingControl(Protocol):
    """A lab that can hang a node's disks on other storage paths while the node runs."""

    def cable(self, node: str, paths: Paths) -> None:
        """Move the cables; what is under way waits and goes on."""


@runtime_checkable
class NetworkControl(Protocol):
    """A lab that can switch a whole network off."""

    def network(self, name: str, *, up: bool) -> None:
        """Its switch loses its power, or gets it back."""


@runtime_checkable
class CompanionControl(Protocol):
    """A lab with devices beside the nodes: management controllers, power distribution units."""

    def companion(self, name: str, mode: str, delay_s: float = 0.0) -> None:
        """How it answers from now on."""


@runtime_checkable
class BusControl(Protocol):
    """A lab whose nodes hang on power buses."""

    def bus(self, pdu: str, *, live: bool) -> None:
        """The current before a power distribution unit fails, or comes back."""


@runtime_checkable
class PowerLog(Protocol):
    """A lab that notes whose power changed when."""

    def power_log(self) -> list[dict[str, Any]]:
        """Every change: `unix_s`, `node`, `what`, `by`."""


class LabKind(Protocol):
    """The module of a kind of lab."""

    Options: type[Model]

    def site(self, study: Study) -> Site:
        """What the plan may know, without a lab being up; InputError when the study does not fit."""

    def up(
        self, study: Study, *, systemd_nodes: Iterable[str], name: str, console: Path, detached: bool, say: Say
    ) -> Lab:
        """Bring the nodes up; RunError when one does not come."""

    def find(self, study: Study, name: str) -> Lab | None:
        """The lab called `name` that is up already, or None."""


_HELPERS = {"base", "image", "keeper", "keeper_spec", "network"}


def lab_kinds() -> list[str]:
    """The kinds that exist."""
    return [item.name for item in pkgutil.iter_modules(seatrial.labs.__path__) if item.name not in _HELPERS]


def lab_kind(study: Study) -> LabKind:
    """The module of the study's lab."""
    kind = study.lab.kind
    if kind not in lab_kinds():
        raise study.mistake(("lab", "kind"), f"{kind!r} is not known; one of {', '.join(lab_kinds())}")
    return cast(LabKind, importlib.import_module(f"seatrial.labs.{kind}"))
