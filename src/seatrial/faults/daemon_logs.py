"""Keeps the daemon logs of a solution around a fault: often only they explain a slow takeover.

Before the fault each node reports the ends of its logs; afterwards the text after these ends is
read. The wall clock of the node therefore does not matter, and a daemon may use any log format.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from seatrial.result.faults import DaemonLog
from seatrial.result.file_names import safe_name
from seatrial.result.writer import Writer
from seatrial.service.session import Session
from seatrial.solutions.base import DaemonLogs, daemon_logs_of, nodes_of
from seatrial.transport import Transport, answer_of, on_every

LIMIT_BYTES = 256 * 1024
"""limit per log; of a longer one the end is kept"""
READ_BYTES = LIMIT_BYTES + 2
"""more than the limit, to detect that a log is cut, without the line feed at its end"""
CONTEXT_BYTES = 16 * 1024
"""bytes of a log file from before the fault; they cover lines that a node had not yet written to
its disk at a power cut
"""
TIMEOUT_S = 30.0
_MARK = "@seatrial-log"
_HEAD = re.compile(rf"^{_MARK} (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class LogEnd:
    """Where the logs of a node ended before a fault."""

    cursor: str = ""
    """of the journal; empty where it was not read"""
    files: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """path -> number of the inode, and size in bytes"""


@dataclass(frozen=True)
class LogText:
    """The new text of one log."""

    source: str
    text: str
    is_cut: bool


def ends(session: Session) -> dict[str, LogEnd]:
    """The current end of each node's logs, for nodes that have logs and answer."""
    logs_by_node = _logs_by_node(session)
    transport = session.transport

    def one(node: str) -> LogEnd | None:
        answer = answer_of(transport, node, _end_command(logs_by_node[node]), TIMEOUT_S)
        return None if answer is None else _end_of(answer)

    return {node: end for node, end in on_every(logs_by_node, one).items() if end is not None}


@dataclass(frozen=True)
class SavedLogs:
    """The collected logs of a fault in the result."""

    logs: tuple[DaemonLog, ...]
    not_read: tuple[str, ...]
    """the nodes that did not answer"""


def keep(session: Session, writer: Writer, fault: str, before: Mapping[str, LogEnd]) -> SavedLogs:
    """Write the new text of each log to `logs/FAULT/NODE-LOG.log` of the result.

    For a node without an entry in `before`, the end of each log is kept.
    """
    logs_by_node = _logs_by_node(session)

    def one(node: str) -> list[LogText] | None:
        return read(session.transport, node, logs_by_node[node], before.get(node, LogEnd()))

    texts_of = on_every(logs_by_node, one)
    saved: list[DaemonLog] = []
    for node, texts in texts_of.items():
        for item in texts or ():
            name = safe_name(f"{node}-{item.source.rpartition('/')[2].removesuffix('.log')}")
            file = f"logs/{safe_name(fault)}/{name}.log"
            writer.keep(file, item.text)
            saved.append(DaemonLog(node, item.source, file, item.is_cut))
    return SavedLogs(tuple(saved), tuple(node for node, texts in texts_of.items() if texts is None))


def read(transport: Transport, node: str, logs: DaemonLogs, since: LogEnd) -> list[LogText] | None:
    """The new text of a node's logs, without unchanged logs; None where the node does
    not answer.
    """
    sources = (*logs.units, *logs.files)
    commands = [_journal_command(unit, since.cursor) for unit in logs.units]
    commands += [_file_command(path, since.files.get(path)) for path in logs.files]
    script = "".join(
        f"echo '{_MARK} {number}'\n{text}\necho\n" for number, text in enumerate(commands)
    )
    answer = answer_of(transport, node, script, TIMEOUT_S)
    if answer is None:
        return None
    # (text before the first mark, number, text, number, text, ...)
    _, *parts = _HEAD.split(answer)
    texts = [
        _limited(sources[int(number)], text.strip("\n"))
        for number, text in zip(parts[::2], parts[1::2], strict=True)
    ]
    return [item for item in texts if item.text]


def _logs_by_node(session: Session) -> dict[str, DaemonLogs]:
    solution = session.solution
    logs_of_nodes = {node: daemon_logs_of(solution, node) for node in nodes_of(solution)}
    return {node: logs for node, logs in logs_of_nodes.items() if logs.units or logs.files}


def _end_command(logs: DaemonLogs) -> str:
    """sh: prints the cursor of the journal, and for each file `INODE SIZE PATH`."""
    lines = []
    if logs.units:
        lines.append(
            "journalctl --quiet --lines=1 --output=cat --show-cursor 2>/dev/null | grep '^--"
            " cursor: '"
        )
    lines += [f"stat -L -c '%i %s %n' {shlex.quote(path)} 2>/dev/null" for path in logs.files]
    return "\n".join([*lines, "true"])


def _end_of(answer: str) -> LogEnd:
    cursor = ""
    files: dict[str, tuple[str, int]] = {}
    for line in answer.splitlines():
        if line.startswith("-- cursor: "):
            cursor = line.removeprefix("-- cursor: ")
            continue
        inode, _, rest = line.partition(" ")
        size, _, path = rest.partition(" ")
        if size.isdigit():
            files[path] = inode, int(size)
    return LogEnd(cursor, files)


def _journal_command(unit: str, cursor: str) -> str:
    since = f" --after-cursor={shlex.quote(cursor)}" if cursor else ""
    return (
        "journalctl --quiet --no-pager --output=short-iso-precise"
        f" --unit={shlex.quote(unit)}{since} 2>/dev/null | tail -c {READ_BYTES}"
    )


def _file_command(path: str, end: tuple[str, int] | None) -> str:
    """sh: prints the text after the end; the whole file if it was replaced or truncated since."""
    inode, size_bytes = end or ("", 0)
    first = max(size_bytes - CONTEXT_BYTES, 0) + 1
    quoted = shlex.quote(path)
    return (
        f'first=1; [ "$(stat -L -c %i {quoted} 2>/dev/null)" != "{inode}" ] || first={first}\n'
        f'[ "$(stat -L -c %s {quoted} 2>/dev/null || echo 0)" -ge {size_bytes} ] || first=1\n'
        f'tail -c "+$first" {quoted} 2>/dev/null | tail -c {READ_BYTES}'
    )


def _limited(source: str, text: str) -> LogText:
    """The end of a text that is too long, from the beginning of a line."""
    data = text.encode()
    if len(data) <= LIMIT_BYTES:
        return LogText(source, f"{text}\n" if text else "", is_cut=False)
    last = data[-LIMIT_BYTES:].decode(errors="ignore")
    _, _, whole = last.partition("\n")
    return LogText(source, f"{whole or last}\n", is_cut=True)
