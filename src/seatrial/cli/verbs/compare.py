"""The verb `compare`."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import TOLERANCE_DEFAULT, JsonOption, ToleranceOption

if TYPE_CHECKING:
    from collections.abc import Mapping

    from seatrial.advice.compare import Comparison
    from seatrial.advice.gate import Decision

ACCEPTED = Path("accepted")


class FailOn(StrEnum):
    """The findings that can end `compare` with exit code 1."""

    REGRESSION = "regression"


def compare(
    first: Annotated[
        Path,
        typer.Argument(
            metavar="FIRST",
            help="the folder of a run, or of an import; or `accepted`: the last accepted result of "
            "the study and profile of the first OTHER",
        ),
    ],
    others: Annotated[
        list[Path], typer.Argument(metavar="OTHER", help="the results to compare with it")
    ],
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            "--fail-on",
            metavar="regression",
            help="exit with 1 if a point is slower than in FIRST, beyond chance and the tolerance; "
            "with 3 if nothing could be compared",
        ),
    ] = None,
    tolerance: ToleranceOption = TOLERANCE_DEFAULT,
    as_json: JsonOption = False,
) -> None:
    """Compare results: ratios to the first result, with 95 % intervals."""
    from seatrial.advice.compare import compare as compare_results
    from seatrial.advice.compare import comparison_of
    from seatrial.advice.gate import gate_regression
    from seatrial.result.opened import opened
    from seatrial.result.result import as_written

    decision: Decision | None = None
    with opened(say_aside) as results:
        base_path = _base(first, others[0])
        base, *rest = [results.read(path) for path in (base_path, *others)]
        compared_with = dict(zip(map(str, others), rest, strict=True))
        compare_one = compare_results if fail_on is None else comparison_of
        with as_written(base_path):
            comparisons = {name: compare_one(base, other) for name, other in compared_with.items()}
            if fail_on is not None:
                decision = gate_regression(base, compared_with, tolerance)
        if as_json:
            output.print_json(_object(base_path, comparisons, decision))
        else:
            _print_tables(base_path, comparisons, decision)
    if decision is not None:
        raise typer.Exit(decision.exit_code)


def _base(first: Path, other: Path) -> Path:
    """The first result: the one that was named, or the accepted one."""
    from seatrial.judge.references import newest_accepted
    from seatrial.result.result import is_result, read_result

    if first != ACCEPTED or is_result(first):
        return first
    result = read_result(other)
    run = result.first("run")
    folder = other.absolute().parent
    study = run.get("study")
    profile = run.get("profile")
    accepted = newest_accepted(folder, str(study), profile, without=other)
    if accepted is None:
        raise InputError(
            f"{folder}: no other result of {study} in the profile {profile} is accepted",
            "accept one with seatrial accept RESULT",
        )
    return accepted.folder


def _object(
    first: Path, comparisons: Mapping[str, Comparison], decision: Decision | None
) -> dict[str, Any]:
    """The object of --json."""
    others = [{"result": other, **asdict(comparison)} for other, comparison in comparisons.items()]
    data: dict[str, Any] = {"first": str(first), "others": others}
    if decision is not None:
        data |= {"decision": asdict(decision), "exit_code": decision.exit_code}
    return data


def _print_tables(
    first: Path, comparisons: Mapping[str, Comparison], decision: Decision | None
) -> None:
    """A table for each other result, then the decision."""
    from seatrial.advice.compare import comparison_table

    for number, (other, comparison) in enumerate(comparisons.items()):
        gap = "\n" if number else ""
        print(f"{gap}A: {first}\nB: {other}\n{comparison_table(comparison)}")
    if decision is not None:
        print(decision.words)
