"""What a user sees while a run goes on: a live line on a terminal, plain lines when piped, no colour if unwanted.

Everything goes to stderr; stdout belongs to results.
"""

import os
import sys
import time

from rich.console import Console
from rich.markup import escape

from seatrial.basics.printable import printable
from seatrial.basics.units import format_duration


class Terminal:
    """The observer that prints; see `session.Observer`.

    quiet: prints results only. verbose: prints details as well.
    """

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._console = Console(stderr=True, highlight=False, no_color="NO_COLOR" in os.environ or None)
        self._live = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._started_s = time.monotonic()
        self._ends_s: float | None = None

    def say(self, text: str) -> None:
        """A line with the time since the start; nothing when quiet."""
        if not self._quiet:
            self.result(text)

    def detail(self, text: str) -> None:
        """As `say`, when verbose only."""
        if self._verbose:
            self.result(text)

    def result(self, text: str) -> None:
        """As `say`, also when quiet."""
        if self._live:
            sys.stderr.write("\r" + " " * (self._console.width - 1) + "\r")
        elapsed = int(time.monotonic() - self._started_s)
        line = escape(printable(text))
        self._console.print(f"[dim]{elapsed // 60:3d}:{elapsed % 60:02d}[/dim]  {line}", soft_wrap=True)

    def expect(self, remaining_s: float) -> None:
        """Note when the run should end."""
        self._ends_s = time.monotonic() + remaining_s

    def progress(self, title: str, share: float, rate: str) -> None:
        """Overwrite the live line; nothing when piped (the phase's own line follows)."""
        if not self._live:
            return
        left = f", {format_duration(max(self._ends_s - time.monotonic(), 0))} left" if self._ends_s else ""
        text = f"       {printable(title)}: {min(share, 1.0):.0%}, {rate}{left}"
        width = self._console.width - 1
        sys.stderr.write("\r" + text[:width].ljust(width))
        sys.stderr.flush()


def print_error(message: str, hint: str | None) -> None:
    """What was wrong and where; the way out after an empty line."""
    console = Console(stderr=True, highlight=False, no_color="NO_COLOR" in os.environ or None)
    console.print(f"[bold red]error:[/bold red] {escape(printable(message))}", soft_wrap=True)
    if hint:
        console.print(f"\n[bold]hint:[/bold] {escape(printable(hint))}", soft_wrap=True)
