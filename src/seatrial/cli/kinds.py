"""The names of kinds for the help of verbs, without an import of their modules."""

from __future__ import annotations

import pkgutil
from pathlib import Path

import seatrial

_SOURCE = Path(seatrial.__file__).parent


def shipped_kinds(folder: str) -> str:
    """The kinds in a folder such as `writers/formats`: `csv, json`.

    Kinds of other packages are left out: a search for them would slow down every command.
    """
    modules = pkgutil.iter_modules([str(_SOURCE / folder)])
    return ", ".join(sorted(item.name.replace("_", "-") for item in modules))
