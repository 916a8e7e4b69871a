"""The manifest: what a run was to measure. Of a good result each line and each element of each list is taken away, and
put in twice, one at a time; no claim that rested on it may pass.
"""

import copy
import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from seatrial.judge.base import checker_names, rests_on, run_checkers
from seatrial.judge.flaws import EVERYTHING
from seatrial.judge.judge import exit_code, judge, study_of
from seatrial.judge.missing import completeness
from seatrial.load.manifest import manifest_of
from seatrial.record.manifest import LINE, RUN_KEY, Manifest, NoManifestError, manifest_in, plain, sum_of
from seatrial.record.record import LINES, Record, read_record

Line = dict[str, Any]
WHOLE = Path(__file__).parent / "data" / "whole"
"""results of quick forms as their runs have left them, without what the judge does not read; of what agents said only
the names of the files"""
RESULTS = ("md1200-nfs-quick", "nss-ha-quick")
OF_PHASES = frozenset({"integrity", "bound", "spread"})
OF_FAULTS = frozenset({"integrity", "fencing", "outage", "faults", "consistency"})
ALL = frozenset(checker_names())
RESTED_ON: dict[str, frozenset[str]] = {
    "manifest": ALL,
    "run": ALL,
    "end": ALL,
    "deploy": frozenset({"idempotence"}),
    "deploy.results": frozenset({"idempotence"}),
    "fingerprint": frozenset({"idempotence"}),
    "fingerprint.nodes": frozenset({"idempotence"}),
    "baselines": frozenset({"baselines"}),
    "baselines.found": frozenset({"baselines"}),
    "phase": OF_PHASES,
    "phase.clients": OF_PHASES,
    "comparison": frozenset({"integrity"}),
    "fault": OF_FAULTS,
    "fault.streams": frozenset({"outage", "faults", "integrity"}),
    "fault.compared": frozenset({"integrity"}),
    "fault.consistency": frozenset({"consistency"}),
    "fault.copies": frozenset({"integrity"}),
    "fault.roles_before": frozenset({"fencing"}),
    "fault.roles_after": frozenset({"fencing"}),
}
"""by line, or list of a line, the checks that rest on it; what is not named decides nothing"""


@dataclass(frozen=True)
class Whole:
    """One good result."""

    folder: Path
    lines: tuple[Line, ...]

    def record(self, lines: list[Line] | tuple[Line, ...]) -> Record:
        """The same with other lines."""
        return Record(self.folder, tuple(lines))

    def passed(self, lines: list[Line] | tuple[Line, ...]) -> set[str]:
        """The checks of the claims that pass with these lines."""
        record = self.record(lines)
        study = study_of(record)
        checks = {claim.id: claim.check for claim in study.claims}
        return {checks[item.claim] for item in run_checkers(study, record) if item.verdict == "pass"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Whole]:
    """A kept result, laid out as its run has left it."""

    @cache
    def laid_out(name: str) -> Whole:
        kept, folder = WHOLE / name, tmp_path_factory.mktemp(name)
        text = gzip.decompress((kept / f"{LINES}.gz").read_bytes()).decode()
        (folder / LINES).write_text(text)
        for file in ("study.yaml", "published.yaml"):
            (folder / file).write_bytes((kept / file).read_bytes())
        (folder / "agent").mkdir()
        for file in (kept / "agent-files.txt").read_text().split("\n")[:-1]:
            (folder / "agent" / file).write_text("{}\n")
        return Whole(folder, tuple(json.loads(line) for line in text.splitlines()))

    return laid_out


# ---- a good one


@pytest.mark.parametrize("name", RESULTS)
def test_nothing_is_missing_in_a_good_result(whole: Callable[[str], Whole], name: str) -> None:
    """And every claim passes."""
    good = whole(name)
    record = read_record(good.folder)
    found = completeness(study_of(record), record)
    assert [flaw.words for flaw in found.flaws] == []
    assert not found.is_derived
    assert good.passed(good.lines) == {claim.check for claim in study_of(record).claims}
    assert exit_code(record, judge(record)) == 0


@pytest.mark.parametrize("name", RESULTS)
def test_a_manifest_is_read_as_it_was_written(whole: Callable[[str], Whole], name: str) -> None:
    """From its line, whose sum stands in the line `run`."""
    line = whole(name).lines[1]
    found = Manifest.from_json(line)
    assert plain(found.to_json()) == {key: value for key, value in line.items() if key not in ("type", "unix_s")}
    assert sum_of(found.to_json()) == whole(name).lines[0][RUN_KEY]


# ---- one thing gone, or twice


@dataclass(frozen=True)
class Altered:
    """A result in which one thing is gone or twice."""

    what: str
    checks: frozenset[str]
    lines: list[Line]


def altered(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """Each line, and each element of each list and mapping that `RESTED_ON` names, gone and twice."""
    for number, line in enumerate(lines):
        kind, rest = line["type"], (lines[:number], lines[number + 1 :])
        checks = RESTED_ON.get(kind, frozenset())
        if number:  # without its first line it is no record
            yield Altered(f"{number} {kind} gone", checks, [*rest[0], *rest[1]])
        yield Altered(f"{number} {kind} twice", checks, [*rest[0], line, copy.deepcopy(line), *rest[1]])
        for key in (name.partition(".")[2] for name in RESTED_ON if name.startswith(f"{kind}.")):
            for what, value in _without_one(line[key]):
                of_key = RESTED_ON[f"{kind}.{key}"]
                yield Altered(f"{number} {kind} {key}: {what}", of_key, [*rest[0], {**line, key: value}, *rest[1]])


def _without_one(items: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(items, Mapping):
        yield from ((f"{name} gone", {key: items[key] for key in items if key != name}) for name in items)
        return
    for index, item in enumerate(items):
        yield f"{index} gone", [*items[:index], *items[index + 1 :]]
        yield f"{index} twice", [*items[: index + 1], copy.deepcopy(item), *items[index + 1 :]]


@pytest.mark.parametrize("name", RESULTS)
def test_what_is_gone_or_twice_leaves_no_pass_that_rested_on_it(whole: Callable[[str], Whole], name: str) -> None:
    """One thing at a time, and all of them."""
    good = whole(name)
    kept = {found.what: good.passed(found.lines) & found.checks for found in altered(good.lines) if found.checks}
    assert {what: checks for what, checks in kept.items() if checks} == {}
    assert len(kept) > 300
