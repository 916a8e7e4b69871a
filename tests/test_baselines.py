"""Baselines: the requests, the answers, the outliers, the report and the verdict."""

import copy
import json
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.judge.answer import Answer
from seatrial.judge.checks import baselines as checker
from seatrial.labs.kinds import emulated
from seatrial.load import baseline_run
from seatrial.load.baselines import (
    COMMON_SHARE_MAX,
    LINKS_AT_ONCE,
    Probe,
    StoragePaths,
    _Link,
    _link_batches,
    failed,
    probes,
    read_answer,
)
from seatrial.load.shortage import Processors
from seatrial.plan.site import Site, SiteEdges
from seatrial.plan.traits import REAL
from seatrial.report.baselines import table
from seatrial.result.baselines import Baseline, better, outliers
from seatrial.result.result import Result
from seatrial.solutions.base import load_solution
from seatrial.study.study import Study, load_study
from tests.builders.pairs import SHIPPED, pair
from tests.builders.places import ROOT
from tests.builders.strategies import study
from tests.builders.yaml_texts import loaded

DD = "/dev/ubdb 4194304 bytes (4.2 MB, 4.0 MiB) copied, 1.3 s, 3.2 MB/s"


def shipped(*kinds: Any) -> list[Probe]:
    """The probes of the shipped pair."""
    data = copy.deepcopy(loaded(SHIPPED.read_text()))
    found = study(
        {
            key: data[key]
            for key in ("schema", "id", "environment", "networks", "pdus", "nodes", "solution")
        }
    )
    site = emulated.site(found)
    return probes(kinds, found, site, load_solution(found, site))


def test_every_disk_path_link_and_pair_is_measured() -> None:
    """The array's disks; both servers' paths; each node with one of its network; every pair of a
    network.
    """
    disks = shipped("disks")
    assert [(item.node, item.group) for item in disks] == [("array", "disks of array")]
    assert disks[0].command.count("/dev/ubd") == 12
    assert disks[0].expected == pytest.approx(130e6 / 40)
    paths = shipped("paths")
    assert [item.node for item in paths] == ["srv1", "srv2"]
    assert isinstance(pair(), StoragePaths)
    assert paths[0].expected == pytest.approx(14.4e9 / 8 / 40, rel=0.02)
    links = shipped("links")
    assert [(item.group.split()[-1], item.node, item.listener) for item in links] == [
        *(("public", node, "srv1") for node in ("srv2", "c1", "c2", "c3", "c4")),
        ("private", "srv2", "srv1"),
        *(
            (network, node, "srv1")
            for network in ("storage-a", "storage-b")
            for node in ("srv2", "array")
        ),
    ]
    assert links[1].expected == pytest.approx(4e9 / 8 / 40, rel=0.02), "the slower of both ends"
    pings = shipped("mtu")
    reported = [(item.group, item.node, list(item.names.values())) for item in pings]
    assert ("9000 bytes on public", "c3", ["c4"]) in reported
    assert sum(len(names) for _, _, names in reported) == 15 + 1 + 3 + 3
    assert "-s 8972 " in pings[0].command
    assert "-s 1472 " in next(item.command for item in pings if "private" in item.group)


RATES = st.one_of(st.none(), st.floats(1, 1e9))


@given(rates=st.lists(RATES, max_size=40), common=RATES)
def test_links_that_are_measured_together_leave_a_part_of_what_they_have_in_common(
    rates: list[float | None], common: float | None
) -> None:
    """Each link is in one batch; a link of unknown rate is alone, as is one that needs more."""
    links = [_Link(f"c{number}", rate) for number, rate in enumerate(rates)]
    batches = _link_batches(links, common)
    assert [link for batch in batches for link in batch] == links
    for batch in batches:
        assert 1 <= len(batch) <= LINKS_AT_ONCE
        known = [link.bytes_per_s for link in batch if link.bytes_per_s is not None]
        assert len(batch) == 1 or len(known) == len(batch)
        assert len(batch) == 1 or sum(known) <= (common or 0) * COMMON_SHARE_MAX * (1 + 1e-8)


def batches_of(found: Study, site: Site) -> list[list[Probe]]:
    """The link probes of a study, by batch."""
    by_batch: dict[str, list[Probe]] = {}
    for probe in probes(["links"], found, site, load_solution(found, site)):
        by_batch.setdefault(probe.batch, []).append(probe)
    return list(by_batch.values())


def test_slow_links_of_a_fast_server_are_measured_together() -> None:
    """Eight of 1 Gbit/s use 0.8 of 10 Gbit/s; each has its own port of the server."""
    found = load_study(ROOT / "studies/md1200-nfs/study.yaml").in_profile("paper")
    batches = batches_of(found, emulated.site(found))
    assert [len(batch) for batch in batches] == [8] * 8
    for batch in batches:
        assert len({probe.port for probe in batch}) == len(batch)
        assert all(f" --port {probe.port} " in probe.command for probe in batch)


def test_links_of_one_edge_switch_leave_a_part_of_an_uplink() -> None:
    """Four of 1 Gbit/s at an uplink of 5 Gbit/s."""
    found = load_study(ROOT / "studies/md1200-nfs/study.yaml").in_profile("paper")
    site = emulated.site(found)
    rate = next(iter(site.nodes["c1"].link_rates_bytes_per_s.values()))
    nodes = tuple(f"c{number}" for number in range(1, 65))
    edges = SiteEdges(1, 5 * rate, "layer2", is_exact=True, places=(nodes,))
    edged = replace(site, edges=dict.fromkeys(found.networks, edges))
    assert [len(batch) for batch in batches_of(found, edged)] == [4] * 16


def test_output_of_dd_is_read() -> None:
    """Its figures are computed from bytes and seconds; a failure keeps dd's reason."""
    probe = Probe("disks", "disks of a", "a", "", 3.25e6)
    found = read_answer(probe, f"{DD}\n/dev/ubdc dd: failed to open '/dev/ubdc': No such device\n")
    assert found[0] == Baseline("disks", "disks of a", "a /dev/ubdb", 4194304 / 1.3, 3.25e6)
    assert found[1].value is None
    assert "No such device" in found[1].error
    path = DD.replace(
        "/dev/ubdb", "/dev/disk/by-path/ip-10.3.0.3:3260-iscsi-iqn.2026-01.org.x:y-lun-1"
    )
    assert (
        read_answer(Probe("paths", "storage paths", "srv1", ""), path)[0].name == "srv1 to 10.3.0.3"
    )
    assert read_answer(probe, "")[0].error == "1 of them are missing"


def test_iperf3_output_is_read() -> None:
    """Both directions, from the received bytes; each failure is named."""
    probe = Probe("links", "links of public", "c1", "", 12.5e6, "srv1")
    printed = [
        json.dumps({"end": {"sum_received": {"bits_per_second": rate}}}, indent=1)
        for rate in (96e6, 80e6)
    ]
    there, back = read_answer(probe, "\n".join(printed))
    assert (there.name, there.value, back.name, back.value) == (
        "c1 to srv1",
        12e6,
        "srv1 to c1",
        10e6,
    )
    there, back = read_answer(probe, f'{printed[0]}\n{{"error": "unable to connect"}}')
    assert (there.value, back.value, back.error) == (12e6, None, "iperf3: unable to connect")
    for nonsense in ("{}", "", "bash: iperf3: not found", "[]"):
        assert [item.value for item in read_answer(probe, nonsense)] == [None, None]


def test_output_of_ping_is_read() -> None:
    """A packet that does not pass is a figure, not an error."""
    probe = Probe("mtu", "9000 bytes on public", "a", "", names={"b-public": "b", "c-public": "c"})
    found = read_answer(probe, "b-public 0\nc-public 1\n")
    assert [(item.name, item.value) for item in found] == [("a and b", 1.0), ("a and c", 0.0)]
    assert [(item.name, reason) for item, reason in outliers(found)] == [
        ("a and c", "the largest packet does not pass")
    ]
    assert read_answer(probe, "b-public 127")[0].error == "ping ended with 127"


def disk(name: str, value: float | None, expected: float | None = None) -> Baseline:
    """A disk's figure."""
    return Baseline("disks", "disks of a", name, value, expected, "" if value else "no answer")


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([100.0, 100.0, 89.0], ["2"]),
        ([100.0, 100.0, 91.0], []),
        ([100.0, 50.0], []),
        ([100.0, None, 100.0], []),
    ],
)
def test_an_outlier_is_below_its_like(values: list[float | None], names: list[str]) -> None:
    """Two have no median that would name one of them."""
    assert [
        item.name for item, _ in outliers([disk(str(at), value) for at, value in enumerate(values)])
    ] == names


def test_only_like_is_compared_with_like() -> None:
    """A slower link that delivers its own rate is no outlier; a missing path is reported."""
    links = [Baseline("links", "links of x", str(at), 400.0, 400.0) for at in range(4)]
    assert outliers([*links, Baseline("links", "links of x", "slow", 99.0, 100.0)]) == []
    reported = read_answer(Probe("paths", "storage paths", "srv1", "", count=2), DD)
    assert [item.error for item in reported] == ["", "1 of them are missing"]


def test_an_outlier_is_below_the_studys_value() -> None:
    """Even where all of its group are."""
    assert [reason for _, reason in outliers([disk("x", 79.0, 100.0), disk("y", 81.0, 100.0)])] == [
        "79% of what the study says"
    ]


def result(*found: Baseline) -> Result:
    """A record with these baselines."""
    lines = ({"type": "baselines", "found": [vars(item) for item in found]},) if found else ()
    return Result(Path("unused"), lines)


def test_they_are_judged_and_reported() -> None:
    """Both name the outliers; without baselines there is no statement."""
    good = [disk(str(at), 100.0, 100.0) for at in range(3)]
    options = checker.Options()
    assert checker.check(result(*good), options).verdict == "pass"
    bad = checker.check(result(*good, disk("slow", 10.0, 100.0)), options)
    assert (bad.verdict, bad.evidence) == ("fail", "slow: 10% of the median of disks of a")
    gone = checker.check(result(*good, disk("gone", None)), options)
    assert (gone.verdict, gone.evidence) == ("unknown", "gone: not measured: no answer")
    assert checker.check(result(), options).verdict == "unknown"
    drawn = table([*good, disk("slow", 10e6), disk("gone", None)])
    assert len(drawn.rows) == 1
    assert drawn.rows[0][1] == "4 of 5"
    assert "gone: not measured: no answer" in drawn.rows[0][-1]


def test_a_lower_figure_is_measured_again_and_the_higher_counts() -> None:
    """A figure counts more than a failure; a figure of one of two measurements is kept."""
    slow, fast = (Baseline("links", "links of data", "a to b", value) for value in (5.0, 9.0))
    back = Baseline("links", "links of data", "b to a", 7.0)
    none = failed(Probe("links", "links of data", "a", "", listener="b"), "no answer")
    reported = [replace(fast, lowest=5.0), replace(back, lowest=7.0)]
    assert better([slow, back], [fast, back]) == reported
    assert better([fast, back], [slow, back]) == reported
    assert better(reported, [slow, back]) == reported
    assert better([none], [slow, back]) == [slow, back]
    assert better([slow, back], [none]) == [slow, back]
    assert better([none], [none]) == [none]
    assert better([slow, replace(back, value=None)], [none])[1] is none, (
        "one direction was never measured"
    )


class Links:
    """A site with one link, which gives these rates one after the other; measured as often as there
    are rates.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *rates: float) -> None:
        self.rates = list(rates)
        self.messages: list[str] = []
        self.traits = REAL
        probe = Probe(
            "links", "links of data", "a", "", 10.0, listener="b", batch="links of data 1"
        )
        monkeypatch.setattr(baseline_run, "probes", lambda *_: [probe])
        monkeypatch.setattr(baseline_run, "_ask", lambda _transport, probe: [self.next(probe)])

    def next(self, probe: Probe) -> Baseline:
        """The next figure."""
        return Baseline(probe.kind, probe.group, "a to b", self.rates.pop(0), probe.expected)

    def answer(self) -> Answer:
        """The answer of the check."""
        session: Any = SimpleNamespace(
            study=SimpleNamespace(baselines=["links"]),
            site=SimpleNamespace(traits=self.traits),
            solution=None,
            transport=None,
        )
        return checker.check(
            result(*baseline_run.measure(session, "trial", self.messages.append)), checker.Options()
        )


class Meter:
    """A machine with busy processors during the first `limited` figures."""

    limited_times = 0
    full = (1.0, 0.0, 1.2)

    def reading(self) -> Processors:
        """Since it was made."""
        Meter.limited_times -= 1
        return Processors(*(Meter.full if Meter.limited_times >= 0 else (0.2, 0.0, 0.4)))


@pytest.mark.parametrize(
    ("limited_times", "rates", "verdict", "printed"),
    [
        (4, (5.0, 5.2, 5.1, 5.0), "unknown", 3),
        (3, (5.0, 5.2, 5.1, 5.0), "fail", 3),
        (1, (5.0, 9.0), "pass", 1),
        (0, (5.0, 5.2, 5.1, 5.0), "fail", 0),
    ],
    ids=["always", "all but once", "at first", "never"],
)
@pytest.mark.parametrize("full", [(1.0, 0.0, 1.2), (0.75, 0.0, 1.5)], ids=["one", "in turn"])
def test_a_figure_limited_by_the_labs_processors_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
    *,
    limited_times: int,
    rates: tuple[float, ...],
    verdict: str,
    printed: int,
    full: tuple[float, float, float],
) -> None:
    """The measurement is repeated after a pause, which a line reports; one undisturbed figure
    decides.
    """
    monkeypatch.setattr(Meter, "limited_times", limited_times)
    monkeypatch.setattr(Meter, "full", full)
    monkeypatch.setattr(baseline_run, "ProcessorMeter", Meter)
    monkeypatch.setattr(baseline_run, "wait_until_calm", lambda: 3.0)
    links = Links(monkeypatch, *rates)
    links.traits = emulated.TRAITS
    answer = links.answer()
    assert (answer.verdict, len(links.messages), links.rates) == (verdict, printed, [])
    assert ("while this machine's own processors were the limit" in answer.evidence) == (
        verdict == "unknown"
    )


def test_a_slow_link_fails_and_a_temporarily_slow_one_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Repetition excuses nothing: it stays an outlier, or its first figure is reported."""
    slow = Links(monkeypatch, 5.0, 5.2, 5.1, 5.0)
    assert slow.answer() == Answer("fail", "a to b: 52% of what the study says")
    assert slow.rates == []
    once = Links(monkeypatch, 5.0, 9.0)
    answer = once.answer()
    assert answer.verdict == "pass"
    assert answer.evidence.endswith("; at another time a to b: 50% of what the study says")
    assert Links(monkeypatch, 9.0).answer().evidence == "1 measured, no outlier: links of data"


def test_links_of_a_batch_run_together_and_low_ones_again_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both wait for each other the first time; the slow one is measured again without the other."""
    both = threading.Barrier(2, timeout=20)
    asked: list[str] = []
    pair_of_links = [
        Probe("links", "links of data", node, "", 10.0, listener="s", batch="links of data 1")
        for node in ("a", "b")
    ]

    def answer(_transport: object, probe: Probe) -> list[Baseline]:
        if len(asked) < len(pair_of_links):
            both.wait()
        asked.append(probe.node)
        is_low = probe.node == "b" and asked.count("b") == 1
        return [Baseline("links", probe.group, probe.node, 1.0 if is_low else 10.0, 10.0)]

    monkeypatch.setattr(baseline_run, "probes", lambda *_: pair_of_links)
    monkeypatch.setattr(baseline_run, "_ask", answer)
    session: Any = SimpleNamespace(
        study=SimpleNamespace(baselines=["links"]),
        site=SimpleNamespace(traits=REAL),
        solution=None,
        transport=None,
    )
    found = baseline_run.measure(session, "trial", print)
    assert sorted(asked[:2]) == ["a", "b"]
    assert asked[2:] == ["b"]
    assert [item.value for item in found] == [10.0, 10.0]
