"""The text that a terminal shows for texts that a result, a study or a node of another site may
contain.
"""

import io
import shlex
import sys

_OBEYED = {code: f"\\x{code:02x}" for code in (*range(9), *range(11, 32), *range(127, 160))}
"""control characters but tab and line feed: a terminal executes sequences that begin with some of
them"""


def printable(text: str) -> str:
    """A text that may come from a result, a study or a node of another site, in a form that a
    terminal can show.
    """
    return text.translate(_OBEYED)


def say_aside(text: str) -> None:
    """Print a line to standard error, which does not disturb the output for programs."""
    sys.stderr.write(f"{printable(text)}\n")
    sys.stderr.flush()


def command(*arguments: object) -> str:
    """A command line of Seatrial that can be pasted into a shell, with any characters in
    its words.
    """
    return shlex.join(("seatrial", *map(str, arguments)))


class Printable(io.TextIOWrapper):
    """Standard output without the characters that a terminal would execute."""

    def write(self, text: str) -> int:
        """Write the text as `printable` returns it."""
        return super().write(printable(text))

    def write_as_is(self, text: str) -> int:
        """For colours that Seatrial itself adds to a text that is printable."""
        return super().write(text)


def make_printable() -> None:
    """Make all further output printable."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        encoding = sys.stdout.encoding
        buffered = sys.stdout.line_buffering
        sys.stdout = Printable(
            sys.stdout.detach(), encoding, "backslashreplace", line_buffering=buffered
        )
