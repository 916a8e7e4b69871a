"""The progress of a run: a live line on a terminal, plain lines in a pipe, optionally uncoloured.

Everything is printed to stderr; stdout is for results.
"""

import os
import sys
import time

from rich.console import Console
from rich.markup import escape

from seatrial.basics.printable import printable
from seatrial.basics.units import format_duration


class Terminal:
    """The observer that prints to the terminal; see `session.Observer`."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False, no_color="NO_COLOR" in os.environ or None)
        self._live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._started_s = time.monotonic()
        self._ends_s: float | None = None

    def say(self, text: str) -> None:
        """Print one line with the time since the start."""
        if self._live:
            sys.stderr.write("\r" + " " * (self._console.width - 1) + "\r")
        elapsed = int(time.monotonic() - self._started_s)
        line = escape(printable(text))
        self._console.print(f"[dim]{elapsed // 60:3d}:{elapsed % 60:02d}[/dim]  {line}", soft_wrap=True)

    def expect(self, remaining_s: float) -> None:
        """Note the expected end of the run."""
        self._ends_s = time.monotonic() + remaining_s

    def progress(self, title: str, share: float, rate: str) -> None:
        """Overwrite the live line; in a pipe print nothing, as the phase's own line follows."""
        if not self._live:
            return
        left = f", {format_duration(max(self._ends_s - time.monotonic(), 0))} left" if self._ends_s else ""
        text = f"       {printable(title)}: {min(share, 1.0):.0%}, {rate}{left}"
        width = self._console.width - 1
        sys.stderr.write("\r" + text[:width].ljust(width))
        sys.stderr.flush()


def print_error(message: str, hint: str | None) -> None:
    """Print the error and, after an empty line, the hint."""
    console = Console(stderr=True, highlight=False, no_color="NO_COLOR" in os.environ or None)
    console.print(f"[bold red]error:[/bold red] {escape(printable(message))}", soft_wrap=True)
    if hint:
        console.print(f"\n[bold]hint:[/bold] {escape(printable(hint))}", soft_wrap=True)
