"""The check `slow-member`: the slow client among many, and no other."""

from pathlib import Path
from random import Random
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.judge.answer import Answer, Reason
from seatrial.judge.base import refuse_mistakes
from seatrial.judge.checks.slow_member import Options, check
from seatrial.judge.members import MemberKind, observe
from seatrial.result.baselines import Baseline
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from tests.builders.results import client, phase
from tests.builders.strategies import changed, study
from tests.simulations_regressions import EQUAL, phases_of

NODES = tuple(EQUAL)


def repeats(*speeds: tuple[float, ...], **more: Any) -> list[PhaseResult]:
    """One repeat for each tuple of the clients' rates in MB/s."""
    return [
        phase(
            repeat=number,
            clients=tuple(
                client(client=name, size_bytes=round(speed * 1e6), kind=more.get("kind", ""))
                for name, speed in zip(NODES, rates, strict=False)
            ),
            **{key: value for key, value in more.items() if key != "kind"},
        )
        for number, rates in enumerate(speeds, start=1)
    ]


def judged(phases: list[PhaseResult], *baselines: Baseline, **options: Any) -> Answer:
    """The answer on a result with these phases."""

    class Given(Result):
        """A result with given parts."""

        phases = property(lambda _: phases)
        baselines = property(lambda _: list(baselines))

    return check(Given(Path(), ()), Options(**options))


ALIKE = repeats((10, 10.1, 9.9, 10), (10.1, 9.9, 10, 10), (9.9, 10, 10.1, 10.05))
SLOW = repeats((10, 10.1, 9.9, 8), (10.1, 9.9, 10, 8.1), (9.9, 10, 10.1, 7.9))


def test_a_slow_client_is_named() -> None:
    """The negative control: one of four at 80 %."""
    answer = judged(SLOW)
    assert answer.verdict == "fail"
    assert answer.evidence.startswith("slow: c4: 80% of the others, 95 % interval")
    assert "4 members in 3 repeats (limit: 85% of the others)" in answer.evidence


def test_equal_clients_pass() -> None:
    """And a slow one passes a wider limit."""
    answer = judged(ALIKE)
    assert (answer.verdict, "the slowest" in answer.evidence) == ("pass", True)
    assert judged(SLOW, slower_than=0.7).verdict == "pass"


def test_scattered_repeats_decide_nothing() -> None:
    """With the number of repeats that would."""
    answer = judged(repeats((10, 10, 10, 6), (10, 10, 10, 10), (10, 10, 10, 8)))
    assert (answer.verdict, answer.reason) == ("unknown", Reason.NOT_DISTINGUISHABLE)
    assert "repeats would decide" in answer.evidence


def test_a_client_with_a_large_scatter_is_not_slow() -> None:
    """The pooled variance is too small for it; its own repeats decide."""
    rates = [(value, *[10.0] * 15) for value in (10.0, 9.9, 3.0)]
    assert judged(repeats(*rates), slower_than=0.95).verdict == "unknown"


def test_two_clients_are_too_few() -> None:
    """And so are two repeats without seconds."""
    assert judged(repeats((10, 5), (10, 5), (10, 5))).reason == Reason.NOTHING_CHECKED
    assert judged(SLOW[:2]).reason == Reason.NOTHING_CHECKED


def test_blocks_of_seconds_replace_repeats() -> None:
    """In a long phase; the evidence states it."""
    phases = phases_of(Random(1), {**EQUAL, "c1": 0.75}, 1, 120, 0.02)
    found = observe(phases, MemberKind.CLIENTS)
    assert found is not None
    assert (found.uses_blocks, {len(item.values) for item in found.logs.values()}) == (True, {10})
    answer = judged(phases)
    assert answer.verdict == "fail", answer
    assert answer.evidence.startswith("slow: c1: ")
    assert (
        "in 10 blocks of 1 repeat: a difference from repeat to repeat is unknown" in answer.evidence
    )


def test_the_baselines_of_a_slow_client_are_named() -> None:
    """Its link, and no other node's."""
    links = [Baseline("links", "data", f"nas and {name}", 100.0) for name in ("c1", "c2", "c3")]
    slow = Baseline("links", "data", "nas and c4", 60.0)
    other = Baseline("disks", "nas", "nas:/dev/sdc4", 0.0, expected=5.0)
    answer = judged(SLOW, *links, slow, other)
    assert "(links nas and c4: 60% of the median of data)" in answer.evidence


def test_servers_are_compared_by_their_traffic() -> None:
    """From the telemetry of each repeat."""

    def telemetry(slow: float) -> dict[str, tuple[dict[str, Any], ...]]:
        rates = {"s1": 1.0, "s2": 1.01, "s3": 0.99, "s4": slow}
        line = {"unix_s": 1.0, "network_received_bytes": 0}
        return {name: ({**line, "network_sent_bytes": 1e6 * rate},) for name, rate in rates.items()}

    phases = [phase(repeat=number, servers=telemetry(0.7)) for number in range(1, 5)]
    assert judged(phases, members="servers").evidence.startswith("slow: s4: 70% of the others")
    phases = [phase(repeat=number, servers=telemetry(1.0)) for number in range(1, 5)]
    assert judged(phases, members="servers").verdict == "pass"


def test_kinds_of_clients_are_compared_apart() -> None:
    """Clients with other work are no slow members."""
    fast = repeats(*[(10, 10.1, 9.9, 10)] * 3, kind="nfs")
    slow = repeats(*[(5, 5.1, 4.9, 5)] * 3, kind="smb")
    both = [
        phase(repeat=one.repeat, clients=(*one.clients, *renamed(other)))
        for one, other in zip(fast, slow, strict=True)
    ]
    assert judged(both).verdict == "pass"


def renamed(it: PhaseResult) -> list[Any]:
    """Its clients with other names."""
    return [
        client(client=f"x{item.client}", size_bytes=item.size_bytes, kind=item.kind)
        for item in it.clients
    ]


def test_a_busy_machine_makes_no_client_slow() -> None:
    """The processors of a lab machine may have caused the difference."""
    rates = [(10, 10.1, 9.9, 8), (10.1, 9.9, 10, 8.1), (9.9, 10, 10.1, 7.9)]
    answer = judged(repeats(*rates, cpus_short_share=0.9))
    assert (answer.verdict, answer.reason) == ("unknown", Reason.BUSY_MACHINE)


@pytest.mark.parametrize(
    "flaw", [{"partial": True}, {"out_of_caches": "c1"}, {"lab_limited": True}]
)
def test_phases_that_are_no_measurement_decide_nothing(flaw: dict[str, Any]) -> None:
    """As in every other check of rates."""
    rates = [(10, 10.1, 9.9, 8), (10.1, 9.9, 10, 8.1), (9.9, 10, 10.1, 7.9)]
    assert judged(repeats(*rates, **flaw)).verdict == "unknown"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slower_than": 1.0}, r"slower_than.*less than 1"),
        ({"members": "disks"}, r"members"),
        ({"experiment": "two"}, r"criteria\[0\].experiment .*'two' is not known"),
        ({"phase": "reed"}, r"criteria\[0\].phase .*'reed' is not known"),
    ],
)
def test_wrong_use_is_refused(options: dict[str, Any], message: str) -> None:
    """With file and line."""
    data = changed("criteria", [{"id": "even", "check": "slow-member", **options}])
    found = study(data)
    with pytest.raises(InputError, match=rf"study.yaml:\d+:\d+: .*{message}"):
        refuse_mistakes(found, {})


def test_right_use_is_not_refused() -> None:
    """An experiment and a phase of the study."""
    options = {"experiment": "one", "phase": "read", "slower_than": 0.9}
    data = changed("criteria", [{"id": "even", "check": "slow-member", **options}])
    refuse_mistakes(study(data), {})
