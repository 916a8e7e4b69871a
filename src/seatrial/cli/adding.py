"""Adds a function to the program as a verb, with the options that every verb has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import typer

from seatrial.cli import output
from seatrial.cli.arguments import QuietOption, VerboseOption
from seatrial.cli.groups import Verb


def add(app: typer.Typer, name: str, verb: Callable[..., None], *, passes_on: bool = False) -> None:
    """Make `verb` the command `name`, with --quiet and --verbose.

    passes_on: all words after the first operand are operands, as of a command for a node.
    """
    settings = (
        {"allow_interspersed_args": False, "ignore_unknown_options": True} if passes_on else {}
    )
    app.command(name, cls=Verb, context_settings=settings)(_with_common_options(verb))


def _with_common_options(verb: Callable[..., None]) -> Callable[..., None]:
    """The same function with two more parameters, which it does not see itself."""
    signature = inspect.signature(verb, eval_str=True)

    @functools.wraps(verb)
    def command(*, quiet: bool, verbose: bool, **arguments: Any) -> None:
        output.ask_for(quiet=quiet, verbose=verbose)
        verb(**arguments)

    common = [_option("quiet", QuietOption), _option("verbose", VerboseOption)]
    parameters = [*signature.parameters.values(), *common]
    # typer reads one or the other, by its version.
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {item.name: item.annotation for item in parameters}
    return command


def _option(name: str, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False, annotation=annotation
    )
