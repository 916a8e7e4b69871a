"""The list of formats, and the interface of a writer.

A writer is a module with `TITLE`, a few words about its document, and `write(summary)`. It returns
text, or bytes for a binary format. Other packages bring writers through the entry points
`seatrial.writers`.
"""

from typing import Protocol, cast

from seatrial.basics.errors import InputError
from seatrial.basics.plugins import Plugins
from seatrial.summary.results import ResultSummary


class Writer(Protocol):
    """The module of a format."""

    TITLE: str
    """the document in a few words"""

    def write(self, summary: ResultSummary) -> str | bytes:
        """The document. InputError where the format needs a package that is not installed."""


_FORMATS = Plugins("seatrial.writers.formats", "seatrial.writers", ("TITLE", "write"))


def format_names() -> list[str]:
    """The formats, by name."""
    return _FORMATS.names()


def writer(name: str) -> Writer:
    """The writer of a format; InputError for a name that is none."""
    if name not in format_names():
        raise InputError(f"--format: {name!r} is none of {', '.join(format_names())}")
    return cast(Writer, _FORMATS.load(name))
