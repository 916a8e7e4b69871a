"""The folder of a scripted solution: its manifest, `solution.yaml`, and the scripts that it names.

It is read and checked here; `kinds/script.py` combines it with a study and a site.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from seatrial.basics.errors import InputError
from seatrial.basics.schema import Model, mistake, validate
from seatrial.basics.text import FilePath
from seatrial.basics.yamlfile import Location, YamlFile, load_yaml
from seatrial.plan.data_path import ResourceRole

MANIFEST = "solution.yaml"
CLIENT = "client"
"""the role of the nodes that load the storage"""
SHELLS = ("sh", "bash")
SCRIPT_BYTES_MAX = 100_000
"""a shell takes 128 KiB as one argument"""


def _not_ours(name: str) -> str:
    if name.startswith("SEATRIAL_"):
        raise ValueError("names that begin with SEATRIAL_ are given by Seatrial; choose another")
    return name


Line = Annotated[str, Field(pattern=r"^[ -~]+$")]
"""one line of ASCII, for comments of rendered scripts"""
File = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")]
Role = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Variable = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$"), AfterValidator(_not_ours)]
Value = Annotated[str, Field(pattern=r"^[ -~]*$")] | bool | int | float
Command = Annotated[str, Field(pattern=r"^[A-Za-z0-9._+-]+$")]
Package = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.+-]*$")]
Unit = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9:_.@-]*$")]
Crossed = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]* (links|paths|disks)$")]
"""the key of a resource, see `CrossedPart`"""
Word = Annotated[str, Field(pattern=r"^[!-\[\]-~]+$")]
"""a word of /etc/fstab: no blank, and no backslash, which is an escape there"""


class ScriptStep(Model):
    """One change on a node; `check`, `apply`, `remove` and `removed` are files of the folder."""

    title: Line = Field(description="A line in the imperative.")
    check: File = Field(
        description="Script that exits with 0 if nothing is to do. It runs again after `apply`.",
    )
    apply: File = Field(description="Script that makes the change.")
    remove: File | None = Field(
        None,
        description=(
            "Script that undoes the change when the storage is taken out of service. It keeps the"
            " data."
        ),
    )
    removed: File | None = Field(
        None,
        description=(
            "Script that exits with 0 where the change is undone. By default, where `check` fails."
        ),
    )
    destroys: bool = Field(
        False,
        description=(
            "The step overwrites disks: refused unless each is blank or named with `--wipe`."
        ),
    )
    reason: Line | None = Field(None, description="For a tuning step: why it is made.")


class ScriptStage(Model):
    """Steps of every node of a role; all complete them before the next stage begins."""

    title: Line = Field(description="Title of the stage.")
    role: Role = Field(description="Role of the nodes that run it.")
    nodes: Literal["all", "first"] = Field(
        "all",
        description="`first`: only the first node of the role.",
    )
    steps: tuple[ScriptStep, ...] = Field(min_length=1, description="The steps, in order.")


class Mount(Model):
    """The mount of every client.

    In `device`, `{server}` is the first server's address, `{servers}` are all of them with commas
    between, and `{study}` is the study's id.
    """

    type: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")] = Field(
        description="Type of the file system.",
    )
    device: Word = Field(description="Device, with `{server}`, `{servers}` and `{study}` replaced.")
    options: tuple[Annotated[str, Field(pattern=r"^[!-+\--\[\]-~]+$")], ...] = Field(
        (),
        description="Mount options.",
    )


class Crossing(Model):
    """Bytes that cross a resource per byte that a client reads or writes: a number or a value."""

    read: Annotated[float, Field(gt=0)] | Variable = Field(
        1.0,
        description="Bytes for each byte that a client reads: a number, or the name of a value.",
    )
    write: Annotated[float, Field(gt=0)] | Variable = Field(
        1.0,
        description="Bytes for each byte that a client writes: a number, or the name of a value.",
    )


class NodePart(StrEnum):
    """A part of nodes that bytes cross, as a manifest writes it."""

    LINKS = "links"
    PATHS = "paths"
    DISKS = "disks"


@dataclass(frozen=True)
class CrossedPart:
    """A key of `data_path`: the part of the nodes of a role."""

    role: str
    part: NodePart

    @classmethod
    def of(cls, key: str) -> "CrossedPart":
        """The part that a valid key names: `server disks`."""
        role, part = key.split()
        return cls(role, NodePart(part))

    @property
    def is_of_clients(self) -> bool:
        """Whether more clients bring more of it."""
        return self.role == CLIENT

    @property
    def resource_role(self) -> ResourceRole:
        """The role of its resource in estimates."""
        match self.part:
            case NodePart.LINKS if self.is_of_clients:
                return ResourceRole.CLIENT_LINKS
            case NodePart.LINKS:
                return ResourceRole.SERVER_LINKS
            case NodePart.PATHS:
                return ResourceRole.STORAGE_PATHS
            case NodePart.DISKS:
                return ResourceRole.DISK_POOL


class ManifestTimer(Model):
    """A timer of the file system, with which a study limits the silence of a client."""

    seconds: Annotated[float, Field(gt=0)] | Variable = Field(
        description="A number, or the name of a value.",
    )
    source: Line = Field(description="The setting or rule that the time comes from.")


class ManifestLogs(Model):
    """Where the daemons on the nodes of a role write their logs."""

    units: tuple[Unit, ...] = Field((), description="Units of systemd: their part of the journal.")
    files: tuple[FilePath, ...] = Field((), description="Log files that daemons write themselves.")


class Manifest(Model):
    """The file solution.yaml."""

    title: Line = Field(description="Name of the storage, for plans and the report.")
    packages: dict[Role, dict[Command, Package]] = Field(
        default_factory=dict,
        description="Packages by the command that they provide, by role.",
    )
    values: dict[Variable, Value | None] = Field(
        default_factory=dict,
        description=(
            "Variables in capital letters with defaults: text, number, `true`, `false`; "
            "null if the study must set them."
        ),
    )
    layout: tuple[Variable, ...] = Field(
        (),
        description="Values that need a new file system when they change. Other servers always do.",
    )
    warnings: tuple[Line, ...] = Field(
        (),
        description="Warnings for the report about unsafe settings.",
    )
    stages: tuple[ScriptStage, ...] = Field(
        min_length=1,
        description="The stages, in order. Every node completes a stage before the next begins.",
    )
    mount: Mount = Field(description="The mount of every client.")
    timers: dict[Annotated[str, Field(pattern=r"^[a-z][a-z-]*$")], ManifestTimer] = Field(
        default_factory=dict,
        description="Times of the file system for the limits of faults, by name.",
    )
    logs: dict[Role, ManifestLogs] = Field(
        default_factory=dict,
        description="Logs that a result keeps of each fault, by role.",
    )
    data_path: dict[Crossed, Crossing] = Field(
        description=(
            "Bytes that cross `ROLE links`, `ROLE paths` or `ROLE disks` for each byte of the load."
        ),
    )


@dataclass(frozen=True)
class Script:
    """One script of the folder."""

    file: str
    shell: str
    text: str

    @cached_property
    def possible_names(self) -> frozenset[str]:
        """All words of the script that could be names of variables."""
        return frozenset(re.findall(r"[A-Z][A-Z0-9_]*", self.text))

    def call(self, variables: Mapping[str, str]) -> str:
        """The sh text that runs the script with those of the variables that it names.

        A here-document keeps its text unchanged; as an argument it leaves standard input alone.
        Background processes of the script must not hold the descriptor of the results.
        """
        exports = [
            f"export {name}={shlex.quote(value)}\n"
            for name, value in variables.items()
            if name in self.possible_names
        ]
        text = self.text if self.text.endswith("\n") else f"{self.text}\n"
        return (
            f"{''.join(exports)}script=$(cat <<'SEATRIAL'\n{text}SEATRIAL\n)\n"
            f'{self.shell} -euc "$script" {shlex.quote(self.file)} 3>&-'
        )


@dataclass(frozen=True)
class ScriptFolder:
    """A manifest and every script that it names."""

    path: Path
    manifest: Manifest
    source: YamlFile
    scripts: Mapping[str, Script]
    """file -> script"""

    @property
    def texts(self) -> dict[str, str]:
        """Path from the study's folder -> text, of every file."""
        texts = {
            MANIFEST: self.source.text,
            **{file: script.text for file, script in self.scripts.items()},
        }
        return {f"{self.path.name}/{file}": text for file, text in texts.items()}

    def mistake(self, location: Location, message: str) -> InputError:
        """The error for a mistake in the manifest."""
        return mistake(self.source, location, message)

    def check_variables(self, variables: Mapping[str, str]) -> None:
        """InputError when a script names an unknown SEATRIAL_ variable."""
        for file, script in self.scripts.items():
            for match in re.finditer(r"\bSEATRIAL_[A-Z0-9_]*", script.text):
                if match[0] not in variables:
                    names = ", ".join(name for name in variables if name.startswith("SEATRIAL_"))
                    problem = f"no variable is called {match[0]}; one of {names}"
                    raise _wrong(self.path / file, script.text, match.start(), problem)


def read_folder(path: Path) -> ScriptFolder:
    """Read the manifest in `path` and its scripts; InputError with the place of a mistake."""
    if (path / MANIFEST).is_symlink():
        raise InputError(f"{path / MANIFEST} is a link", "put the manifest itself there")
    source = load_yaml(path / MANIFEST)
    manifest = validate(Manifest, source.data, source)
    folder = ScriptFolder(path, manifest, source, scripts := {})
    for number, stage in enumerate(manifest.stages):
        for index, step in enumerate(stage.steps):
            place: Location = ("stages", number, "steps", index)
            if step.removed and not step.remove:
                problem = "nothing undoes this step; name a script in remove"
                raise folder.mistake((*place, "removed"), problem)
            for key in ("check", "apply", "remove", "removed"):
                file = getattr(step, key)
                if file is not None and file not in scripts:
                    scripts[file] = _read(folder, (*place, key), path / file)
    for index, name in enumerate(manifest.layout):
        if name not in manifest.values:
            problem = f"no value is called {name!r}; add it to values"
            raise folder.mistake(("layout", index), problem)
    return folder


def _read(folder: ScriptFolder, place: Location, path: Path) -> Script:
    """One script; InputError when a plan could not contain it unchanged."""
    # A link in a received folder would copy a local file into plans and results.
    if path.is_symlink():
        raise folder.mistake(place, f"{path} is a link; put the script itself there")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = (
            "no such file" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"
        )
        raise folder.mistake(place, f"{path}: {reason}") from None
    # dash loses bytes of other characters in here-documents (see plan.write_file).
    if strange := re.search(r"[^\t\n -~]", text):
        problem = f"{strange[0]!r} in a script, which must be plain ASCII text"
        raise _wrong(path, text, strange.start(), problem)
    if ending := re.search(r"^SEATRIAL$", text, re.MULTILINE):
        problem = "a line that is only SEATRIAL ends the script in the plan; add other text to it"
        raise _wrong(path, text, ending.start(), problem)
    if len(text) > SCRIPT_BYTES_MAX:
        raise _wrong(
            path,
            text,
            SCRIPT_BYTES_MAX,
            f"a script has at most {SCRIPT_BYTES_MAX} bytes; divide it into steps",
        )
    shebang = re.match(r"#!\s*(?:\S*/env\s+)?(?:\S*/)?(\S+)", text)
    if shebang and shebang[1] not in SHELLS:
        raise _wrong(
            path, text, 0, f"{shebang[0]!r}: a script begins with #!/bin/sh or #!/bin/bash"
        )
    return Script(path.name, shebang[1] if shebang else SHELLS[0], text)


def _wrong(path: Path, text: str, position: int, message: str) -> InputError:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return InputError(f"{path}:{line}:{column}: {message}")
