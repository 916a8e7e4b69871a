"""Plug-ins of tests: modules with the same names in different tests of one process."""

import sys

from seatrial.basics import plugins


def forget_modules(*names: str) -> None:
    """Let the next test load its own plug-ins of these names."""
    endings = tuple(f".{name}" for name in names)
    for module in [module for module in sys.modules if module.endswith(endings)]:
        del sys.modules[module]
    plugins._imported.cache_clear()
