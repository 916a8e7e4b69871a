"""The optional package `seatrial-research`: the model compared with published systems."""

from importlib.metadata import entry_points
from typing import Any, Protocol, cast

from seatrial.basics.errors import InputError

GROUP = "seatrial.research"
"""the group of its entry point"""
PACKAGE = "seatrial-research"


class PapersValidation(Protocol):
    """The module of the entry point `validation`."""

    def as_data(self) -> dict[str, Any]:
        """The validation for `--json`."""

    def as_text(self) -> str:
        """The validation for the terminal."""


def papers_validation() -> PapersValidation:
    """The validation against the papers; InputError where the package is not installed."""
    installed = entry_points(group=GROUP, name="validation")
    if not installed:
        problem = f"the comparison with published figures is in the package {PACKAGE}"
        raise InputError(problem, f"install it by: pip install {PACKAGE}")
    return cast(PapersValidation, next(iter(installed)).load())
