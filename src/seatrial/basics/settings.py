"""The user's defaults: environment variables, and a file in the folder of the XDG base directory
specification.

An option of the command line takes precedence over a variable, a variable over the file, and the
file over the default.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, TypeAdapter, ValidationError

from seatrial.basics.errors import InputError
from seatrial.basics.schema import Model, validate
from seatrial.basics.yamlfile import load_yaml


def _absolute(path: Path) -> Path:
    """Any current folder has to give the same."""
    expanded = path.expanduser()
    if not expanded.is_absolute():
        raise ValueError(f"{str(path)!r} is not absolute; write it like ~/seatrial-results")
    return expanded


class Settings(Model):
    """The file's keys, with their defaults."""

    results: Annotated[Path, AfterValidator(_absolute)] = Path("results")
    """the folder of all results: `--out`; in the file it must be absolute, in a variable it may be
    relative"""
    lab_kernel: Literal["newest", "installed"] = "newest"
    """the kernel of the lab's nodes: the newest available one, or the one that is installed on this
    machine"""
    quiet: bool = False
    """as `--quiet`"""
    log: Literal["info", "debug"] = "info"
    """how much `controller.log` has: `debug` adds whole commands and the steps of scripts"""


def _switch(text: str) -> bool:
    values = {
        "1": True,
        "true": True,
        "yes": True,
        "0": False,
        "false": False,
        "no": False,
        "": False,
    }
    try:
        return values[text.lower()]
    except KeyError:
        raise ValueError(f"{text!r} is neither 1 nor 0") from None


def _kernel(text: str) -> str:
    try:
        return TypeAdapter(Literal["newest", "installed"]).validate_python(text)
    except ValidationError:
        raise ValueError(f"{text!r} is neither newest nor installed") from None


def _log(text: str) -> str:
    if text not in ("info", "debug"):
        raise ValueError(f"{text!r} is neither info nor debug")
    return text


VARIABLES: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "SEATRIAL_RESULTS": ("results", lambda text: Path(text).expanduser()),
    "SEATRIAL_LAB_KERNEL": ("lab_kernel", _kernel),
    "SEATRIAL_QUIET": ("quiet", _switch),
    "SEATRIAL_LOG": ("log", _log),
}
"""variable -> (key, how its text is read); an empty one is not set"""


def settings_file() -> Path:
    """`$XDG_CONFIG_HOME/seatrial/config.yaml`, by default in `~/.config`."""
    base = os.environ.get("XDG_CONFIG_HOME")
    return Path(base or Path.home() / ".config") / "seatrial" / "config.yaml"


def settings() -> Settings:
    """The settings from variables, file and defaults; InputError for a wrong variable, or with the
    place in the file.
    """
    of_file = _of_file()
    texts = {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}
    changes = {}
    for name, text in texts.items():
        key, read = VARIABLES[name]
        try:
            changes[key] = read(text)
        except ValueError as error:
            raise InputError(f"{name}: {error}") from None
    return of_file.replaced(**changes)


def _of_file() -> Settings:
    path = settings_file()
    if not path.is_file():
        return Settings()
    source = load_yaml(path)
    return validate(Settings, source.data, source)
