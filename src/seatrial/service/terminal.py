"""The progress of a run: a live line on a terminal, plain lines in a pipe, optionally uncoloured.

Everything is printed to stderr; stdout is for results.
"""

import io
import os
import sys
import time
from typing import IO, cast

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from seatrial.basics.printable import printable
from seatrial.basics.units import format_duration

VERDICT_STYLES = {
    "pass": "green",
    "pass with waivers": "yellow",
    "fail": "bold red",
    "unknown": "yellow",
}
"""of the verdicts on the study's own claims; those on a publication have no colour"""


class _AsIs(io.TextIOBase):
    """Standard output for text that is printable already, with colours."""

    def write(self, text: str) -> int:
        """Past `Printable.write`, which would spell the colours out."""
        write = getattr(sys.stdout, "write_as_is", sys.stdout.write)
        return int(write(text))

    def isatty(self) -> bool:
        """Whether standard output is a terminal."""
        return sys.stdout.isatty()

    def flush(self) -> None:
        """Flush standard output."""
        sys.stdout.flush()


def result_console() -> Console:
    """A console on standard output, for text that is printable; colours where it is a terminal."""
    no_color = "NO_COLOR" in os.environ or None
    return Console(file=cast(IO[str], _AsIs()), highlight=False, no_color=no_color)


def print_verdict(kind: str, verdict: str, claim: str, evidence: str) -> None:
    """A row of `judge` on standard output; the verdict in its colour where that is a terminal."""
    console = result_console()
    style = VERDICT_STYLES.get(verdict, "") if console.is_terminal and not console.no_color else ""
    row = (
        f"{printable(kind):10s} ",
        (f"{printable(verdict):12s}", style),
        f" {printable(claim):24s} ",
    )
    console.print(Text.assemble(*row, printable(evidence)), soft_wrap=True)


class Terminal:
    """The observer that prints to the terminal; see `session.Observer`.

    quiet: prints results only. verbose: prints details as well.
    """

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet = quiet
        self._verbose = verbose
        self._console = Console(
            stderr=True, highlight=False, no_color="NO_COLOR" in os.environ or None
        )
        self._live = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._started_s = time.monotonic()
        self._ends_s: float | None = None

    def say(self, text: str) -> None:
        """Print one line with the time since the start; nothing when quiet."""
        if not self._quiet:
            self.result(text)

    def detail(self, text: str) -> None:
        """As `say`, when verbose only."""
        if self._verbose:
            self.result(text)

    def verdict(self, verdict: str, text: str) -> None:
        """A verdict in its colour, then a text; also when quiet."""
        style = VERDICT_STYLES.get(verdict, "")
        self._line(Text.assemble((f"{printable(verdict):7s}", style), f" {printable(text)}"))

    def result(self, text: str) -> None:
        """As `say`, also when quiet."""
        self._line(Text(printable(text)))

    def _line(self, text: Text) -> None:
        if self._live:
            sys.stderr.write("\r" + " " * (self._console.width - 1) + "\r")
        elapsed = int(time.monotonic() - self._started_s)
        since = (f"{elapsed // 60:3d}:{elapsed % 60:02d}", "dim")
        self._console.print(Text.assemble(since, "  ", text), soft_wrap=True)

    def expect(self, remaining_s: float) -> None:
        """Note the expected end of the run."""
        self._ends_s = time.monotonic() + remaining_s

    def progress(self, title: str, share: float, rate: str) -> None:
        """Overwrite the live line; in a pipe print nothing, as the phase's own line follows."""
        if not self._live:
            return
        time_left = (
            f", {format_duration(max(self._ends_s - time.monotonic(), 0))} left"
            if self._ends_s
            else ""
        )
        text = f"       {printable(title)}: {min(share, 1.0):.0%}, {rate}{time_left}"
        width = self._console.width - 1
        sys.stderr.write("\r" + text[:width].ljust(width))
        sys.stderr.flush()


def print_error(message: str, hint: str | None) -> None:
    """Print the error and, after an empty line, the hint."""
    console = Console(stderr=True, highlight=False, no_color="NO_COLOR" in os.environ or None)
    console.print(f"[bold red]error:[/bold red] {escape(printable(message))}", soft_wrap=True)
    if hint:
        console.print(f"\n[bold]hint:[/bold] {escape(printable(hint))}", soft_wrap=True)
