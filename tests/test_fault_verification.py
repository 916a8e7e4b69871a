"""The last stage of a fault: its comparisons and their times, or the reason for their absence."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from seatrial.basics.errors import RunError
from seatrial.faults.stages.verify import Times, verify
from seatrial.load.clock_offsets import ClockOffset

BEFORE = {"c1": ClockOffset(0.0, 0.001)}
AFTER = {"c1": ClockOffset(0.0, 0.002)}
COMPARISON = {
    "blocks": 7, "must": 7, "may": 0, "lost": 0, "wrong": 0, "names_checked": 1,
    "extents": [], "extents_omitted": 0, "names": [], "names_omitted": 0, "unfinished": [],
}  # fmt: skip


def streams(judged: list[Any], error: str | None = None) -> Any:
    """Streams for one comparison, with an error or none; `judged` gets the times of the test."""

    def compare(_before: Any, _after: Any) -> dict[str, Any]:
        if error is not None:
            raise RunError(error)
        return {"data": COMPARISON}

    def judge(_before: Any, _after: Any, disturbed: Any, settled_s: Any, _keep: Any) -> Any:
        judged.append((disturbed, settled_s))
        return {"locks": {"judged": True}}

    tests = SimpleNamespace(judge=judge, not_judged=lambda reason: {"locks": {"unknown": reason}})
    copies = SimpleNamespace(
        check=lambda: {"copy": {"blocks": 1}}, not_checked=lambda reason: {"copy": {"no": reason}}
    )
    return cast(Any, SimpleNamespace(compare=compare, consistency_tests=tests, copies=copies))


@pytest.mark.parametrize(
    ("times", "disturbed"),
    [
        ({}, None),
        ({"injected_unix_s": 10.0}, None),
        ({"injected_unix_s": 10.0, "ended_unix_s": 30.0}, (10.0, 30.0)),
        ({"injected_unix_s": 10.0, "recovered_unix_s": 20.0, "ended_unix_s": 30.0}, (10.0, 20.0)),
    ],
)
def test_everything_is_compared(times: dict[str, float], disturbed: Any) -> None:
    """The disturbance is from the injection to the recovery, else to the end."""
    judged: list[Any] = []
    verified = verify(streams(judged), BEFORE, lambda: AFTER, Times(**times), lambda *_: None)
    assert judged == [(disturbed, times.get("recovered_unix_s"))]
    assert verified.comparisons == {"data": COMPARISON}
    assert verified.compared["data"]["blocks"] == 7
    assert (verified.consistency, verified.copies) == (
        {"locks": {"judged": True}},
        {"copy": {"blocks": 1}},
    )
    assert verified.clock_error_s >= 0.001
    assert verified.not_compared is None


def test_an_error_is_the_reason() -> None:
    """Also where a clock cannot be measured; no part of the comparison counts."""

    def silent() -> Any:
        raise RunError("c1: no answer")

    for verified, reason in (
        (verify(streams([], "logs"), BEFORE, lambda: AFTER, Times(), lambda *_: None), "logs"),
        (verify(streams([]), BEFORE, silent, Times(), lambda *_: None), "c1: no answer"),
    ):
        assert (verified.not_compared, verified.compared, verified.comparisons) == (reason, {}, {})
        assert verified.consistency == {"locks": {"unknown": reason}}
        assert verified.copies == {"copy": {"no": reason}}
