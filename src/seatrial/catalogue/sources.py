"""The inputs of a catalogue: finds the `results.json` files and reads each one.

An input that cannot be read is left out with a reason; it never ends the program.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from seatrial.basics.finite import only_finite
from seatrial.result.result import is_result
from seatrial.result.sealed import LINES, SUMS, Seal, SealState, seal_of
from seatrial.summary.results import FILE, SCHEMA, ResultSummary
from seatrial.summary.summarise import from_json

REPORT = "report.html"
"""in a result folder"""
FILE_BYTES_MAX = 256 * 2**20
"""a larger file is not read: it is no result summary"""
UNIX_S_MAX = 253_402_300_800.0
"""the year 10000, which no date can have"""


class Problem(StrEnum):
    """Why an input is not in the catalogue."""

    MISSING = "missing"
    """there is no such file or folder"""
    NO_RESULT = "no-result"
    """the folder has no result and no `results.json`"""
    NO_SUMMARY = "no-summary"
    """the result has no `results.json`"""
    UNREADABLE = "unreadable"
    """the operating system refuses to read the file, or the file is too large"""
    NOT_JSON = "not-json"
    UNKNOWN_SCHEMA = "unknown-schema"
    DAMAGED = "damaged"
    """a key is missing, or has a value that the schema does not permit"""
    OUTDATED = "outdated"
    """it was made from other lines than those of the result next to it"""
    DUPLICATE = "duplicate"
    """another input is the same run"""


@dataclass(frozen=True)
class LeftOut:
    """An input that is not in the catalogue."""

    path: Path
    problem: Problem
    words: str


@dataclass(frozen=True)
class Run:
    """A result summary that was read, without its histograms."""

    path: Path
    """the file"""
    summary: ResultSummary
    seal: Seal
    """of the result folder as it is now; without a folder, as the summary states it"""
    report: Path | None
    """the report in the same folder"""
    digest: str
    """SHA-256 of the file"""

    @property
    def place(self) -> Path:
        """The result folder; the file where it is in none."""
        return self.path.parent if self.path.name == FILE else self.path

    @property
    def is_edited(self) -> bool:
        """Whether the result was changed after its run, so that no figure may be compared."""
        return self.seal.is_broken


@dataclass(frozen=True)
class Inputs:
    """The runs in the order of time, and the inputs that were left out."""

    runs: tuple[Run, ...]
    left_out: tuple[LeftOut, ...]


class NotReadError(Exception):
    """A file is no result summary."""

    def __init__(self, problem: Problem, words: str) -> None:
        super().__init__(words)
        self.problem = problem
        self.words = words


def read_inputs(operands: Sequence[Path]) -> Inputs:
    """Read files, result folders, and folders of them."""
    runs: list[Run] = []
    left_out: list[LeftOut] = []
    for path in _inputs_of(operands):
        if isinstance(path, LeftOut):
            left_out.append(path)
            continue
        try:
            run = read_run(path)
        except NotReadError as error:
            left_out.append(LeftOut(path, error.problem, error.words))
            continue
        same = next((other for other in runs if _is_same_run(run, other)), None)
        if same is None:
            runs.append(run)
        elif same.path.resolve() != run.path.resolve():
            words = f"the same run as another input, {same.summary.run.result}"
            left_out.append(LeftOut(path, Problem.DUPLICATE, words))
    return Inputs(tuple(sorted(runs, key=_order)), tuple(left_out))


def _is_same_run(run: Run, other: Run) -> bool:
    if run.digest == other.digest:
        return True
    lines = run.summary.run.sha256
    return lines is not None and lines == other.summary.run.sha256


def _order(run: Run) -> tuple[bool, float, str, str, str]:
    """Runs without a date are last."""
    identity = run.summary.run
    started_s = identity.started_unix_s
    has_no_date = started_s is None
    names = (run.summary.study.id, identity.result, run.digest)
    return (has_no_date, started_s or 0.0, *names)


def _inputs_of(operands: Sequence[Path]) -> Iterator[Path | LeftOut]:
    for operand in operands:
        if operand.is_file():
            yield operand
        elif operand.is_dir():
            yield from _inputs_in(operand)
        else:
            yield LeftOut(operand, Problem.MISSING, "there is no such file or folder")


def _inputs_in(folder: Path) -> Iterator[Path | LeftOut]:
    """The input in a result folder, or those in a folder of results."""
    try:
        of_folder = list(_input_of_result(folder))
        children = sorted(folder.iterdir())
    except OSError as error:
        yield LeftOut(folder, Problem.UNREADABLE, error.strerror or "it cannot be read")
        return
    if of_folder:
        yield from of_folder
        return
    inputs: list[Path | LeftOut] = []
    for child in children:
        if child.is_dir():
            inputs.extend(_input_of_result(child))
        elif child.suffix == ".json" and child.is_file():
            inputs.append(child)
    yield from inputs
    if not inputs:
        yield LeftOut(folder, Problem.NO_RESULT, f"no result and no {FILE} is in this folder")


def _input_of_result(folder: Path) -> Iterator[Path | LeftOut]:
    """The file of a result folder; nothing for a folder that is none."""
    if (folder / FILE).is_file():
        yield folder / FILE
    elif is_result(folder):
        words = f"it has no {FILE}: `seatrial judge RESULT` writes it"
        yield LeftOut(folder, Problem.NO_SUMMARY, words)


def read_run(path: Path) -> Run:
    """Read one file; NotReadError where it is no result summary."""
    content = _content(path)
    summary = _summary(content)
    folder = path.parent
    report = folder / REPORT
    is_in_result = path.name == FILE
    return Run(
        path=path,
        summary=summary,
        seal=_seal(folder, summary) if is_in_result else _stated_seal(summary),
        report=report if is_in_result and report.is_file() else None,
        digest=hashlib.sha256(content).hexdigest(),
    )


def _content(path: Path) -> bytes:
    try:
        size_bytes = path.stat().st_size
        if size_bytes > FILE_BYTES_MAX:
            raise NotReadError(Problem.UNREADABLE, f"it has {size_bytes} bytes, which is too large")
        return path.read_bytes()
    except OSError as error:
        raise NotReadError(Problem.UNREADABLE, error.strerror or "it cannot be read") from None


def _summary(content: bytes) -> ResultSummary:
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise NotReadError(Problem.NOT_JSON, "it is not JSON, or it was cut off") from None
    if not isinstance(data, dict) or "schema" not in data:
        raise NotReadError(Problem.UNKNOWN_SCHEMA, f"it has no key schema, expected {SCHEMA}")
    if data["schema"] != SCHEMA:
        words = f"schema {str(data['schema'])[:40]!r} is not known, expected {SCHEMA}"
        raise NotReadError(Problem.UNKNOWN_SCHEMA, words)
    try:
        summary = _validated(only_finite(_without_histograms(data)))
    except ValidationError as error:
        raise NotReadError(Problem.DAMAGED, _first_mistake(error)) from None
    except (ValueError, OverflowError, RecursionError):
        raise NotReadError(Problem.DAMAGED, "a value is outside its range") from None
    _check(summary)
    return summary


def _validated(data: dict[str, Any]) -> ResultSummary:
    """The summary. A key that a later version of the schema added is None in an older file.

    ValidationError where None is no value of the key.
    """
    try:
        return from_json(data)
    except ValidationError as error:
        mistakes = error.errors(include_input=False, include_url=False)
        missing = [item["loc"] for item in mistakes if item["type"] == "missing"]
        if len(missing) < len(mistakes):
            raise
        for place in missing:
            _set_none(data, place)
        return from_json(data)


def _set_none(data: dict[str, Any], place: tuple[int | str, ...]) -> None:
    """Add a key with the value None; only_finite made lists and dictionaries of all values."""
    target: Any = data
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = None


def _without_histograms(data: dict[str, Any]) -> dict[str, Any]:
    """The same without the largest part, which the catalogue does not show."""
    points = data.get("points")
    if not isinstance(points, list):
        return data
    lighter = [{**item, "histograms": []} if isinstance(item, dict) else item for item in points]
    return {**data, "points": lighter}


def _first_mistake(error: ValidationError) -> str:
    mistake = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(map(str, mistake["loc"]))
    return f"{place}: {mistake['msg']}"


def _check(summary: ResultSummary) -> None:
    """NotReadError for a value that has the right type and no meaning."""
    started_s = summary.run.started_unix_s
    if started_s is not None and not 0 <= started_s < UNIX_S_MAX:
        words = f"run.started_unix_s: {started_s:g} is no date"
        raise NotReadError(Problem.DAMAGED, words)
    if summary.run.seal not in {state.value for state in SealState}:
        words = f"run.seal: {summary.run.seal[:40]!r} is not known"
        raise NotReadError(Problem.DAMAGED, words)


def _seal(folder: Path, summary: ResultSummary) -> Seal:
    """The seal of a result folder; that of the summary where the folder has no seal to verify.

    NotReadError where the summary is not of the sealed lines.
    """
    try:
        if not (folder / SUMS).is_file() or not (folder / LINES).is_file():
            return _stated_seal(summary)
        seal = seal_of(folder, ended=True, promised=True)
        lines = hashlib.sha256((folder / LINES).read_bytes()).hexdigest()
    except OSError as error:
        raise NotReadError(Problem.UNREADABLE, error.strerror or "it cannot be read") from None
    is_other = summary.run.sha256 not in (None, lines)
    if is_other and not seal.is_broken:
        words = f"it is not of the {LINES} next to it: `seatrial judge RESULT` writes it again"
        raise NotReadError(Problem.OUTDATED, words)
    return seal


def _stated_seal(summary: ResultSummary) -> Seal:
    state = SealState(summary.run.seal)
    files = ("a sealed file",) if state is SealState.BROKEN else ()
    return Seal(state, files)
