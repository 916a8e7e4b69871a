"""Kernel messages that explain a failed step: out of memory, a panic, a disk error.

A step often waits on one node for something that a kernel stopped on another: all nodes are read.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from seatrial.basics.clock import unix_s
from seatrial.basics.command_log import doing
from seatrial.transport import Transport, answer_of, on_every

TIMEOUT_S = 15.0
LINES_MAX = 500
"""lines per node; more lines repeat the same messages"""
COMMAND = (
    "cut -d' ' -f1 /proc/uptime; sed -n 's/^MemTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo; {"
    " dmesg 2>/dev/null || journalctl -k -b -o short-monotonic --no-pager 2>/dev/null; } | tail"
    f" -n {LINES_MAX}"
)
"""hosts may restrict dmesg(1) to root; the journal has the same lines"""
_LINE = re.compile(r"^\[ *(\d+\.\d+)\] (?:\S+ kernel: )?(.*)$")
_KILLED = re.compile(
    r"(?:Out of memory|Memory cgroup out of memory): Kill(?:ed)? process \d+ \(([^)]*)\)"
)
_SEGFAULT = re.compile(r"^(\S+?)\[\d+\]: segfault at|traps: (\S+?)\[\d+\] general protection")
_HUNG = re.compile(r"task (\S+?):\d+ blocked for more than (\d+) seconds")
_PANIC = re.compile(r"Kernel panic - not syncing: (.*)")
_OTHERS = re.compile(
    r"I/O error|BUG: |Oops: |Remounting filesystem read-only|Buffer I/O error|fsid=\S*:"
    r" (?:fatal|withdraw)"
)
REASONS_MAX = 5
"""for all nodes together: the first messages are the cause, the others its effects"""


@dataclass(frozen=True)
class KernelMessages:
    """The kernel messages of one node since a point in time."""

    node: str
    lines: tuple[str, ...]
    """without timestamps, in order"""
    memory_mib: int | None = None


def reasons(transport: Transport, nodes: Iterable[str], since_unix_s: float) -> list[str]:
    """The decisive messages of all nodes that answer, as text, since a Unix time in seconds."""

    def one(node: str) -> KernelMessages | None:
        answer = answer_of(transport, node, COMMAND, TIMEOUT_S)
        return of_node(node, answer, unix_s() - since_unix_s) if answer else None

    with doing("kernel messages"):
        answers = on_every(nodes, one).values()
    texts = [text for answer in answers if answer is not None for text in decisive(answer)]
    return texts[:REASONS_MAX]


def of_node(node: str, answer: str, within_s: float) -> KernelMessages:
    """The messages of the last `within_s` seconds in a node's answer to `COMMAND`."""
    lines = answer.splitlines()
    if len(lines) < 2 or not lines[1].isdigit():
        return KernelMessages(node, ())
    since_boot_s = float(lines[0]) - within_s
    matches = [match for line in lines[2:] if (match := _LINE.match(line))]
    recent = tuple(match[2] for match in matches if float(match[1]) >= since_boot_s)
    return KernelMessages(node, recent, round(int(lines[1]) / 1024))


def decisive(messages: KernelMessages) -> list[str]:
    """The messages that explain a failure, each once; processes killed for memory come first."""
    node = messages.node
    memory = f"node {node} has {messages.memory_mib} MiB" if messages.memory_mib else f"node {node}"
    killed: list[str] = []
    others: list[str] = []
    for line in messages.lines:
        if match := _KILLED.search(line):
            killed.append(f"{match[1]} was killed: out of memory ({memory})")
        elif text := _other(line):
            others.append(f"{text} (kernel of {node})")
    return list(dict.fromkeys([*killed, *others]))


def _other(line: str) -> str | None:
    if match := _PANIC.search(line):
        return f"kernel panic: {match[1]}"
    if match := _HUNG.search(line):
        return f"{match[1]} hangs: blocked for more than {match[2]} s"
    if match := _SEGFAULT.search(line):
        return f"{match[1] or match[2]} crashed: {line}"
    return line if _OTHERS.search(line) else None
