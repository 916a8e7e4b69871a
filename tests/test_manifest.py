"""The manifest: the plan of a run's measurements.

Each line and each element of each list of a good result is removed, or duplicated, one at a time.
No criterion that depends on it may pass.
"""

import copy
import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from seatrial.judge.base import _CHECKS as CHECKS
from seatrial.judge.base import checker_names, run_checkers
from seatrial.judge.checker import rests_on
from seatrial.judge.flaws import EVERYTHING
from seatrial.judge.judge import exit_code, judge, study_of
from seatrial.judge.missing import completeness
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.load.manifest import manifest_of
from seatrial.result.manifest import RUN_KEY, Manifest, NoManifestError, manifest_in, plain, sum_of
from seatrial.result.result import LINES, Result, read_result, seal

Line = dict[str, Any]
WHOLE = Path(__file__).parent / "data" / "whole"
"""results of quick profiles as their runs have written them, without the parts that the judge
does not read; only the file names of the agents' output
"""
RESULTS = ("md1200-nfs-quick", "nss-ha-quick")
OF_RATES = frozenset({"throughput", "iops", "metadata-rate", "latency", "scaling", "variation"})
STUDIED = frozenset({"integrity", "bound", "spread"})
"""checks of phases that the study of a kept result has"""
OF_PHASES = STUDIED | OF_RATES
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
"""by line, or list of a line, the checks that depend on it; an element without a check
decides nothing
"""


@dataclass(frozen=True)
class Whole:
    """One good result."""

    folder: Path
    lines: tuple[Line, ...]

    def result(self, lines: list[Line] | tuple[Line, ...]) -> Result:
        """The same with other lines."""
        return Result(self.folder, tuple(lines))

    def passed(self, lines: list[Line] | tuple[Line, ...], among: frozenset[str] = ALL) -> set[str]:
        """The checks, among some, of the claims that pass with these lines."""
        result = self.result(lines)
        study = study_of(result)
        claims = tuple(claim for claim in study.criteria if claim.check in among)
        checks = {claim.id: claim.check for claim in claims}
        judged = run_checkers(study.replaced(criteria=claims), result)
        passed = ("pass", PASS_WITH_WAIVERS)
        return {checks[item.claim] for item in judged if item.verdict in passed}


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
        seal(folder)
        return Whole(folder, tuple(json.loads(line) for line in text.splitlines()))

    return laid_out


# ---- a good one


@pytest.mark.parametrize("name", RESULTS)
def test_nothing_is_missing_in_a_good_result(whole: Callable[[str], Whole], name: str) -> None:
    """And every claim passes."""
    good = whole(name)
    result = read_result(good.folder)
    found = completeness(study_of(result), result)
    assert [flaw.words for flaw in found.flaws] == []
    assert not found.is_derived
    assert good.passed(good.lines) == {claim.check for claim in study_of(result).criteria}
    assert exit_code(result, judge(result)) == 0


@pytest.mark.parametrize("name", RESULTS)
def test_a_manifest_is_read_back_unchanged(whole: Callable[[str], Whole], name: str) -> None:
    """From its line; the line `run` has its checksum."""
    line = whole(name).lines[1]
    found = Manifest.from_json(line)
    assert plain(found.to_json()) == {key: value for key, value in line.items() if key not in ("type", "unix_s")}
    assert sum_of(found.to_json()) == whole(name).lines[0][RUN_KEY]


# ---- one thing gone, or twice


@dataclass(frozen=True)
class Altered:
    """A result with one part missing or duplicated."""

    what: str
    checks: frozenset[str]
    lines: list[Line]


def altered(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """Each line, and each element of each list and mapping in `RESTED_ON`, missing and
    duplicated.
    """
    for number, line in enumerate(lines):
        kind, rest = line["type"], (lines[:number], lines[number + 1 :])
        checks = RESTED_ON.get(kind, frozenset())
        if number:  # without its first line it is no result
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
def test_missing_or_duplicate_evidence_leaves_no_pass(whole: Callable[[str], Whole], name: str) -> None:
    """One part at a time, and all of them."""
    good = whole(name)
    kept = {found.what: good.passed(found.lines, found.checks) for found in altered(good.lines) if found.checks}
    assert {what: checks for what, checks in kept.items() if checks} == {}
    assert len(kept) > 300


# ---- more than one thing


def cut(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """The result ends anywhere, and has an end all the same."""
    for number in range(2, len(lines) - 1):
        gone = {RESTED_ON_ALL_OF[line["type"]] for line in lines[number:-1] if line["type"] in RESTED_ON_ALL_OF}
        checks = frozenset().union(*gone)
        yield Altered(f"cut before line {number}", checks, [*lines[:number], lines[-1]])


RESTED_ON_ALL_OF = {kind: checks for kind, checks in RESTED_ON.items() if "." not in kind and checks != ALL}


def emptied(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """A whole list or mapping of a line is missing; every line of a kind is."""
    for name, checks in RESTED_ON.items():
        kind, _, key = name.partition(".")
        if key:
            for number, line in enumerate(lines):
                if line["type"] == kind and line[key]:
                    empty: Any = {} if isinstance(line[key], dict) else []
                    changed = [*lines[:number], {**line, key: empty}, *lines[number + 1 :]]
                    yield Altered(f"{number} {name} empty", checks, changed)
        elif kind != "run":
            left = [line for line in lines if line["type"] != kind]
            if len(left) < len(lines):
                yield Altered(f"every {kind} gone", checks, left)


def one_experiment_gone(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """Its line and all of its phases; or all of its phases of one kind but one."""
    for name in (line["name"] for line in lines if line["type"] == "experiment"):
        left = [line for line in lines if name not in (line.get("experiment"), line.get("name"))]
        yield Altered(f"{name} gone", OF_PHASES, left)
    phases = [line for line in lines if line["type"] == "phase"]
    for kind in dict.fromkeys(line["phase"] for line in phases):
        _first, *others = [line for line in phases if line["phase"] == kind]
        if others:
            left = [line for line in lines if all(line is not other for other in others)]
            yield Altered(f"all of {kind} but one gone", OF_PHASES, left)


def one_client_gone(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """Every stream of one client of a fault."""
    for number, line in enumerate(lines):
        rest = lines[:number], lines[number + 1 :]
        if line["type"] == "fault":
            for client in dict.fromkeys(item["client"] for item in line["streams"]):
                streams = [item for item in line["streams"] if item["client"] != client]
                changed = [*rest[0], {**line, "streams": streams}, *rest[1]]
                yield Altered(f"{line['name']}: all of {client} gone", RESTED_ON["fault.streams"], changed)


def renamed(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """A good line in place of another one, under its name: a fault, a repeat of a phase, a client."""
    faults = [line for line in lines if line["type"] == "fault"]
    phases = [line for line in lines if line["type"] == "phase"]
    for found, keys, checks in ((faults, ("name",), OF_FAULTS), (phases, ("repeat", "point"), OF_PHASES)):
        for line in found:
            for other in found:
                about = {key: other[key] for key in keys}
                if (
                    line is other
                    or line.get("phase") != other.get("phase")
                    or about == {key: line[key] for key in keys}
                ):
                    continue
                if line.get("experiment") == other.get("experiment"):
                    changed = [{**line, **about} if it is other else it for it in lines]
                    yield Altered(f"{about} is a copy", checks, changed)


def witnesses_gone(lines: tuple[Line, ...]) -> Iterator[Altered]:
    """The power log, the nodes' event logs, or the old server's write log of the fault with a
    fenced server.
    """
    for number, line in enumerate(lines):
        if line["type"] != "fault" or not line["moved"]:
            continue
        old, *_ = line["roles_before"].values()
        writers = {name: items for name, items in line["writers"].items() if name != old}
        for key, value in (("moments", []), ("writers", writers), ("power", [])):
            if line[key]:
                changed = [*lines[:number], {**line, key: value}, *lines[number + 1 :]]
                yield Altered(f"{line['name']}: no {key}", frozenset({"fencing"}), changed)


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("alter", [cut, emptied, one_experiment_gone, one_client_gone, renamed, witnesses_gone])
def test_more_missing_evidence_leaves_no_pass(
    whole: Callable[[str], Whole], name: str, alter: Callable[[tuple[Line, ...]], Iterator[Altered]]
) -> None:
    """As findings had it: whole experiments, all faults but one, all of one client, copies under another name."""
    good = whole(name)
    kept = {found.what: good.passed(found.lines, found.checks) for found in alter(good.lines) if found.checks}
    assert {what: checks for what, checks in kept.items() if checks} == {}


def test_agent_output_is_evidence(whole: Callable[[str], Whole], tmp_path: Path) -> None:
    """Without the lines of one agent its phase shows nothing."""
    good = whole("md1200-nfs-quick")
    for file in ("study.yaml", "published.yaml"):
        (tmp_path / file).write_bytes((good.folder / file).read_bytes())
    (tmp_path / "agent").mkdir()
    names = [path.name for path in (good.folder / "agent").iterdir()]
    for name in names[1:]:
        (tmp_path / "agent" / name).write_text("{}\n")
    (tmp_path / LINES).write_bytes((good.folder / LINES).read_bytes())
    seal(tmp_path)
    assert Whole(tmp_path, good.lines).passed(good.lines) == {"idempotence"}
    (tmp_path / "agent" / names[0]).write_text("{}\n")
    seal(tmp_path)
    assert Whole(tmp_path, good.lines).passed(good.lines) == {"idempotence", *STUDIED}


@pytest.mark.parametrize("name", RESULTS)
def test_unrelated_missing_evidence_leaves_a_pass(whole: Callable[[str], Whole], name: str) -> None:
    """A criterion depends on its own evidence alone: without the baselines, the faults have
    the same verdicts.
    """
    good = whole(name)
    before = good.passed(good.lines)
    for number, line in enumerate(good.lines):
        checks = RESTED_ON.get(line["type"], frozenset())
        if number and checks != ALL:
            left = [*good.lines[:number], *good.lines[number + 1 :]]
            assert good.passed(left) >= before - checks, f"{number} {line['type']}"


# ---- weakened


@pytest.mark.parametrize("name", RESULTS)
def test_weaker_claims_in_the_stored_study_pass_no_more(
    whole: Callable[[str], Whole], name: str, tmp_path: Path
) -> None:
    """A margin that was widened, and a claim that was taken out, which is named."""
    good = whole(name)
    folder = tmp_path / "r"
    folder.mkdir()
    for file in (LINES, "study.yaml", "published.yaml"):
        (folder / file).write_bytes((good.folder / file).read_bytes())
    (folder / "agent").symlink_to(good.folder / "agent")
    text = (folder / "study.yaml").read_text()
    (folder / "study.yaml").write_text(text.replace("margin: 0.05", "margin: 0.5"))
    assert Whole(folder, good.lines).passed(good.lines) == set()
    claim = "  - id: deploy-twice\n    check: idempotence\n"
    assert claim in text
    (folder / "study.yaml").write_text(text.replace(claim, ""))
    result = Result(folder, good.lines)
    reported = {item.claim: item.verdict for item in run_checkers(study_of(result), result)}
    assert set(reported.values()) == {"unknown"}
    assert len(reported) == len(study_of(Result(good.folder, good.lines)).criteria)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("fails_over", "may"),
        ("errors", ["EIO"]),
        ("blocks", True),
        ("detected_by", ["fencing"]),
        ("target", 3.0),
        ("min_stall", 1.0),
        ("outage", 1000.0),
        ("outage", None),
    ],
)
def test_a_fault_of_which_less_is_expected_passes_no_more(whole: Callable[[str], Whole], key: str, value: Any) -> None:
    """Also one that is turned into a negative control, which fails no other claim."""
    good = whole("nss-ha-quick")
    for number, line in enumerate(good.lines):
        if line["type"] == "fault":
            weaker = {**line, "expect": {**line["expect"], key: value}}
            assert good.passed([*good.lines[:number], weaker, *good.lines[number + 1 :]]) & OF_FAULTS == set()


def test_another_published_result_decides_nothing(whole: Callable[[str], Whole], tmp_path: Path) -> None:
    """The result's own acceptance criteria do not depend on it."""
    good = whole("nss-ha-quick")
    before = {item.verdict for item in judge(read_result(good.folder)) if item.kind == "published"}
    assert "agrees" in before
    (tmp_path / "study.yaml").write_bytes((good.folder / "study.yaml").read_bytes())
    (tmp_path / "published.yaml").write_text((good.folder / "published.yaml").read_text() + "\n")
    (tmp_path / "agent").symlink_to(good.folder / "agent")
    (tmp_path / LINES).write_bytes((good.folder / LINES).read_bytes())
    seal(tmp_path)
    judged = judge(Result(tmp_path, good.lines))
    assert {item.verdict for item in judged if item.kind == "published"} == {"inconclusive"}
    assert {item.verdict for item in judged if item.kind == "acceptance"} <= {"pass", PASS_WITH_WAIVERS}
    (tmp_path / "published.yaml").unlink()
    gone = [item for item in judge(Result(tmp_path, good.lines)) if item.kind == "published"]
    assert [item.claim for item in gone] == list(study_of(Result(tmp_path, good.lines)).published_claims)
    assert {item.verdict for item in gone} == {"inconclusive"}


# ---- published claims


def test_published_rows_need_the_faults_that_repeat_them(whole: Callable[[str], Whole]) -> None:
    """A row with a lost stream in its fault no longer agrees, and every other row does."""
    good = whole("nss-ha-quick")

    def agreed(lines: list[Line]) -> set[str]:
        judged = judge(Result(good.folder, tuple(lines)))
        return {item.claim for item in judged if item.kind == "published" and item.verdict == "agrees"}

    before = agreed(list(good.lines))
    assert before
    for number, line in enumerate(good.lines):
        if line["type"] == "fault" and line["published"] in before:
            less = {**line, "streams": line["streams"][1:]}
            after = agreed([*good.lines[:number], less, *good.lines[number + 1 :]])
            assert line["published"] not in after
            rows = {item["published"] for item in good.lines if item["type"] == "fault"}
            assert (before - after) & rows == {line["published"]}


# ---- parts of a study, and of a run


def remade(lines: list[Line], manifest: Manifest, **run: Any) -> list[Line]:
    """The same lines with another manifest."""
    fields = plain(manifest.to_json())
    first = {**lines[0], **run, RUN_KEY: sum_of(fields)}
    return [first, {**lines[1], **fields}, *lines[2:]]


def test_a_run_of_one_experiment_needs_that_one(whole: Callable[[str], Whole]) -> None:
    """`--only`: an unselected part is not missing, and no baselines are measured."""
    good = whole("md1200-nfs-quick")
    study = study_of(Result(good.folder, good.lines))
    texts = {f"{name}_text": (good.folder / f"{name}.yaml").read_text() for name in ("study", "published")}
    of_today = manifest_of(study, "quick", ("fig7",), {}, **texts)
    # The kept result has the step titles of its version.
    manifest = replace(of_today, deploys=Manifest.from_json(good.lines[1]).deploys)
    left = [line for line in good.lines if line.get("experiment", line.get("name")) != "fig10-13"]
    lines = remade(left, manifest, only=["fig7"])
    assert good.passed(lines) == {"idempotence", *STUDIED}
    assert good.passed([{key: value for key, value in lines[0].items() if key != "only"}, *lines[1:]]) == set()
    assert good.passed([*lines[:-2], lines[-1]]) == {"idempotence"}


def test_a_resumed_run_is_complete(whole: Callable[[str], Whole]) -> None:
    """A repeated measurement counts once, and a part that was cut off may be missing; within
    one part nothing is present twice.
    """
    good = whole("md1200-nfs-quick")
    lines = list(good.lines)
    begin = [line for line in lines if line["type"] in ("system", "deploy", "fingerprint", "nodes")]
    first = lines.index(next(line for line in lines if line["type"] == "phase"))
    resumed = {"type": "resumed", "unix_s": 0.0, "seatrial": "0"}
    experiment = next(line for line in lines if line["type"] == "experiment")
    parts = [*lines[: first + 3], resumed, *begin, experiment, *lines[first + 2 :]]
    assert good.passed(parts) == good.passed(lines)
    twice = [*parts[:-1], lines[first + 3], parts[-1]]
    assert good.passed(twice) == set()  # and it was written out of order, which no run does
    without_look = [line for line in parts if line["type"] != "fingerprint"]
    assert "idempotence" not in good.passed(without_look)
    never_deployed = [*lines[: first + 3], resumed, experiment, *lines[first + 2 :]]
    assert good.passed(never_deployed) == STUDIED
    cut_short = [*lines[: first + 3], resumed, *begin, {**lines[-1], "complete": False}]
    assert good.passed(cut_short) == {"idempotence"}


def test_an_older_result_has_a_manifest_that_is_derived(whole: Callable[[str], Whole]) -> None:
    """And states it; planned parts of its study are missing all the same. A result that had a
    manifest has none derived.
    """
    good = whole("md1200-nfs-quick")
    older = {key: value for key, value in good.lines[0].items() if key != RUN_KEY}
    lines = [older, *good.lines[2:]]
    result = good.result(lines)
    study = study_of(result)
    assert completeness(study, result).is_derived
    judged = run_checkers(study, result)
    assert {item.verdict for item in judged} == {"pass"}
    assert all("derived from the stored study" in item.evidence for item in judged)
    rests = {"deploy", "phase", "end"}
    for number, line in enumerate(lines):
        if line["type"] in rests:
            left = good.passed([*lines[:number], *lines[number + 1 :]])
            assert left & RESTED_ON[line["type"]] == set()
    assert good.passed([good.lines[0], *good.lines[2:]]) == set()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"profile": 3}, "profile"),
        ({"experiments": [{"name": "one"}]}, "repeats"),
        ({"criteria": None}, "criteria"),
        ({"fingerprinted": "nas"}, "fingerprinted"),
    ],
)
def test_a_manifest_with_other_content_is_refused(
    whole: Callable[[str], Whole], change: dict[str, Any], words: str
) -> None:
    """With the place of the mistake; no criterion passes by it."""
    good = whole("md1200-nfs-quick")
    line = {**good.lines[1], **change}
    with pytest.raises(NoManifestError, match=words):
        Manifest.from_json(line)
    lines = [{**good.lines[0], RUN_KEY: sum_of(line)}, line, *good.lines[2:]]
    with pytest.raises(NoManifestError, match=words):
        manifest_in(good.result(lines))
    assert good.passed(lines) == set()


def test_names_in_a_manifest_are_unique(whole: Callable[[str], Whole]) -> None:
    """One line could satisfy a name that is present twice."""
    line = whole("md1200-nfs-quick").lines[1]
    with pytest.raises(NoManifestError, match="experiment fig7 is written twice"):
        Manifest.from_json({**line, "experiments": [line["experiments"][0], *line["experiments"]]})


def test_a_check_that_declares_nothing_rests_on_everything() -> None:
    """A check of another package; each of ours declares its evidence."""
    assert rests_on(SimpleNamespace()) == EVERYTHING
    for name in checker_names():
        assert rests_on(CHECKS.load(name)) < EVERYTHING
