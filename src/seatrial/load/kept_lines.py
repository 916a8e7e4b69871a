"""Keeps every line of the agents of a phase: in a file for each, or in one file for many."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace

from seatrial.load.agent import Watch
from seatrial.result.file_names import safe_name
from seatrial.result.series import CLIENTS_MAX
from seatrial.result.writer import Writer


@contextlib.contextmanager
def lines_kept(writer: Writer, title: str, clients: int, watch: Watch) -> Iterator[Watch]:
    """For the body, which runs the agents: `watch` with callbacks that keep all lines.

    The lines of many clients are written as they arrive, and are not kept in memory.
    """
    if clients <= CLIENTS_MAX:
        yield replace(
            watch,
            keep=lambda client, text: writer.keep(f"agent/{safe_name(title)}-{client}.jsonl", text),
        )
        return
    with writer.lines_of_all(title) as lines:

        def receive(name: str, line: str) -> None:
            lines.write(name, line)
            watch.line(name, line)

        yield replace(watch, line=receive, keeps_lines=False)
