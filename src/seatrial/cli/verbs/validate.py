"""The verb `validate`."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import command
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, study_names
from seatrial.cli.studies import load


@dataclass(frozen=True)
class Validated:
    """What was found in one study."""

    study: str
    """its path or name, as it was given"""
    warnings: tuple[str, ...] = ()
    mistake: str | None = None
    hint: str | None = None

    @property
    def valid(self) -> bool:
        """Whether the study can be run."""
        return self.mistake is None


def validate(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="STUDY",
            help="a study.yaml, its folder, or a name of `seatrial list`",
            autocompletion=study_names,
        ),
    ],
    as_json: JsonOption = False,
) -> None:
    """Check studies for mistakes, and print file, line and column. Contacts no node."""
    from seatrial.service.terminal import print_error

    validated = [_validated(path) for path in paths]
    if as_json:
        studies = [{"valid": item.valid, **asdict(item)} for item in validated]
        mistakes = [item.mistake for item in validated if item.mistake is not None]
        failed = output.error_json("\n".join(mistakes), None, InputError.exit_code)
        output.print_json({"studies": studies, **({"error": failed} if mistakes else {})})
    for item in validated:
        for warning in item.warnings:
            print(f"warning: {warning}", file=sys.stderr)
        if item.mistake is not None:
            print_error(item.mistake, item.hint)
        elif not as_json:
            print(f"{item.study}: valid")
    raise typer.Exit(0 if all(item.valid for item in validated) else InputError.exit_code)


def _validated(path: Path) -> Validated:
    """Everything that a run refuses before it begins."""
    from seatrial.check import prepare
    from seatrial.judge.judge import check_claims
    from seatrial.labs.emulation.capacity import cramped_links
    from seatrial.result.result import is_result

    try:
        if is_result(path):
            raise InputError(f"{path}: a result, not a study", command("judge", path))
        study = load(path)
        site, _ = prepare(study)
        check_claims(study)
        return Validated(str(path), tuple(cramped_links(site, len(os.sched_getaffinity(0)))))
    except InputError as error:
        return Validated(str(path), mistake=str(error), hint=error.hint)
