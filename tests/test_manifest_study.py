"""The manifest of a run and its study: weaker claims, parts of a study, resumed and older runs."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.base import run_checkers
from seatrial.judge.judge import judge, study_of
from seatrial.judge.missing import completeness
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.matrix.manifest import manifest_of
from seatrial.matrix.resolve import resolve
from seatrial.result.manifest import RUN_KEY, Manifest, NoManifestError, manifest_in, plain, sum_of
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES, seal
from tests.builders.whole_results import OF_FAULTS, RESTED_ON, RESULTS, STUDIED, Line, Whole


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
def test_a_fault_of_which_less_is_expected_passes_no_more(
    whole: Callable[[str], Whole], key: str, value: Any
) -> None:
    """Also one that is turned into a negative control, which fails no other claim."""
    good = whole("nss-ha-quick")
    for number, line in enumerate(good.lines):
        if line["type"] == "fault":
            weaker = {**line, "expect": {**line["expect"], key: value}}
            assert (
                good.passed([*good.lines[:number], weaker, *good.lines[number + 1 :]]) & OF_FAULTS
                == set()
            )


def test_another_published_result_decides_nothing(
    whole: Callable[[str], Whole], tmp_path: Path
) -> None:
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
    assert {item.verdict for item in judged if item.kind == "acceptance"} <= {
        "pass",
        PASS_WITH_WAIVERS,
    }
    (tmp_path / "published.yaml").unlink()
    gone = [item for item in judge(Result(tmp_path, good.lines)) if item.kind == "published"]
    assert [item.claim for item in gone] == list(
        study_of(Result(tmp_path, good.lines)).published_claims
    )
    assert {item.verdict for item in gone} == {"inconclusive"}


def test_published_rows_need_the_faults_that_repeat_them(whole: Callable[[str], Whole]) -> None:
    """A row with a lost stream in its fault no longer agrees, and every other row does."""
    good = whole("nss-ha-quick")

    def agreed(lines: list[Line]) -> set[str]:
        judged = judge(Result(good.folder, tuple(lines)))
        return {
            item.claim for item in judged if item.kind == "published" and item.verdict == "agrees"
        }

    before = agreed(list(good.lines))
    assert before
    for number, line in enumerate(good.lines):
        if line["type"] == "fault" and line["published"] in before:
            less = {**line, "streams": line["streams"][1:]}
            after = agreed([*good.lines[:number], less, *good.lines[number + 1 :]])
            assert line["published"] not in after
            rows = {item["published"] for item in good.lines if item["type"] == "fault"}
            assert (before - after) & rows == {line["published"]}


def remade(lines: list[Line], manifest: Manifest, **run: Any) -> list[Line]:
    """The same lines with another manifest."""
    fields = plain(manifest.to_json())
    first = {**lines[0], **run, RUN_KEY: sum_of(fields)}
    return [first, {**lines[1], **fields}, *lines[2:]]


def test_a_run_of_one_experiment_needs_that_one(whole: Callable[[str], Whole]) -> None:
    """`--only`: an unselected part is not missing, and no baselines are measured."""
    good = whole("md1200-nfs-quick")
    study = study_of(Result(good.folder, good.lines))
    texts = {
        f"{name}_text": (good.folder / f"{name}.yaml").read_text()
        for name in ("study", "published")
    }
    of_today = manifest_of(resolve(study, "quick", ["fig7"]), {}, **texts)
    # The kept result has the step titles of its version.
    manifest = replace(of_today, deploys=Manifest.from_json(good.lines[1]).deploys)
    left = [line for line in good.lines if line.get("experiment", line.get("name")) != "fig10-13"]
    lines = remade(left, manifest, only=["fig7"])
    assert good.passed(lines) == {"idempotence", *STUDIED}
    assert (
        good.passed([{key: value for key, value in lines[0].items() if key != "only"}, *lines[1:]])
        == set()
    )
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
