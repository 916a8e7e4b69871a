"""The first screen: the measurements answer the question, and nothing beyond them."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.answer import Reason
from seatrial.judge.base import Judgement
from seatrial.plan.data_path import ResourceRole
from seatrial.predict.layers import Step
from seatrial.report.fault_tables import predicted
from seatrial.report.html import render
from seatrial.result.faults import FaultResult
from seatrial.result.phases import BusyClient, PhaseResult
from seatrial.result.result import read_result
from seatrial.summary.headline import Findings, Summary, summary
from seatrial.summary.peaks import Throughput, throughput
from seatrial.summary.points import measured
from seatrial.summary.recommendations import Basis, recommendations
from seatrial.summary.survival import Blocks, blocks, fault_verdict, survival
from tests.builders.fault_results import COMPARED, MOMENTS, fault, result, stream
from tests.builders.fault_studies import broken
from tests.builders.reports import STUDY
from tests.builders.results import client, result_of
from tests.builders.results import phase as short_phase

NOTHING = Blocks(0, "unknown", "no block was read back")
ASKED = "Does the pair survive every single failure, and is nothing lost?"


LONG = (client(tasks=((4000, 4.0, 40),)),)
"""long enough to headline a report"""


def phase(rate: float = 1e6, **changes: Any) -> PhaseResult:
    """A phase that shows a steady state."""
    return short_phase(rate, **{"clients": LONG, **changes})


def claim(verdict: Any = "pass", name: str = "intact") -> Judgement:
    """One acceptance criterion."""
    return Judgement(name, "acceptance", "every block is intact", verdict, "as the result says")


def findings(*faults: FaultResult, planned: int = 0, **changes: Any) -> Findings:
    """A complete run of these faults that passed its one claim."""
    kept = Blocks(8360, "pass", "all valid") if faults else NOTHING
    fields: dict[str, Any] = {
        "question": ASKED,
        "judgements": [claim()],
        "outcome": "complete",
        "broken": {},
    }
    fields |= {"survival": survival(faults, planned), "blocks": kept, "throughput": throughput([])}
    return Findings(**{**fields, **changes})


def printed(found: Summary) -> str:
    """The answer as it is read."""
    return f"{found.lead}: {found.answer}" if found.lead else found.answer


def rates(*values: float, **changes: Any) -> Throughput:
    """A sweep over 1, 2, 4, ... clients."""
    phases = [
        phase(value, point={"clients": 2**index}, **changes) for index, value in enumerate(values)
    ]
    return throughput([("Sweep", measured(phases))])


PASSED = fault()
LOST = fault(compared={"small": {**COMPARED, "lost": 1}}, name="cut")
UNKNOWN = fault(failed="the power could not be cut", name="cut")
SKIPPED = fault(skipped="no BMC", name="bmc")
CAUGHT = fault(
    expect={"detected_by": ["integrity"]}, compared={"small": {**COMPARED, "lost": 1}}, name="lies"
)


@pytest.mark.parametrize(
    ("found", "state", "answer"),
    [
        (
            findings(PASSED),
            "pass",
            (
                "Yes: 1 of 1 faults survived; the longest outage was 40.0 s (it); 8 360 blocks and "
                "directory entries checked, none lost or wrong."
            ),
        ),
        (
            findings(PASSED, planned=56),
            "pass",
            (
                "Yes, as far as tested: 1 of the study’s 56 faults was injected, and it was"
                " survived; the longest outage was 40.0 s (it); 8 360 blocks and directory entries"
                " checked, none lost or wrong."
            ),
        ),
        (
            findings(PASSED, LOST),
            "fail",
            "No: 1 of 2 faults survived; not survived: cut; the longest outage",
        ),
        (findings(PASSED, UNKNOWN), "unknown", "Not decided: 1 of 2 faults survived; unknown: cut"),
        (
            findings(PASSED, SKIPPED),
            "pass",
            "Yes, as far as tested: 1 of the study’s 2 faults was injected",
        ),
        (findings(SKIPPED), "unknown", "Not decided: every fault was skipped."),
        (findings(CAUGHT), "pass", "Yes: 1 of 1 negative controls caught."),
        (
            findings(replace(CAUGHT, compared={"small": COMPARED})),
            "fail",
            "No: 0 of 1 negative controls caught.",
        ),
        (
            findings(PASSED, blocks=NOTHING),
            "unknown",
            "no data were read back, so data loss is unknown",
        ),
        (
            findings(PASSED, blocks=Blocks(9, "fail", "1 stale")),
            "fail",
            "No: 1 of 1 faults survived",
        ),
        (
            findings(PASSED, judgements=[claim(), claim("unknown", "fast")]),
            "unknown",
            "Not decided: 1 of 2 criteria undecided (fast).",
        ),
        (
            findings(PASSED, judgements=[claim("fail")]),
            "fail",
            "Not accepted: 1 of 1 criterion failed (intact).",
        ),
        (findings(PASSED, judgements=[]), "unknown", "Not judged: the study has no criterion"),
        (
            findings(PASSED, outcome="not ended: running, or interrupted"),
            "unknown",
            "Not decided: the run is not ended",
        ),
        (findings(), "unknown", "No answer: nothing was measured."),
        (findings(judgements=[]), "unknown", "Not judged: the study has no criterion"),
        (
            findings(throughput=rates(1e6, 2e6), question="How does it grow?"),
            "pass",
            "Read reaches 2.00 MB/s (clients 2; 16 % of its bound, client links).",
        ),
        (
            findings(throughput=rates(1e6, lab_limited=True), question="How does it grow?"),
            "unknown",
            (
                "Not decided: no rate can be claimed: the only point is not usable (limited by the"
                " lab's CPUs)."
            ),
        ),
    ],
)
def test_the_question_is_answered_in_a_sentence(found: Findings, state: str, answer: str) -> None:
    """All passed, not all tried, one lost, unknown, skipped, controls, no claim, no end, nothing
    measured, a sweep.
    """
    reported = summary(found)
    plain = (
        printed(reported)
        .replace("\N{NO-BREAK SPACE}", " ")
        .replace("\N{NARROW NO-BREAK SPACE}", " ")
    )
    assert reported.state == state
    assert answer in plain, plain
    assert len(reported.figures) <= 3


def test_yes_answers_only_yes_or_no_questions() -> None:
    """A question of quantity gets a quantity."""
    reported = summary(findings(PASSED, question="What does it survive?"))
    assert (reported.state, reported.lead) == ("pass", "")
    assert reported.answer.startswith("1 of 1 faults survived")


def test_of_all_figures_the_three_that_matter_are_shown() -> None:
    """Of faults first; without faults a question of yes or no is not answered by a rate."""
    both = summary(findings(PASSED, throughput=rates(1e6, 2e6)))
    assert [item.value for item in both.figures] == [
        "1 of 1",
        "40.0 s",
        "8\N{NARROW NO-BREAK SPACE}360",
    ]
    alone = summary(findings(throughput=rates(1e6, 2e6)))
    assert (alone.lead, [item.value for item in alone.figures]) == ("", ["2.00 MB/s", "16 %"])


def test_omissions_of_a_profile_are_reported_last() -> None:
    """It is no answer without a measurement."""
    left = "2 of 3 experiments are not in this run"
    assert summary(findings(throughput=rates(1e6, 2e6), left_out=left)).more.endswith(
        "2 of 3 experiments are not in this run."
    )
    assert summary(findings(throughput=rates(), left_out=left)).lead == "No answer"


def test_a_figure_states_its_uncertainty() -> None:
    """Unusable repeats, and caches that may have answered."""
    some = measured(
        [
            phase(1e6, point={"clients": 1}),
            phase(9e6, point={"clients": 1}, repeat=2, lab_limited=True),
        ]
    )
    assert "(clients 1, 1 of 2 repeats" in throughput([("", some)]).words
    warm = measured([phase(1e6, point={"clients": 1}, cached="the servers'")])
    assert "reads may come from the servers' caches" in throughput([("", warm)]).reserve
    apart = measured([phase(1e6, point={"clients": 1}), phase(4e6, point={"clients": 1}, repeat=2)])
    assert "(clients 1, repeats from 1.00 to 4.00" in throughput([("", apart)]).words
    alike = measured(
        [phase(1e6, point={"clients": 1}), phase(1.1e6, point={"clients": 1}, repeat=2)]
    )
    assert "repeats" not in throughput([("", alike)]).words
    brief = measured(
        [phase(1e6, point={"clients": 1}, clients=(client(tasks=((1000, 0.25, 1),)),))]
    )
    none = throughput([("", brief)])
    words = (
        "no rate is claimed: the longest phase was measured for 0.25 s, and a steady state"
        " needs 2 s"
    )
    assert (none.peaks, none.words) == ((), words)
    assert "measured for" not in throughput([("", alike)]).words
    # The shorter one is the faster, and headlines nothing.
    assert [peak.value for peak in throughput([("", [*brief, *alike])]).peaks] == ["1.05 MB/s"]


def test_failed_and_unknown_criteria_are_named_with_their_evidence() -> None:
    """Shortened there, in full in the tables."""
    long = Judgement("slow", "acceptance", "it is quick", "fail", "word " * 200)
    reported = summary(
        findings(judgements=[long, claim("unknown")], broken={"seq": "no answer for 60 s"})
    )
    assert [line.partition(":")[0] for line in reported.failed] == [
        "slow",
        "seq could not be completed",
    ]
    assert reported.failed[0].endswith("word …")
    assert len(reported.failed[0]) < 400
    assert reported.unknown == ("intact: every block is intact. as the result says",)


def test_a_fault_is_survived_when_course_silence_and_data_are_as_they_should_be() -> None:
    """Any of the three is enough to fail, and a missing one to be unknown."""
    assert fault_verdict(fault()).verdict == "pass"
    assert fault_verdict(fault(61.0)).verdict == "fail"
    assert fault_verdict(fault(moved=False)).verdict == "fail"
    assert fault_verdict(LOST).verdict == "fail"
    assert fault_verdict(fault(compared={})).verdict == "unknown"


def test_blocks_are_counted_wherever_they_were_checked(tmp_path: Path) -> None:
    """In streams and in comparisons; without any, no statement about integrity."""
    found = blocks(result(tmp_path, fault(streams=(stream(40.0, blocks_checked=7),))))
    assert (found.checked, found.verdict) == (16, "pass")
    empty = blocks(result_of(tmp_path / "none", STUDY, phase(clients=(client(blocks_checked=0),))))
    assert (empty.checked, empty.verdict) == (0, "unknown")
    assert empty.words == "no data were read back, so data loss is unknown"


def test_a_knee_needs_five_client_counts() -> None:
    """Within the measured range it is named, beyond it not."""
    assert "the knee is at" in rates(1e6, 1.9e6, 3.3e6, 4.4e6, 4.6e6).knee
    assert rates(1e6, 2e6, 4e6, 8e6, 16e6).knee == "no knee up to 16 clients"
    few = summary(findings(throughput=rates(1e6, 2e6), question="How does it grow?"))
    assert (
        few.more
        == "The client count at which it stops growing is not known (usable at 2 client counts, 5"
        " needed)."
    )
    assert rates(1e6).knee == ""


def test_choices_have_a_best_and_a_worst() -> None:
    """Where more varies than the number of clients; and the experiment is named where two have the
    phase.
    """
    one = measured([phase(1e6, point={"mode": "sync"}), phase(9e6, point={"mode": "async"})])
    two = measured([phase(3e6, point={"mode": "sync"})])
    found = throughput([("NFS", one), ("SMB", two)], "1/40")
    words = found.words
    assert "read reaches at best 9.00 MB/s (NFS, mode async" in words
    assert (
        "and at worst 1.00 MB/s (NFS, mode sync), which single repeats cannot distinguish" in words
    )
    assert found.reserve == "rates are the lab’s, to the scale of 1/40"


@pytest.mark.parametrize(("best", "reported"), [((5e6, 9e6), False), ((3e6, 11e6), True)])
def test_overlapping_best_and_worst_are_not_distinguished(
    best: tuple[float, float], reported: bool
) -> None:
    """The highest mean shows nothing if its repeats overlap with those of the lowest."""
    values = {"1": best, "4": (2e6, 4e6)}
    phases = [
        phase(value, point={"tasks": tasks}, repeat=index + 1)
        for tasks, several in values.items()
        for index, value in enumerate(several)
    ]
    words = throughput([("Streams", measured(phases))]).words
    assert ("which their repeats cannot distinguish" in words) == reported


def test_read_blocks_are_reported_where_no_fault_reports_them() -> None:
    """And a client with full processors, outside a lab."""
    found = findings(
        throughput=rates(1e6, 2e6), blocks=Blocks(9, "pass", ""), question="How does it grow?"
    )
    assert "9 blocks and directory entries checked, none lost or wrong." in summary(found).more
    busy = tuple(
        client(client=name, tasks=((4000, 4.0, 40),), telemetry=({"cpus_busy_share": share},))
        for name, share in (("c1", 0.5), ("c2", 0.97))
    )
    one = phase(1e6, clients=busy, cpus_busy_share=None)
    assert one.busy_client == BusyClient("c2", 0.97)
    assert "processors of c2 were 97 % busy" in throughput(
        [("One", measured([one]))]
    ).reserve.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert replace(one, cpus_busy_share=0.5).busy_client is None
    assert phase(1e6, clients=busy[:1], cpus_busy_share=None).busy_client is None


def basis(*phases: PhaseResult, **changes: Any) -> Basis:
    """What recommendations follow from."""
    points = measured(phases)
    fields: dict[str, Any] = {
        "points": points,
        "steps": {},
        "faults": [],
        "judgements": [],
        "longer": "",
    }
    return Basis(throughput([("", points)]).peaks, **{**fields, **changes})


STEP = Step("client links", 12.5e6, 25e6, "disks", ResourceRole.CLIENT_LINKS)


def not_decided(reason: Reason) -> Judgement:
    """A published claim without a decision."""
    return Judgement("C1", "published", "", "inconclusive", "panic: not injected", reason=reason)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (basis(judgements=[claim("fail")]), "Do not accept the system before “intact” passes"),
        (basis(judgements=[claim("unknown")]), "Get evidence for “intact”"),
        (basis(faults=[fault(61.0)]), "Find why clients waited in it"),
        (basis(faults=[fault(moments=MOMENTS)]), "shorten “grace” first: 21.0 s"),
        (
            basis(
                judgements=[not_decided(Reason.NOT_MEASURED)],
                longer="`seatrial run x --full`",
            ),
            "Run `seatrial run x --full` before drawing conclusions about 1 published claims",
        ),
        (
            basis(phase(12e6), steps={("one", "clients=1", "read"): [STEP]}),
            "use more clients, or raise their links first: that lifts the bound 2.0 times",
        ),
        (
            basis(
                phase(12e6),
                steps={("one", "clients=1", "read"): [replace(STEP, layer="desks' cables")]},
            ),
            "use more clients, or raise their links first: that lifts the bound 2.0 times",
        ),
        (
            basis(
                phase(12e6),
                steps={("one", "clients=1", "read"): [replace(STEP, role=ResourceRole.DISKS)]},
            ),
            "raise the client links first: that lifts the bound 2.0 times",
        ),
        (
            basis(phase(2e6), steps={("one", "clients=1", "read"): [STEP]}),
            "Find the other bottleneck of read before upgrading hardware",
        ),
        (basis(phase(2e6, lab_limited=True)), "Measure 1 of 1 point again"),
    ],
)
def test_each_recommendation_follows_from_evidence(given: Basis, words: str) -> None:
    """One for each cause, and none without one."""
    (only,) = recommendations(given)
    assert words in only.what
    assert only.why


def test_the_reason_code_decides_and_not_the_evidence() -> None:
    """The same sentence with another reason code recommends no longer run."""
    longer = "`seatrial run x --full`"
    assert not recommendations(basis(judgements=[not_decided(Reason.SKIPPED)], longer=longer))


def test_nothing_is_recommended_without_evidence() -> None:
    """Every criterion passed, and no prediction is known."""
    assert recommendations(basis(phase(12e6), judgements=[claim()], faults=[fault()])) == []


def test_predicted_outages_are_next_to_measured_ones() -> None:
    """Terms and sum; a fault without a limit, and a control, have no row."""
    parts = [["detection (x)", 4.4], ["grace (y)", 10.0]]
    limited = fault(
        7.2, expect={"fails_over": True, "outage": 14.4, "outage_parts": parts, "target": 7.5}
    )
    control = fault(expect={"outage": 9.0, "detected_by": ["integrity"]})
    found = predicted(
        [limited, SKIPPED, control, fault(expect={"fails_over": True, "outage": None})]
    )
    assert found.rows[0] == (
        "it",
        "14.4",
        "7.20",
        "50 %",
        "7.50 s, met",
        "4.4 s detection (x) + 10.0 s grace (y)",
    )
    (slow,) = predicted([fault(7.6, expect=limited.expect)]).rows
    assert slow[4] == "7.50 s, missed"
    # A lost stream may have waited for longer than its report.
    lost = fault(7.2, expect=limited.expect, streams=(stream(7.2, lost="the agent died"),))
    assert [row[4] for row in predicted([lost]).rows] == ["7.50 s"]
    assert [row[0] for row in found.rows] == ["it", "bmc"]
    assert found.rows[1][2:5] == ("–", "–", "–")
    assert predicted([CAUGHT]).rows == ()


def test_a_profile_of_fewer_nodes_still_knows_all_faults_of_the_study(tmp_path: Path) -> None:
    """What a quick profile leaves out was not tried, whatever its nodes."""
    data = broken(
        {"it": {"kind": "panic"}, "other": {"kind": "panic", "profiles": ["trial", "full"]}},
        question=ASKED,
    )
    data["nodes"] = {
        **data["nodes"],
        "c9": {"memory": "128MiB", "link": "4Gbit/s", "profiles": ["trial", "full"]},
    }
    kept = result_of(tmp_path / "r", data, phase())
    folder = kept.folder / "result.jsonl"
    lines = folder.read_text().splitlines()
    line = json.dumps({"type": "fault", "unix_s": 1.0, **asdict(PASSED)})
    folder.write_text("\n".join([*lines[:-1], line, lines[-1]]) + "\n")
    page = render(read_result(kept.folder), [claim()])
    assert "1 of the study’s 2 faults was injected" in page
