"""The facts of an audit, its findings, and the list of rules (one file in `audits/`
for each kind).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, cast

from seatrial.advice.audit_facts import (
    Array,
    SambaReader,
    SshfsProcess,
    arrays_of,
    sshfs_process,
)
from seatrial.basics.plugins import Plugins

Level = Literal["unsafe", "fragile", "slow"]
LEVELS: dict[Level, str] = {
    "unsafe": "data may be lost, or read by third parties",
    "fragile": "it stops, or gives errors, without need",
    "slow": "it reduces performance",
}


@dataclass(frozen=True)
class Mounted:
    """A line of /proc/mounts."""

    source: str
    path: str
    kind: str
    options: tuple[str, ...]

    def option(self, name: str) -> str | None:
        """The value of `name=value`, `""` of a bare `name`, None where it is missing."""
        for item in self.options:
            key, _, value = item.partition("=")
            if key == name:
                return value
        return None


@dataclass(frozen=True)
class Export:
    """A client of an exported directory."""

    path: str
    client: str
    """as exports(5) has it: a name, a network, `*`, `@netgroup`"""
    options: tuple[str, ...]


@dataclass(frozen=True)
class Facts:
    """The facts that a node reports; none of them is guessed."""

    node: str
    mounts: tuple[Mounted, ...] = ()
    exports: tuple[Export, ...] = ()
    shares: dict[str, dict[str, str]] = field(default_factory=dict)
    """section of the running Samba server's configuration -> key -> value"""
    sshfs: tuple[SshfsProcess, ...] = ()
    arrays: tuple[Array, ...] = ()
    """of md"""
    gaps: tuple[str, ...] = ()
    """facts that could not be read, and why"""
    unreachable: bool = False
    """it could not be reached at all"""
    lines: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """name of a rule with its own `PROBE` -> the lines that it printed"""
    values: dict[str, str] = field(default_factory=dict)
    """nfsd_threads, mtu (towards its peer), and of a Ceph monitor's node,
    as JSON and empty where it gets no answer: ceph (health detail), and if that is answered
    ceph_status, ceph_versions,
    ceph_osd_dump; where daemons are of more than one version ceph_mon, ceph_mgr, ceph_mds, ceph_osd
    (their metadata)
    """


@dataclass(frozen=True)
class Finding:
    """A setting that should be different."""

    node: str
    level: Level
    what: str
    better: str
    why: str
    option: str = ""
    """key of a measured or published cost: noac, rsize, udp, async"""


SMALL_BYTES = 65536


def mounts_of(facts: Sequence[Facts], *kinds: str) -> Iterator[tuple[str, Mounted, str]]:
    """(node, mount, its path and source) of all mounts of these kinds."""
    for node in facts:
        for mount in node.mounts:
            if mount.kind in kinds:
                yield node.node, mount, f"{mount.path} ({mount.source})"


def small_requests(node: str, mount: Mounted, where: str, option: str = "") -> Iterator[Finding]:
    """Requests that are set to less than the necessary size."""
    for key in ("rsize", "wsize"):
        size = mount.option(key) or ""
        if size.isdigit() and int(size) < SMALL_BYTES:
            why = "each request carries at most this many bytes, and costs the same as a large one"
            yield Finding(
                node,
                "slow",
                f"{where} has {key}={size}",
                "leave it to the negotiation",
                why,
                option,
            )


class Rule(Protocol):
    """The module of a kind of rules."""

    def findings(self, facts: Sequence[Facts]) -> Iterator[Finding]:
        """The findings in the facts of all nodes."""


@dataclass(frozen=True)
class NotLookedAt:
    """A fact that an audit could not inspect."""

    node: str
    reason: str
    """the fact, and why: `the MTU: ip: not found`"""


def every_gap(facts: Sequence[Facts]) -> list[NotLookedAt]:
    """Every fact that could not be read, on any node."""
    return [NotLookedAt(node.node, reason) for node in facts for reason in dict.fromkeys(node.gaps)]


def every_finding(facts: Sequence[Facts]) -> list[Finding]:
    """The findings of every rule, the most severe first."""
    rules = [cast(Rule, _RULES.load(name)) for name in _RULES.names()]
    return sorted(
        (finding for rule in rules for finding in rule.findings(facts)),
        key=lambda finding: list(LEVELS).index(finding.level),
    )


def probe() -> str:
    """The script that reads the facts of a node: `PROBE`, then the `PROBE` of each rule that has
    one. Such a rule finds its lines in `Facts.lines`.
    """
    scripts = [PROBE.removesuffix(END)]
    for name in _RULES.names():
        script = getattr(_RULES.load(name), "PROBE", None)
        if script is not None:
            labelled = f'while IFS= read -r line; do say {OF_RULE}{name} "$line"; done'
            scripts.append(f"( {script}\n) </dev/null 2>/dev/null | {labelled}\n")
    return "".join([*scripts, END])


OF_RULE = "rule-"
"""before the name of a rule: the kind of the lines that its own script prints"""
END = "exit 0\n"
_RULES = Plugins("seatrial.advice.audits", "seatrial.audits", ("findings",))


PROBE = (Path(__file__).parent / "audit_probe.sh").read_text(encoding="ascii")
"""sh; `$1` is the name or address of a peer; it reads, and changes nothing"""
PROBE_TIMEOUT_S = 600.0
"""a slow monitor is queried up to eight times, 30 s each; one without an answer, once"""
_ESCAPED = re.compile(r"\\([0-7]{3})")
"""escapes of /proc/mounts and etab for a blank, a tab, a line feed or a backslash"""


def _plain(text: str) -> str:
    """A field of /proc/mounts or etab without its escapes."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 8)), text)


def facts_of(node: str, text: str) -> Facts:
    """The facts from the probe's output on a node; an unreadable line of a known kind becomes a
    gap.
    """
    lines = _lines_by_kind(text)
    gaps = list(lines["gap"])
    mounts = [_mounted(line, gaps) for line in lines["mount"]]
    exports = [item for line in lines["export"] for item in _exports(line, gaps)]
    values = dict(_value(line) for line in lines["value"])
    samba = SambaReader()
    for line in text.splitlines():
        if line.startswith("smbconf "):
            samba.begin()
        elif line.startswith("smb "):
            samba.add(line.removeprefix("smb "))
    gaps += [f"Samba's configuration includes {path}, which is not read" for path in samba.included]
    return Facts(
        node,
        mounts=tuple(item for item in mounts if item is not None),
        exports=tuple(exports),
        shares=samba.shares,
        sshfs=tuple(sshfs_process(line) for line in lines["sshfs"]),
        arrays=arrays_of(lines["mdstat"]),
        lines={
            kind.removeprefix(OF_RULE): tuple(values_of_kind)
            for kind, values_of_kind in lines.items()
            if kind.startswith(OF_RULE)
        },
        values={key: value for key, value in values.items() if value or key.startswith("ceph")},
        gaps=tuple(gaps),
    )


def _lines_by_kind(text: str) -> defaultdict[str, list[str]]:
    lines = defaultdict[str, list[str]](list)
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        lines[kind].append(rest)
    return lines


def _value(line: str) -> tuple[str, str]:
    key, _, value = line.partition(" ")
    return key, " ".join(value.split())


def _mounted(line: str, gaps: list[str]) -> Mounted | None:
    words = line.split()
    if len(words) != 4:
        gaps.append(f"a mount: {line[:80]!r} cannot be read")
        return None
    source, path, kind, options = words
    return Mounted(_plain(source), _plain(path), kind, tuple(options.split(",")))


def _exports(line: str, gaps: list[str]) -> Iterator[Export]:
    """A line of etab: the path, then `client(options)` for each client."""
    words = line.split()
    if len(words) < 2 and not line.startswith("#"):
        gaps.append(f"an export: {line[:80]!r} cannot be read")
    for word in words[1:]:
        client, _, options = word.partition("(")
        yield Export(_plain(words[0]), _plain(client), tuple(options.rstrip(")").split(",")))
