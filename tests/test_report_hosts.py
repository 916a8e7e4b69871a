"""Text about real hosts never mentions the lab, and text about a single client no neighbours."""

import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.audit import Audit, audit_text
from seatrial.advice.compare import compare, comparison_table
from seatrial.advice.preflight import Node, Preflight
from seatrial.advice.preflight_text import preflight_text
from seatrial.basics.units import counted
from seatrial.check import prepare
from seatrial.judge.claim import Context
from seatrial.judge.comparing import best_value
from seatrial.judge.judge import exit_words, judge, study_of
from seatrial.matrix.resolve import resolve
from seatrial.plan.plan import describe
from seatrial.predict.output import prediction, prediction_text
from seatrial.report.beside import ComparedResult
from seatrial.report.html import render
from seatrial.report.words import in_words
from seatrial.result.faults import FaultResult
from seatrial.result.phases import PhaseResult
from seatrial.result.result import SCHEMA, Result, read_result
from seatrial.result.writer import Writer
from seatrial.solutions.look import deployment
from seatrial.start.beforehand import beforehand
from seatrial.start.listing import basis_text, listed_parts, parts_text
from seatrial.study.published import PublishedClaim
from tests.builders.fault_results import fault, waiting
from tests.builders.html_tree import tree_of
from tests.builders.mounts import mounted
from tests.builders.results import client, phase
from tests.builders.strategies import study, text_of

OF_A_LAB = re.compile(
    r"(?i).{0,60}\b(labs?|uml|scale model|(?:not )?scaled|modelled|emulat\w+|not limited)\b.{0,60}"
)
TWICE = {"id": "twice", "check": "idempotence"}
SWEEP = {
    "workload": {"transfer_size": "1MiB", "file_size": "1GiB"},
    "sweep": {"clients": [1, 2, 3]},
    "repeats": 2,
}


def hosts_result(
    folder: Path, data: dict[str, Any], *phases: PhaseResult, faults: tuple[FaultResult, ...] = ()
) -> Any:
    """As a run of a study of `kind: hosts` writes it."""
    site, solution = prepare(made := study(data))
    writer = Writer(folder)
    writer.line("run", unix_s=0.0, schema=SCHEMA, study=made.id, profile="full", seatrial="0")
    writer.keep("study.yaml", text_of(data))
    writer.line(
        "system",
        site=site.without_secrets(),
        clients=solution.clients,
        servers=(),
        parts=solution.parts(),
        keeps_caches=True,
        environment={"kind": "hosts"},
    )
    for item in phases:
        writer.phase(replace(item, cpus_busy_share=None))
    for hit in faults:
        writer.line("fault", **asdict(hit))
    writer.line("end", complete=True)
    writer.close()
    return read_result(folder)


def reported(result: Result, *others: ComparedResult) -> str:
    """The text of the report, except the study's own text and the scripts."""
    page = tree_of(render(result, judge(result), others=others))
    sections = [item for item in page.all("section") if item.attributes.get("id") != "appendix"]
    drawn = " ".join(
        re.sub(r"(?s)<style.*?</style>|<[^>]+>", " | ", str(it))
        for svg in page.all("svg")
        for it in svg.children
    )
    return " ".join(" ".join([*(item.text for item in sections), drawn]).split())


def points(*counts: int, **changes: Any) -> list[PhaseResult]:
    """A sweep over clients, twice; no two rates are alike."""
    return [
        phase(
            1e8 * count + repeat * 1e6,
            experiment="streams",
            point={"clients": count},
            repeat=repeat,
            phase=name,
            clients=tuple(client(client=f"n{number}") for number in range(1, count + 1)),
            **changes,
        )
        for count in counts
        for repeat in (1, 2)
        for name in ("write", "read")
    ]


def plain(text: str) -> list[str]:
    """Text with a word of the lab."""
    return [found[0] for found in OF_A_LAB.finditer(text)]


@pytest.mark.parametrize(
    "changes", [{}, {"cached": "the storage's own"}, {"out_of_caches": "the clients' caches"}]
)
def test_a_report_of_hosts_does_not_mention_a_lab(tmp_path: Path, changes: dict[str, Any]) -> None:
    """With valid or invalid points; also compared with another result."""
    data = {**mounted(), "experiments": {"streams": SWEEP}}
    result = hosts_result(tmp_path / "a", data, *points(1, 2, 3, **changes))
    other = hosts_result(tmp_path / "b", data, *points(1, 2, 3))
    text = reported(result, ComparedResult(other, judge(other)))
    assert plain(text) == []
    assert ("out of caches" in text) == ("out_of_caches" in changes)
    assert "its neighbour’s file" in text
    # Also on the first screen.
    assert text.count("/gpfs/scratch, operated by the site: not changed") == 2


def test_a_single_client_has_no_neighbour(tmp_path: Path) -> None:
    """It reads its own file; this machine has a link of an unknown rate."""
    data = {
        **mounted(),
        "nodes": {"localhost": {}},
        "experiments": {"streams": {**SWEEP, "sweep": {}}},
    }
    text = reported(hosts_result(tmp_path / "a", data, *points(1)))
    assert plain(text) == []
    assert "neighbour" not in text
    assert "each client reads its own file" in text
    assert "deployed only a work directory" in text
    assert "servers none" not in text.replace("servers", "servers ")
    assert "network" not in text.partition("2 Method")[0].partition("1 Solution overview")[2]
    assert "Tuning applied" not in text
    assert "injected no fault" not in text


def test_varying_tasks_are_reported_in_order() -> None:
    """Not as in the workload, which has one by default."""
    data = {**mounted(), "experiments": {"streams": {**SWEEP, "sweep": {"tasks": [1, 2, 4]}}}}
    experiment = study(data).experiments["streams"]
    assert "; 1 to 4 tasks per client" in in_words(experiment.workload, experiment)


def test_faults_of_hosts_do_not_mention_a_lab(tmp_path: Path) -> None:
    """Their table, their course and the reason of an omission."""
    why = fault(name="cut", skipped="on real hosts Seatrial cannot cut the power of a node")
    text = reported(hosts_result(tmp_path / "a", mounted(), *points(1), faults=(waiting(), why)))
    assert plain(text) == []


def test_evidence_of_hosts_does_not_mention_a_lab(tmp_path: Path) -> None:
    """Measurements are "here"."""
    result = hosts_result(
        tmp_path / "a", {**mounted(), "experiments": {"streams": SWEEP}}, *points(1, 2)
    )
    mapping = PublishedClaim.model_validate(
        {"series": {"experiment": "streams", "phase": "read"}, "over": "clients"}
    )
    assert best_value(Context(study_of(result), result, {}, mapping)).endswith("MB/s here")


def test_messages_before_a_run_of_hosts_do_not_mention_the_lab(tmp_path: Path) -> None:
    """The duration and the writes: nothing is booted."""
    made = study(mounted())
    lines = "\n".join(beforehand(resolve(made, "quick"), tmp_path, wipe={}))
    told_parts = listed_parts(made, tmp_path)
    assert plain(lines + basis_text(told_parts) + parts_text(told_parts)) == []
    assert "the time before the first measurement is not included" in lines


MANY_OF_ONE = re.compile(
    r".{0,40}(?<![$\d.,/:-])\b1"
    r" (?!was\b|has\b|is\b|does\b|this\b|less\b|passes\b|s\b)[a-z]+s\b.{0,40}"
)


def test_unique_values_exist_once(tmp_path: Path) -> None:
    """One client of one task on one node, measured once, in the whole text."""
    data = {
        **mounted(),
        "nodes": {"localhost": {}},
        "criteria": [*mounted()["criteria"], {**TWICE}],
    }
    data["experiments"] = {"streams": {**SWEEP, "sweep": {}, "repeats": 1}}
    result = hosts_result(tmp_path / "a", data, *points(1)[:1])
    made = study(data)
    site, solution = prepare(made)
    judged = judge(result)
    found = Preflight(
        "x", (Node("localhost", ("x",), "", "", {}, (), 0.0, 0.0, (), (), ()),), "/x", None, ()
    )
    texts = (
        reported(result),
        describe(deployment(solution, site, {})),
        "\n".join(beforehand(resolve(made, "quick"), tmp_path, wipe={})),
        parts_text(listed_parts(made, tmp_path)),
        basis_text(listed_parts(made, tmp_path)),
        preflight_text(found),
        prediction_text(prediction(resolve(made, "full"))),
        comparison_table(compare(result, result)),
        exit_words(result, judged),
        audit_text(Audit((), 1, (), {})),
        *(item.evidence for item in judged),
    )
    assert [hit[0] for text in texts for hit in MANY_OF_ONE.finditer(text)] == []
    assert "is mounted on 1 client\n" in texts[1]
    assert counted(2, "reply", "replies") == "2 replies"
