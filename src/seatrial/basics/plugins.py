"""Plug-ins: the files of a folder, and the entry points of other installed packages for it.

There is no registration. A file `slow_disk.py` is the plug-in `slow-disk`. So is an entry point of
that name in the group of the folder, where it has one, with a module as value. The files of the
folder take precedence.
"""

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from seatrial.basics.errors import InputError


@dataclass(frozen=True)
class Plugins:
    """All of one sort."""

    folder: str
    """the package that contains the modules"""
    group: str | None
    """of entry points; None where no other package can add one"""
    interface: Sequence[str]
    """the names that each of them must define"""

    def names(self) -> list[str]:
        """The names of the existing plug-ins, as users write them."""
        brought = (item.name for item in self._brought())
        return sorted({name.replace("_", "-") for name in (*self._files(), *brought)})

    def load(self, name: str) -> Any:
        """The module; KeyError when there is none, InputError when it cannot be loaded or lacks a
        required name.
        """
        module, where = self._module(name)
        missing = [item for item in self.interface if not hasattr(module, item)]
        if missing:
            raise InputError(
                f"{where}: {name!r} has no {', '.join(missing)}",
                f"all of {', '.join(self.interface)}",
            )
        return module

    def _module(self, name: str) -> tuple[Any, str]:
        plain = name.replace("-", "_")
        if plain in self._files():
            where = f"{self.folder}.{plain}"
            return _imported(where), where
        brought = [item for item in self._brought() if item.name.replace("-", "_") == plain]
        if not brought:
            raise KeyError(name)
        try:
            return brought[0].load(), brought[0].value
        except (ImportError, AttributeError) as error:
            raise InputError(
                f"{brought[0].value}: {error}", f"the entry point {name} of {self.group}"
            ) from error

    def _files(self) -> frozenset[str]:
        return _modules_in(tuple(_imported(self.folder).__path__))

    def _brought(self) -> tuple[EntryPoint, ...]:
        return _entry_points(self.group, tuple(sys.path)) if self.group else ()


@cache
def _imported(name: str) -> Any:
    """A module; the import system, which takes a lock each time, is asked once."""
    return importlib.import_module(name)


@lru_cache
def _modules_in(folders: tuple[str, ...]) -> frozenset[str]:
    """The modules of some folders. A study needs the list hundreds of times; a folder is
    read once.
    """
    return frozenset(item.name for item in pkgutil.iter_modules(folders))


@lru_cache
def _entry_points(group: str, _path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """Every installed package is searched, which takes 10 ms: once for each group and path."""
    return tuple(entry_points(group=group))
