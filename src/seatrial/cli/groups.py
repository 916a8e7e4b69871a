"""How the commands show their help: usage lines as in POSIX, and the verbs of `seatrial --help` by
purpose.

POSIX.1-2017, Base Definitions, section 12.1: `utility [options] operand...`, with optional operands
in brackets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer.core

from seatrial.basics.errors import InputError

VERBS: Mapping[str, tuple[str, ...]] = {
    "Begin": ("list", "new", "validate", "format", "doctor", "run", "watch"),
    "Before a run": ("predict", "plan", "preflight"),
    "Storage": ("deploy", "undeploy", "audit", "bench", "lab"),
    "Results": (
        "judge",
        "report",
        "compare",
        "accept",
        "advise",
        "history",
        "catalogue",
        "calibrate",
    ),
    "Exchange": ("import", "export", "redact", "schema"),
}

RENAMED: Mapping[str, str] = {
    "check": (
        "`check` is now `seatrial validate STUDY` for a study and `seatrial judge RESULT` for a"
        " result"
    ),
    "remove": "`remove` is now `seatrial undeploy STUDY`",
}
"""verbs of earlier versions -> what replaced each of them"""


def operand(parameter: Any) -> str:
    """An argument as a usage line has it: `STUDY`, `[STUDY]`, `FILE...`, `[RESULT...]`."""
    name = parameter.metavar or parameter.name.upper()
    repeated = f"{name}..." if parameter.nargs != 1 else name
    return repeated if parameter.required else f"[{repeated}]"


def usage(command: Any) -> list[str]:
    """The words after the command's name: `[OPTIONS]`, then its operands."""
    arguments = [item for item in command.params if item.param_type_name == "argument"]
    return ["[OPTIONS]", *(operand(item) for item in arguments)]


def operand_rows(command: Any) -> list[tuple[str, str]]:
    """(name, help) of each argument."""
    arguments = [item for item in command.params if item.param_type_name == "argument"]
    return [(operand(item).strip("[]"), item.help or "") for item in arguments]


def option_rows(command: Any, ctx: Any) -> list[tuple[str, str]]:
    """(`-q, --quiet`, help) of each option."""
    options = [item for item in command.get_params(ctx) if item.param_type_name == "option"]
    return [
        result for result in (item.get_help_record(ctx) for item in options) if result is not None
    ]


class Verb(typer.core.TyperCommand):
    """A command with a POSIX usage line."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ARG002 - see `click.Command`
        """See `click.Command.collect_usage_pieces`."""
        return usage(self)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """See `click.Command.format_options`."""
        for title, rows in (("Arguments", operand_rows(self)), ("Options", option_rows(self, ctx))):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class Group(typer.core.TyperGroup):
    """A group that lists each command with its first sentence whole; typer cuts it off at 45
    letters.
    """

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """See `click.MultiCommand.format_commands`."""
        self._section(ctx, formatter, "Commands", self.list_commands(ctx))

    def _section(self, ctx: Any, formatter: Any, title: str, names: Sequence[str]) -> None:
        with formatter.section(title):
            formatter.write_dl(list(self._rows(ctx, names)))

    def _rows(self, ctx: Any, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        for name in names:
            command = self.get_command(ctx, name)
            first, _, _ = ((command.help if command else None) or "").partition("\n\n")
            yield name, " ".join(first.split())


class Verbs(Group):
    """The verbs by purpose. A verb of an earlier version is an error that names the new one."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """See `click.MultiCommand.resolve_command`."""
        if args and args[0] in RENAMED and not ctx.resilient_parsing:
            raise InputError(RENAMED[args[0]])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """See `click.MultiCommand.format_commands`."""
        for title, names in VERBS.items():
            self._section(ctx, formatter, title, names)
