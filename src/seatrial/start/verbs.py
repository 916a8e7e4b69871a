"""The order in which `seatrial --help` has the verbs. Importing this file imports nothing else of Seatrial."""

from collections.abc import Mapping, Sequence
from typing import Any

import typer.core

VERBS: Mapping[str, tuple[str, ...]] = {
    "Begin": ("list", "new", "format", "doctor", "run"),
    "Before anything is touched": ("predict", "plan", "preflight"),
    "Storage": ("deploy", "remove", "audit", "bench", "lab"),
    "Records": ("check", "report", "compare", "advise", "history", "calibrate"),
    "For and from others": ("import", "export", "redact", "schema"),
}


class Told(typer.core.TyperGroup):
    """A group whose list of commands has the whole first sentence of each; typer's own is cut off at 45 letters."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """See `click.MultiCommand.format_commands`."""
        self._section(ctx, formatter, "Commands", self.list_commands(ctx))

    def _section(self, ctx: Any, formatter: Any, title: str, names: Sequence[str]) -> None:
        with formatter.section(title):
            formatter.write_dl([(name, self._sentence(ctx, name)) for name in names])

    def _sentence(self, ctx: Any, name: str) -> str:
        command = self.get_command(ctx, name)
        return " ".join((command.help or "").partition("\n\n")[0].split()) if command else ""


class Verbs(Told):
    """The verbs by what one wants to do."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """See `click.MultiCommand.format_commands`."""
        for title, names in VERBS.items():
            self._section(ctx, formatter, title, names)
