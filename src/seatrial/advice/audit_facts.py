"""Parsers of a node's texts for an audit: /proc/mdstat, smb.conf(5), the command line of sshfs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

# As md_seq_show of drivers/md/md.c prints it.
_ARRAY = re.compile(r"^(md\S*) : (.*)$")
_COUNTS = re.compile(r"\[(\d+)/(\d+)\] \[([U_]+)\]")
_FAILED = re.compile(r"(\S+?)\[\d+\](?:\(\w\))*\(F\)")
_LEVEL = re.compile(r"\b(raid\d+|linear|multipath|faulty)\b")


@dataclass(frozen=True)
class Array:
    """An array of md, as shown in /proc/mdstat."""

    name: str
    state: str
    """`active`, `inactive`, `broken`: the first word"""
    level: str
    """`raid6`; empty where it is unknown, as for an inactive array"""
    members: int = 0
    """required number; 0 where it is unknown"""
    missing: int = 0
    map: str = ""
    """`[U_]`: U for each member that is in use"""
    failed: tuple[str, ...] = ()
    """devices that are marked as failed and still belong to it"""
    rebuilding: bool = False
    container: bool = False
    """it only holds the metadata of other arrays (IMSM, DDF), and is always inactive"""

    @property
    def redundant(self) -> bool | None:
        """Whether it survives the next failure; None where its level does not decide it."""
        if self.level == "raid1":
            return self.missing < self.members - 1
        tolerated = {"raid4": 1, "raid5": 1, "raid6": 2}.get(self.level)
        if tolerated is not None:
            return self.missing < tolerated
        # mdstat does not show which halves of a RAID 10 mirror are missing.
        return None if self.level == "raid10" and self.missing else self.missing == 0


def arrays_of(lines: Sequence[str]) -> tuple[Array, ...]:
    """Every array of /proc/mdstat."""
    return tuple(_array(name, text) for name, text in _blocks(lines))


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The name and the lines of each array."""
    name = ""
    texts = list[str]()
    for line in lines:
        head = _ARRAY.match(line)
        ends = head is not None or line.startswith(("Personalities", "unused devices"))
        if ends and name:
            yield name, "\n".join(texts)
            name = ""
        if head is not None:
            name = head[1]
            texts = [head[2]]
        elif name:
            texts.append(line)
    if name:
        yield name, "\n".join(texts)


def _array(name: str, text: str) -> Array:
    head = text.splitlines()[0]
    level = _LEVEL.search(head)
    counts = _COUNTS.search(text)
    return Array(
        name=name,
        state=head.split()[0] if head.split() else "",
        level=level[1] if level else "",
        members=int(counts[1]) if counts else 0,
        missing=counts[3].count("_") if counts else 0,
        map=f"[{counts[3]}]" if counts else "",
        failed=tuple(match[1] for match in _FAILED.finditer(head)),
        rebuilding="recovery" in text or "reshape" in text,
        container="super external:imsm" in text or "super external:ddf" in text,
    )


@dataclass
class SambaReader:
    """Joins the lines of a configuration: sections, settings, continued lines."""

    shares: dict[str, dict[str, str]] = field(default_factory=dict)
    """section -> key in lower case, with single blanks -> value in lower case"""
    included: list[str] = field(default_factory=list)
    """files that are included, and not read"""
    _section: str = "global"
    _unfinished: str = ""

    def begin(self) -> None:
        """A file begins."""
        self._section = "global"
        self._unfinished = ""

    def add(self, line: str) -> None:
        """One line of it. A backslash at the end of a line that is no comment continues it."""
        text = self._unfinished + line.strip()
        self._unfinished = ""
        if not text or text.startswith(("#", ";")):
            return
        if text.endswith("\\"):
            self._unfinished = text.removesuffix("\\")
        elif text.startswith("["):
            self._section = text[1:].partition("]")[0]
        elif "=" in text:
            self._set(text)

    def _set(self, text: str) -> None:
        name, _, setting = text.partition("=")
        key = " ".join(name.lower().split())
        value = setting.strip()
        if key == "include":
            self.included.append(value)
        self.shares.setdefault(self._section, {})[key] = value.lower()


@dataclass(frozen=True)
class SshfsProcess:
    """A running sshfs, by its command line."""

    words: tuple[str, ...]
    """every word that is not an option"""
    options: tuple[str, ...]
    """every option: `-C`, `reconnect`, `ServerAliveInterval=15`"""

    def value(self, name: str) -> str | None:
        """The value of an option, "" of a bare one; None where it is missing. Case does not count
        (ssh_config(5)).
        """
        for option in self.options:
            key, _, value = option.replace(" ", "=", 1).partition("=")
            if key.lower() == name.lower():
                return value
        return None

    def serves(self, source: str, path: str) -> bool:
        """Whether it has mounted `source` at `path`: by its mount point, which may be written as a
        relative path.
        """
        mount_point = PurePosixPath(path)
        points = [PurePosixPath(word) for word in self.words]
        if mount_point in points:
            return True
        return source in self.words and any(
            not point.is_absolute() and point.name == mount_point.name for point in points
        )


def sshfs_process(text: str) -> SshfsProcess:
    """A command line, with tabs between its arguments, or blanks.

    `-o a,b`, `-oa,b` and `-o "ssh_command=ssh -p 1"` are options; `-p 22` and the like are options
    with a value.
    """
    arguments = [word for word in (text.split("\t") if "\t" in text else text.split()) if word]
    options: list[str] = []
    words: list[str] = []
    wants_options = wants_value = False
    for argument in arguments:
        if wants_options:
            options += argument.split(",")
        elif wants_value or not argument.startswith("-"):
            words += [] if wants_value else [argument]
        elif argument.startswith("-o") and len(argument) > 2:
            options += argument[2:].split(",")
        else:
            options.append(argument)
        takes_next = not (wants_options or wants_value)
        wants_options = takes_next and argument == "-o"
        wants_value = takes_next and argument in ("-p", "-F")
    return SshfsProcess(tuple(words), tuple(option for option in options if option != "-o"))
