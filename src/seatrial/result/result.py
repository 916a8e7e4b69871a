"""The result of one run: a folder that is append-only, and readable after any crash.

`result.jsonl` holds one JSON object per line, each written by one write(2): a crash can only cut
off the last line, and the reader reports it. The folder also holds `study.yaml` (without secrets)
and `published.yaml` as they were, `scripts/`, `console/` and `agent/` (every line that every agent
printed). `verdicts.json`, `results.json`, `report.html` and `report.pdf` are derived, and can be
made from the rest at any time.
docs/result-format.md describes the lines.
"""

import contextlib
import json
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

from seatrial.basics.errors import InputError, SeatrialError
from seatrial.basics.finite import is_finite
from seatrial.result.baselines import Baseline
from seatrial.result.fault_parts import ComparisonLine
from seatrial.result.faults import FaultResult
from seatrial.result.invariants.all_lines import contradictions
from seatrial.result.invariants.contradiction import Contradiction
from seatrial.result.phases import PhaseResult
from seatrial.result.published import published_result
from seatrial.result.sealed import LINES, PUBLISHED, SEAL_KEY, SUMS, Seal, SealState, seal_of
from seatrial.result.series import with_series

SCHEMA = "result/1"
FIRST_DEPLOY = "first deploy"
SECOND_DEPLOY = "second deploy"
"""title of the deploys that must change nothing"""
NOT_COMPLETED = "as the run was not completed"
Read = TypeVar("Read")


@dataclass(frozen=True)
class _Measurements:
    """The measurements of a result, and the lines that cannot be read."""

    phases: list[PhaseResult]
    faults: list[FaultResult]
    baselines: list[Baseline]
    problems: list[str]


@dataclass(frozen=True)
class Result:
    """A result as it was read; only this class interprets the lines.

    Where a resumed run repeats a repeat or a fault, the lines of the resumed run count. An
    experiment that failed before a resume and completed after it has not failed. All other
    observations stay: lost data stays lost.
    """

    folder: Path
    lines: tuple[dict[str, Any], ...]
    damage: tuple[str, ...] = field(default=())
    """lines that cannot be read: `line 812: not readable`"""
    cut_off: tuple[str, ...] = field(default=())
    """lines that a crash has cut off, the last line or the last one before a resume: `line 813: cut
    off`"""

    def of(self, kind: str) -> Iterator[dict[str, Any]]:
        """All lines of one kind, in order."""
        return (line for line in self.lines if line["type"] == kind)

    @property
    def comparisons(self) -> list[ComparisonLine]:
        """The lines that compare the written data with the operation logs."""
        return [cast(ComparisonLine, line) for line in self.of("comparison")]

    def first(self, kind: str) -> dict[str, Any]:
        """The first line of a kind, or {}."""
        return next(self.of(kind), {})

    def last(self, kind: str) -> dict[str, Any]:
        """The last line of a kind, or {}: a resumed run has more than one end."""
        newest: dict[str, Any] = {}
        for line in self.of(kind):
            newest = line
        return newest

    def looks(self, experiment: str, point: Mapping[str, Any]) -> int:
        """The number of checks whether the repeats of a point were sufficient: of `repeats_until`;
        1 without it.
        """
        lines = self.of("repeats")
        looks_taken = [
            line.get("looks", 1)
            for line in lines
            if (line["experiment"], line["point"]) == (experiment, point)
        ]
        return max(looks_taken, default=1)

    @property
    def phases(self) -> list[PhaseResult]:
        """Every phase, in order."""
        return self._measurements.phases

    @property
    def faults(self) -> list[FaultResult]:
        """Every fault, in the order of the run."""
        return self._measurements.faults

    @property
    def baselines(self) -> list[Baseline]:
        """Every baseline."""
        return self._measurements.baselines

    @cached_property
    def borrowed(self) -> dict[str, "Result"]:
        """The newest whole results of other studies that this run used when it began, by study."""
        return {
            str(line["study"]): Result(self.folder, tuple(line["lines"]))
            for line in self.of("borrowed")
        }

    @property
    def problems(self) -> list[str]:
        """The parts that could not be read: lines that are none, and lines with other content than
        a run writes.
        """
        return [*self.damage, *self.cut_off, *self._measurements.problems]

    @cached_property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Lines that cannot all be true: no verdict may rest on them."""
        return contradictions(self.lines, self.phases, self.faults, self.failed_experiments)

    @cached_property
    def _measurements(self) -> _Measurements:
        problems: list[str] = []
        phases = _readable(
            "phase",
            self._newest("phase", "experiment", "point", "repeat"),
            PhaseResult.from_json,
            problems,
        )
        faults = _readable("fault", self._newest("fault", "name"), FaultResult.from_json, problems)
        lines = [item for line in self.of("baselines") for item in line.get("found", ())]
        baselines = _readable("baseline", lines, lambda item: Baseline(**item), problems)
        return _Measurements(phases, faults, baselines, problems)

    def _newest(self, kind: str, *keys: str) -> list[dict[str, Any]]:
        """The lines of a kind, each key's from the last part of the run only: a resumed run begins
        a part.
        """
        by_key: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        part = 0
        for line in self.lines:
            part += line["type"] == "resumed"
            if line["type"] == kind:
                by_key.setdefault(json.dumps([line.get(key) for key in keys]), []).append(
                    (part, line)
                )
        return [
            line for lines in by_key.values() for number, line in lines if number == lines[-1][0]
        ]

    @property
    def failed_experiments(self) -> dict[str, str]:
        """Name and reason of the experiments that could not be completed; a resumed run that begins
        one again resets it.
        """
        failed: dict[str, str] = {}
        for line in self.lines:
            if line["type"] == "experiment":
                failed.pop(str(line.get("name")), None)
            elif line["type"] == "experiment-failed":
                failed[str(line.get("name"))] = str(line.get("reason"))
        return failed

    @property
    def complete(self) -> bool:
        """The run came to its end, and can be read; a resumed run repeated the lines that a crash
        cut off.
        """
        is_ended = bool(self.last("end").get("complete"))
        return is_ended and not self.damage and not self._measurements.problems

    @property
    def interrupted(self) -> bool:
        """A signal ended the run, or its newest part where it was resumed."""
        end = self.last("end")
        return not end.get("complete") and bool(end.get("interrupted"))

    @cached_property
    def seal(self) -> Seal:
        """Whether the files are as the run left them; a resumed run has no seal until it ends."""
        ended = bool(self.lines) and self.lines[-1]["type"] == "end"
        return seal_of(self.folder, ended=ended, promised=SEAL_KEY in self.first("run"))

    @cached_property
    def published(self) -> dict[str, Any]:
        """The published result that it is compared with, {} where there is none; InputError as
        `published_result`.
        """
        text = self.text(PUBLISHED)
        return published_result(text, self.folder / PUBLISHED) if text is not None else {}

    def text(self, name: str) -> str | None:
        """A file of the result, or None."""
        path = self.folder / name
        return path.read_text() if path.exists() else None


def _readable(
    what: str,
    lines: list[dict[str, Any]],
    read: Callable[[dict[str, Any]], Read],
    problems: list[str],
) -> list[Read]:
    """Every line that can be read; one that cannot is named and left out."""
    items = []
    for number, line in enumerate(lines, start=1):
        try:
            items.append(read(line))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            problems.append(f"{what} {number} cannot be read: {type(error).__name__}: {error}")
    return items


def _lead_nowhere(folder: Path) -> None:
    """InputError where a file of a result is a link or a pipe: its target would be read or
    overwritten.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise InputError(
                f"{path} is a link or a device; a result has none", "look at it, then remove it"
            )


@contextlib.contextmanager
def as_written(folder: Path) -> Iterator[None]:
    """Run the body, which reads a result: InputError where a line differs from those that a run
    writes.

    For a result that is as its run left it, that is a defect of Seatrial.
    """
    try:
        yield
    except (SeatrialError, OSError):
        raise
    except Exception as error:
        if seal_of(folder, ended=True, promised=True).state is SealState.INTACT:
            raise
        where = traceback.extract_tb(error.__traceback__)[-1]
        raise InputError(
            f"{folder}: a line has an unexpected form: {type(error).__name__}: {error} "
            f"({Path(where.filename).name}:{where.lineno})",
            f"the result was edited, or has no {SUMS}; use an unedited copy",
        ) from error


def whole_results(base: Path, study_id: str, profile: str | None = None) -> Iterator[Result]:
    """The whole results in a folder, of the study (and profile), the newest first.

    An edited result is left out.
    """
    folders = []
    for path in base.glob(f"*/{LINES}"):
        first = _first_line(path)
        begun_unix_s = first.get("unix_s", 0.0)
        is_of_study = first.get("study") == study_id
        if is_of_study and profile in (None, first.get("profile")) and is_finite(begun_unix_s):
            folders.append((begun_unix_s, path.parent))
    for _, folder in sorted(folders, reverse=True):
        try:
            result = read_result(folder)
        except (SeatrialError, OSError):
            continue
        if result.complete and not result.seal.is_broken:
            yield result


def _first_line(path: Path) -> dict[str, Any]:
    try:
        with path.open() as file:
            line = json.loads(file.readline())
    except (OSError, ValueError):
        return {}
    return line if isinstance(line, dict) else {}


def is_result(folder: Path) -> bool:
    """Whether `read_result` would find a result there."""
    return (folder / LINES).is_file() or (folder / LINES).is_symlink()


def read_result(folder: Path) -> Result:
    """Read a result, also one that was cut off; InputError when it is none, or links out of its
    folder.
    """
    path = folder / LINES
    if not is_result(folder):
        reason = f"there is no {LINES}" if folder.exists() else "it does not exist"
        raise InputError(
            f"{folder}: no result here ({reason})", "give the folder that `seatrial run` printed"
        )
    _lead_nowhere(folder)
    content = path.read_bytes()
    lines: list[dict[str, Any]] = []
    unreadable: dict[int, int] = {}
    for number, raw in enumerate(filter(None, content.split(b"\n")), start=1):
        try:
            line = json.loads(raw)
            if not isinstance(line, dict) or "type" not in line:
                raise ValueError("no object with a type")
            if b"\\ud" in raw:
                json.dumps(line, ensure_ascii=False).encode()  # half of a surrogate pair fails
            lines.append(with_series(folder, line))
        except (ValueError, RecursionError):
            unreadable[number] = len(lines)
    if not lines or lines[0].get("schema") != SCHEMA:
        raise InputError(
            f"{folder}: not a result of the format {SCHEMA}",
            "it may be of another version, or its start is damaged",
        )
    whole = content.endswith(b"\n")
    cut = {
        number
        for number, next_line in unreadable.items()
        if _is_cut_off(lines[next_line : next_line + 1], ends_whole=whole)
    }
    damage = [f"line {number}: not readable" for number in unreadable if number not in cut]
    return Result(
        folder,
        tuple(lines),
        tuple(damage),
        tuple(f"line {number}: cut off" for number in sorted(cut)),
    )


def _is_cut_off(following: Sequence[Mapping[str, Any]], *, ends_whole: bool) -> bool:
    """Whether a crash cut off an unreadable line: a resumed run follows it, or nothing, and the
    file ends without a newline.
    """
    if following:
        return bool(following[0]["type"] == "resumed")
    return not ends_whole


def new_folder(base: Path, study_id: str) -> Path:
    """A folder for a new run: `md1200-nfs-20260701T101500Z`, with a number when that exists."""
    name = f"{study_id}-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"
    for suffix in ("", *(f"-{number}" for number in range(2, 1000))):
        if not (base / f"{name}{suffix}").exists():
            return base / f"{name}{suffix}"
    raise InputError(f"{base} is full of runs of this second")
