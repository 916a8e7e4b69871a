"""Histories of the clients of one true storage, for the tests of its judgement."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import strategies as st

from seatrial.analysis.histories import Circumstances, Final, Findings, History, Inode
from seatrial.judge.checks.consistency import judge_consistency_test
from seatrial.study.consistency_kinds import load_kind

RUN = "5ea000000000000f"
STEP_S = 0.010
"""between two events of the true storage"""
GOOD_CLOCK_S = STEP_S / 100
TURNS = st.lists(st.integers(0, 2), min_size=8, max_size=24)
ERRORS_S = st.lists(st.floats(0, 1.0), min_size=3, max_size=3)
SHARES = st.floats(-1, 1)
"""of its error, by which a clock is wrong"""
Event = dict[str, Any]


@dataclass
class Recorded:
    """Three clients of one storage with requests in sequence: its time is the true one."""

    kind: str
    now_s: float = 1000.0
    events: dict[int, list[Event]] = field(default_factory=lambda: {0: [], 1: [], 2: []})
    files: dict[str, bytes] = field(default_factory=dict)
    inodes: dict[str, Inode] = field(default_factory=dict)
    disturbed: tuple[float, float] | None = None
    ended: bool = True
    """whether the histories are whole"""

    def add(self, client: int, op: str, outcome: str = "ok", **fields: Any) -> Event:
        """An operation with its times."""
        begin_s, self.now_s = self.now_s, self.now_s + STEP_S
        event = {
            "op": op,
            "outcome": outcome,
            "begin_ns": begin_s,
            "end_ns": begin_s + STEP_S * 0.9,
            **fields,
        }
        self.events[client].append(event)
        return event

    def last(self, op: str, **wanted: Any) -> Event:
        """The last event of a kind."""
        events = [event for each in self.events.values() for event in each if event["op"] == op]
        fitting = [
            event
            for event in events
            if all(event.get(key) == value for key, value in wanted.items())
        ]
        return max(fitting, key=lambda event: float(event["begin_ns"]))

    def histories(self, errors_s: list[float], share: float = 1.0) -> list[History]:
        """The histories by clocks that are wrong by a share of their error, in alternating
        directions.
        """
        reported = []
        for client, events in self.events.items():
            wrong_s = errors_s[client] * share * (1 if client % 2 else -1)
            moved = [self._moved(event, 5 + wrong_s) for event in events]
            end = [{"op": "end"}] if self.ended else []
            reported.append(History(f"c{client}", client, [*moved, *end], 5.0, errors_s[client]))
        return reported

    def _moved(self, event: Mapping[str, Any], by_s: float) -> Event:
        return {
            **event,
            **{key: round((event[key] + by_s) * 1e9) for key in ("begin_ns", "end_ns")},
        }

    def judged(
        self, errors_s: list[float] | None = None, share: float = 1.0, **about: Any
    ) -> Findings:
        """The findings of the judgement of its kind."""
        names = frozenset(self.inodes) | frozenset(self.files)
        final = Final(names, dict(self.files), dict(self.inodes))
        circumstances = Circumstances(
            **{"run_id": RUN, "final": final, "disturbed": self.disturbed, **about}
        )
        histories = self.histories(errors_s or [GOOD_CLOCK_S] * 3, share)
        return load_kind(self.kind).judge(histories, circumstances)


Model = Callable[[list[int]], Recorded]
Plant = Callable[[Recorded], None]


def verdict_of(reported: Recorded, found: Findings) -> str:
    """The verdict of the check."""
    return judge_consistency_test({"consistency_test": reported.kind, **found.to_json()}).verdict


def require_true(model: Model, turns: list[int], errors_s: list[float], share: float) -> None:
    """A true storage never violates, whatever the clients' clocks show within their known
    errors.
    """
    reported = model(turns)
    found = reported.judged(errors_s, share)
    assert (found.violations, found.lost_locks, found.unasked) == ([], [], [])
    assert verdict_of(reported, found) in ("pass", "unknown")
    sharp = reported.judged()
    assert (sharp.violations, sharp.unknowns) == ([], [])
    assert verdict_of(reported, sharp) == "pass", sharp


def require_found(model: Model, plant: Plant, reason: str, turns: list[int]) -> None:
    """A planted defect is a violation, for its reason and no other."""
    reported = model(turns)
    plant(reported)
    found = reported.judged()
    assert reason in found.reasons, (found.violations, found.unknowns)
    assert found.violations, found.unknowns
    assert verdict_of(reported, found) == "fail"


def require_unknown(reported: Recorded, reason: str, **about: Any) -> None:
    """Nothing is violated, and the answer is unknown for this reason."""
    found = reported.judged(**about)
    assert (found.violations, reason in found.reasons) == ([], True), (
        found.violations,
        found.reasons,
    )
    assert verdict_of(reported, found) == "unknown"


def require_clocks_matter(model: Model, plant: Plant, turns: list[int]) -> None:
    """Where every clock may be wrong by half a minute, nothing is certain: neither a pass nor a
    violation.
    """
    reported = model(turns)
    plant(reported)
    found = reported.judged([30.0] * 3, 0.0)
    assert found.violations == []
    assert verdict_of(reported, found) == "unknown"


def named(defects: list[tuple[Plant, str]]) -> pytest.MarkDecorator:
    """The parameters of a test of planted defects."""
    return pytest.mark.parametrize(
        ("plant", "reason"), defects, ids=[plant.__name__ for plant, _ in defects]
    )
