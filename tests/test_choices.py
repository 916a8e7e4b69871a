"""A question about settings: the answer recommends one, or states that the run has no answer."""

import copy
from pathlib import Path
from typing import Any

import pytest

from seatrial.judge.base import Judgement
from seatrial.report.html import render
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from seatrial.summary.choices import Choice, choice, is_about_settings, is_setting
from seatrial.summary.conclusions import Conclusions, conclusions
from seatrial.summary.sources import sources_of
from tests.builders.fault_studies import broken
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import MINIMAL, study

QUESTION = "Which protocol and which options should a cluster use?"
LONG = (client(tasks=((4000, 4.0, 40),)),)
"""long enough for a steady state"""
SPREAD = (0.98, 1.0, 1.02)
"""the repeats of a point, as shares of its mean"""
PASSED = Judgement("intact", "acceptance", "every block is intact", "pass", "48 blocks")


def data(**changes: Any) -> dict[str, Any]:
    """A study of two protocols; one has a wrong option, and a variant on a slow link."""
    whole = copy.deepcopy(MINIMAL)
    workload = {"transfer_size": "64KiB", "file_size": "8MiB", "phases": ["write", "read"]}
    options = {"solution.mount.options": ["noac"]}
    slow = {"nodes.c.link": "100Mbit/s"}
    whole["experiments"] = {
        "nfs": {
            "title": "NFS",
            "workload": workload,
            "variants": {
                "default": {},
                "noac": {"overrides": options},
                "slow": {"overrides": slow},
                "two": {"clients": 2},
                "larger": {"workload": {"tasks": 2}},
            },
        },
        "udp": {"title": "UDP", "workload": workload, "variants": {"udp": {}}},
    }
    return {**whole, "question": QUESTION, **changes}


def points(experiment: str, variant: str, **rates: float) -> list[PhaseResult]:
    """Three repeats of each phase around its rate in MB/s."""
    return [
        phase(
            rate * share * 1e6,
            experiment=experiment,
            point={"variant": variant},
            phase=name,
            repeat=number,
            clients=LONG,
        )
        for name, rate in rates.items()
        for number, share in enumerate(SPREAD, start=1)
    ]


DECIDED = [
    *points("nfs", "default", write=10.0, read=10.0),
    *points("nfs", "noac", write=1.0, read=8.0),
    *points("nfs", "slow", write=0.1, read=0.1),
    *points("nfs", "two", write=50.0, read=50.0),
    *points("udp", "udp", write=5.0, read=9.99),
]


def found_in(folder: Path, phases: list[PhaseResult], **changes: Any) -> Conclusions:
    """The conclusions of a run that passed its criterion."""
    kept: Result = result_of(folder / "r", data(**changes), *phases)
    return conclusions(sources_of(kept), [PASSED])


def choice_of(folder: Path, phases: list[PhaseResult]) -> Choice:
    """The comparison of the settings of a run."""
    found = choice(sources_of(result_of(folder / "r", data(), *phases)))
    assert found is not None
    return found


def test_the_fastest_setting_of_each_phase_is_recommended(tmp_path: Path) -> None:
    """Those that the repeats cannot separate from it are its rivals."""
    found = choice_of(tmp_path, DECIDED)
    write, read = found.best
    assert (write.option.name, write.rivals, write.slower) == ("NFS, default", (), 2)
    assert read.option.name == "NFS, default"
    assert [item.name for item in read.rivals] == ["UDP, udp"]


def test_a_link_or_a_load_is_no_setting() -> None:
    """A variant with more clients, another workload or another link is never recommended."""
    experiment = study(data()).experiments["nfs"]
    names = [name for name in experiment.variants if is_setting(experiment, name)]
    assert names == ["default", "noac"]
    assert not is_setting(experiment, "not of this study")


def test_costs_are_shares_of_the_first_variant(tmp_path: Path) -> None:
    """The largest first; a protocol alone has no cost within its experiment."""
    costs = choice_of(tmp_path, DECIDED).costs
    assert [(item.option.phase, round(item.change.relative, 2)) for item in costs] == [
        ("write", -0.9),
        ("read", -0.2),
    ]
    assert {item.option.variant for item in costs} == {"noac"}


def test_the_headline_recommends_and_names_the_cost(tmp_path: Path) -> None:
    """With three figures: the rate, the largest cost, the number of settings."""
    headline = found_in(tmp_path, DECIDED).headline
    assert (headline.state, headline.lead) == ("pass", "Recommended")
    answer = headline.answer.replace("\N{NO-BREAK SPACE}", " ")
    assert answer == "NFS, default: write reaches 10.0 MB/s, read reaches 10.0 MB/s."
    more = headline.more.replace("\N{NO-BREAK SPACE}", " ")
    assert "noac 90 % of write (NFS); noac 20 % of read (NFS)." in more
    assert "Settings that may be as fast: 1 in read." in more
    assert [item.value for item in headline.figures] == ["10.0 MB/s", "90 %", "3"]


@pytest.mark.parametrize(
    ("phases", "words"),
    [
        (points("nfs", "default", write=10.0), "it has no two settings to compare"),
        (
            [*points("nfs", "default", write=10.0), *points("udp", "udp", write=10.1)],
            "its repeats do not separate the 2 settings",
        ),
        (
            [points("nfs", "default", write=10.0)[0], points("udp", "udp", write=1.0)[0]],
            "its repeats do not separate the 2 settings",
        ),
    ],
)
def test_a_run_without_an_answer_says_so(
    phases: list[PhaseResult], words: str, tmp_path: Path
) -> None:
    """One setting alone, equal rates, and single repeats."""
    headline = found_in(tmp_path, phases).headline
    assert (headline.state, headline.lead) == ("unknown", "Not answered")
    assert headline.answer.startswith(f"this run does not answer the question: {words}")


def test_short_phases_recommend_nothing(tmp_path: Path) -> None:
    """Burst rates answer no question."""
    short = [
        phase(rate * 1e6, experiment="nfs", point={"variant": name}, repeat=number)
        for name, rate in (("default", 10.0), ("noac", 1.0))
        for number in (1, 2, 3)
    ]
    headline = found_in(tmp_path, short).headline
    assert headline.lead in ("Not decided", "Not answered")
    assert headline.state == "unknown"


def without_steady(experiment: str, variant: str) -> list[PhaseResult]:
    """All phases, with the repeats of one setting shortened to a burst."""
    bursts = [
        phase(99e6, experiment=experiment, point={"variant": variant}, repeat=number)
        for number in (1, 2, 3)
    ]
    place = (experiment, {"variant": variant})
    others = [item for item in DECIDED if (item.experiment, item.point) != place]
    return [*others, *bursts]


def test_settings_without_a_steady_repeat_are_counted(tmp_path: Path) -> None:
    """The recommendation does not cover them, and gives their number."""
    headline = found_in(tmp_path, without_steady("nfs", "noac")).headline
    assert headline.lead == "Recommended among the compared settings"
    counted = [words for words in headline.more.split(". ") if "not compared" in words]
    assert counted
    assert counted[0].startswith("1 of ")


def test_a_protocol_without_a_compared_setting_leaves_the_question_open(tmp_path: Path) -> None:
    """The fastest of the other protocol would be no answer to "which protocol"."""
    headline = found_in(tmp_path, without_steady("udp", "udp")).headline
    assert (headline.state, headline.lead) == ("unknown", "Not answered")
    assert "no setting of UDP has a valid repeat of at least 2" in headline.answer


def test_a_failed_criterion_comes_first(tmp_path: Path) -> None:
    """The recommendation is then no part of the first sentence."""
    kept = result_of(tmp_path / "r", data(), *DECIDED)
    failed = Judgement("intact", "acceptance", "every block is intact", "fail", "1 stale")
    headline = conclusions(sources_of(kept), [failed]).headline
    assert (headline.state, headline.lead) == ("fail", "Not accepted")
    assert "NFS, default" in headline.more


def test_other_questions_get_no_recommendation(tmp_path: Path) -> None:
    """Yes or no; a study with one experiment of variants; a study with faults."""
    asked = found_in(tmp_path, DECIDED, question="Does noac cost more than UDP?")
    assert asked.choice is None
    assert asked.headline.lead != "Recommended"
    one = data()
    del one["experiments"]["udp"]
    assert not is_about_settings(study(one))
    assert not is_about_settings(study(broken({"it": {"kind": "panic"}})))
    assert is_about_settings(study(data()))


def test_the_main_figure_compares_the_settings(tmp_path: Path) -> None:
    """The highest first, each with its interval; variants that are no setting are not in it."""
    page = render(result_of(tmp_path / "r", data(), *DECIDED), [PASSED])
    summary = page.split('id="summary"', 1)[1].split("</section>", 1)[0]
    assert "Settings compared by write" in summary
    names = [summary.index(f">{name}</text>") for name in ("NFS, default", "UDP, udp", "NFS, noac")]
    assert names == sorted(names)
    assert "NFS, slow" not in summary
    assert summary.count('class="whisker"') >= 2 * 3
