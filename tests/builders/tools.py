"""The scripts of the repository, as modules: `scripts` is no package."""

import importlib
import sys
from typing import Any

from tests.builders.places import ROOT

SCRIPTS = ROOT / "scripts"


def script(name: str) -> Any:
    """The module of `scripts/NAME.py`."""
    if str(SCRIPTS) not in sys.path:
        sys.path.insert(0, str(SCRIPTS))
    return importlib.import_module(name)
