"""The resources of a node that a plan changes: files, packages, units, mounts, links.

A resource is data. Its shell text is a call of a function of `sh/` with quoted arguments, so a
solution never builds or edits shell text for it. Other changes are a `Command` with free text.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol


@dataclass(frozen=True)
class Shell:
    """The shell text of a resource."""

    check: str | None
    """exit 0 means that nothing has to be done; None: an action that always runs"""
    apply: str
    """run with `set -e`"""
    shows: str = ""
    """for an audit when the check fails: prints the current state without secrets; read-only"""
    content: str | None = None
    """printed by the function `content`, which the other texts may call"""


class Resource(Protocol):
    """A part of a node's state."""

    def shell(self) -> Shell:
        """The shell text that checks and changes it."""
        ...


def call(function: str, *arguments: str) -> str:
    """sh: a call with quoted arguments; empty arguments at the end are left out."""
    kept_arguments = list(arguments)
    while kept_arguments and not kept_arguments[-1]:
        kept_arguments.pop()
    return shlex.join((function, *kept_arguments))


def _lines(*texts: str) -> str:
    return "\n".join(text for text in texts if text)


@dataclass(frozen=True)
class Command:
    """A change in free shell text, for which there is no other resource."""

    check: str | None
    apply: str
    shows: str = ""

    def shell(self) -> Shell:
        """The texts as they are."""
        return Shell(self.check, self.apply, self.shows)


@dataclass(frozen=True)
class Refusal:
    """A check that changes nothing; it fails with its output in the place of a change."""

    text: str
    """sh, run without `set -e`: a failed command in a check is no error.

    In a condition, `set -e` does not end the tested command, but it does end background processes
    and command substitutions of it: those would stop at the first command that finds nothing.
    """

    def shell(self) -> Shell:
        """The text, once."""
        return Shell(f"set +e\n{self.text}", "refuse")


@dataclass(frozen=True)
class File:
    """A file with a content; ValueError where a script could not carry it."""

    path: str
    content: str
    mode: str = ""
    """octal; set before the file gets its name, as another process may run it at once"""
    after: str = ""
    """sh, run when the file has changed"""
    shown: bool = False
    """an audit may print the lines that differ, as neither version contains a secret"""
    backup: str = ""
    """the file belongs to the node: its original is stored here, and the study's version"""
    needs_systemd: bool = False
    """a node without systemd does not get the file"""

    def __post_init__(self) -> None:
        # dash 0.5.12 loses bytes of other characters in here-documents (seen with a line that
        # begins like the delimiter).
        if not self.content.isascii() or "\0" in self.content:
            raise ValueError(f"{self.path}: a plan can only write ASCII text")
        if "SEATRIAL" in self.content.splitlines():
            raise ValueError(f"{self.path}: a line SEATRIAL would end the text")

    def shell(self) -> Shell:
        """The calls; the content is their input."""
        exempt = "without_systemd || " if self.needs_systemd else ""
        text = self.content if self.content.endswith("\n") else f"{self.content}\n"
        written = f"content | {call('write_file', self.path, self.mode, self.backup)}"
        return Shell(
            f"{exempt}content | {call('file_is', self.path)}",
            _lines(
                call("back_up_file", self.path, self.backup) if self.backup else "",
                written,
                self.after,
            ),
            f"content | {call('show_file', self.path)}" if self.shown else "",
            text,
        )

    def undo(self) -> "NoFile | OriginalFile":
        """The original, or no file."""
        return OriginalFile(self.path, self.backup) if self.backup else NoFile(self.path)


@dataclass(frozen=True)
class NoFile:
    """No file of this path."""

    path: str
    after: str = ""
    """sh, run when the file was removed"""

    def shell(self) -> Shell:
        """The calls."""
        apply = _lines(f"rm -f {shlex.quote(self.path)}", self.after)
        return Shell(call("no_file", self.path), apply)


@dataclass(frozen=True)
class OriginalFile:
    """A file as it was before the study; one that was edited since stays."""

    path: str
    backup: str
    setting: str = ""
    """restore only the line of this setting in a file that was edited since"""

    def shell(self) -> Shell:
        """The calls."""
        return Shell(
            call("is_restored", self.backup),
            call("restore_file", self.path, self.backup, self.setting),
        )


@dataclass(frozen=True)
class Packages:
    """Installed commands, by the package that each is in."""

    debian: Mapping[str, str]
    """command -> Debian package"""
    red_hat: Mapping[str, str]
    """Debian package -> its name on Red Hat, where it differs"""
    list_file: str = ""
    """the file that lists the packages installed by deployments"""
    disabled: tuple[str, ...] = ()
    """the program that decides whether the package is new, and the units that must not start"""

    def shell(self) -> Shell:
        """The calls."""
        names = sorted(set(self.debian.values()))
        packages = (
            " ".join(names),
            " ".join(sorted({self.red_hat.get(name, name) for name in names})),
        )
        install = call("install_packages", *packages)
        if self.disabled:
            program, *units = self.disabled
            install = call("install_disabled", program, " ".join(units), *packages)
        note = call("note_installed", self.list_file) if self.list_file else ""
        return Shell(call("have_commands", *self.debian), _lines(note, install))

    def listed_in(self, file: str) -> "Packages":
        """The same, with new packages added to the list in `file`."""
        return replace(self, list_file=file)


@dataclass(frozen=True)
class Unit:
    """A systemd unit that runs now and after every boot."""

    name: str
    needs_systemd: bool = False
    """a node without systemd has no such unit"""

    def shell(self) -> Shell:
        """The calls."""
        exempt = "without_systemd || " if self.needs_systemd else ""
        return Shell(f"{exempt}{call('unit_runs', self.name)}", call("start_unit", self.name))

    def undo(self) -> "NoUnit":
        """The unit is off."""
        return NoUnit((self.name,))


@dataclass(frozen=True)
class NoUnit:
    """Units that run neither now nor after a boot."""

    names: tuple[str, ...]

    def shell(self) -> Shell:
        """The calls."""
        return Shell(call("unit_is_off", *self.names), call("stop_unit", *self.names))


@dataclass(frozen=True)
class FstabLine:
    """The line of /etc/fstab of a mount point."""

    source: str
    path: str
    kind: str
    options: str

    def shell(self) -> Shell:
        """The calls."""
        line = (self.source, self.path, self.kind, self.options)
        return Shell(call("fstab_has", *line), call("put_fstab_line", *line))

    def undo(self) -> "NoFstabLine":
        """No line of the mount point."""
        return NoFstabLine(self.path)


@dataclass(frozen=True)
class NoFstabLine:
    """No line of /etc/fstab for the mount point."""

    path: str

    def shell(self) -> Shell:
        """The calls."""
        return Shell(call("no_fstab_line", self.path), call("remove_fstab_line", self.path))


@dataclass(frozen=True)
class Mount:
    """A mount as requested, and unchanged since the plan mounted it."""

    path: str
    requested: str
    """the text to record: a mount with another one is mounted again"""
    note: str
    """the file on the node with that text and the kernel's line"""
    command: tuple[str, ...]
    """mount(8) or another program, with its arguments"""
    before: str = ""
    """sh, run before the command"""

    def shell(self) -> Shell:
        """The calls."""
        return Shell(
            call("mount_is", self.path, self.requested, self.note),
            _lines(
                self.before,
                call("put_mount", self.path, *self.command),
                call("note_mount", self.path, self.requested, self.note),
            ),
            call("show_mount", self.path, self.note),
        )

    def undo(self) -> "NoMount":
        """Nothing is mounted."""
        return NoMount(self.path)


@dataclass(frozen=True)
class NoMount:
    """Nothing is mounted, and the directory does not exist."""

    path: str

    def shell(self) -> Shell:
        """The calls."""
        return Shell(call("is_unmounted", self.path), call("remove_mount", self.path))


@dataclass(frozen=True)
class Mtu:
    """The MTU of the link to a host."""

    mtu: int
    folder: str
    """the study's folder on the node, for the original value"""
    database: str
    """of getent(1), for the address of the host: ahosts or ahostsv4"""
    peer: str

    def shell(self) -> Shell:
        """The calls."""
        link = (self.database, self.peer)
        return Shell(
            call("mtu_is", str(self.mtu), *link),
            call("set_mtu", str(self.mtu), self.folder, *link),
            call("show_mtu", *link),
        )

    def undo(self) -> "OriginalMtus":
        """The original values."""
        return OriginalMtus(self.folder)


@dataclass(frozen=True)
class OriginalMtus:
    """The original MTU of every link, except of links that were changed since."""

    folder: str

    def shell(self) -> Shell:
        """The calls."""
        return Shell(call("mtus_are_restored", self.folder), call("restore_mtus", self.folder))
