"""Stalls of many clients are one line, within a second; a clock of the test decides when."""

import json
import time
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from seatrial.load.agent import AgentGroup, Watch, _Follower, _ReceivedLine
from seatrial.load.agent_events import StalledTask, StalledTasks
from seatrial.load.agent_lines import AgentLines
from seatrial.load.stalls import REPEATED_S, TOGETHER_S, Stall, StallReporter, lost_text, stall_text
from seatrial.transport import Local

SECOND_NS = 1_000_000_000


def waiting(
    *waits_s: float, file: str = "f", begun_ns: int = 1, event: str = "stall"
) -> StalledTasks:
    """An agent's line about tasks that have waited for these times."""
    tasks: list[StalledTask] = [
        {
            "task": number,
            "file": file,
            "since_boottime_ns": begun_ns + number,
            "stalled_ns": int(wait_s * SECOND_NS),
        }
        for number, wait_s in enumerate(waits_s)
    ]
    return {"event": event, "boottime_ns": begun_ns, "tasks": tasks}


@dataclass
class Screen:
    """The printed lines, and a clock that only the test moves."""

    lines: list[str] = field(default_factory=list)
    now_s: float = 100.0

    def reporter(self) -> StallReporter:
        """A reporter that prints here, by this clock."""
        return StallReporter(self.lines.append, lambda: self.now_s)


def client(name: str, stream: str = "") -> AgentLines:
    """The agent of a client."""
    return AgentLines(name, 0.0, stream=stream)


def test_one_stall_is_printed_whole() -> None:
    """With its tasks and up to three of their files, as it always was."""
    files = ("a", "b", "c", "d")
    assert stall_text([Stall("c1", "", False, 1.14, 4, files)]) == (
        "c1: no answer for 1.1 s to 4 tasks: a, b, c"
    )
    assert stall_text([Stall("c1", "data", True, 3.0, 1, ("a",))]) == (
        "c1 data: not ready after 3.0 s: 1 task: a"
    )


def test_64_clients_in_one_second_are_one_line() -> None:
    """It has the range of their waits; a second line appears only for another kind."""
    screen = Screen()
    reporter = screen.reporter()
    for number in range(1, 65):
        screen.now_s += 0.9 / 64
        name = f"c{number:02d}"
        reporter.hear(client(name), waiting(1.0 + number % 3 / 10, file=name))
        reporter.flush_due()
    assert screen.lines == []
    screen.now_s += 0.2
    reporter.flush_due()
    assert screen.lines == ["c[01-64]: no answer for 1.0 to 1.2 s to 64 tasks: 64 files"]
    screen.now_s += 10
    reporter.flush_due()
    assert len(screen.lines) == 1


def test_equal_waits_are_one_figure_and_few_files_have_names() -> None:
    """Two agents on one client are one name."""
    stalls = [Stall(name, "", False, 1.11, 2, ("f",)) for name in ("c1", "c2", "c2")]
    assert stall_text(stalls) == "c[1-2]: no answer for 1.1 s to 6 tasks: f"


def test_another_kind_has_its_own_line() -> None:
    """A stream, and an agent that is not ready, in the order of their first stalls."""
    screen = Screen()
    reporter = screen.reporter()
    reporter.hear(client("c1", "b"), waiting(1.0))
    reporter.hear(client("c1", "a"), waiting(1.0))
    reporter.hear(client("c2", "b"), waiting(2.0))
    reporter.hear(client("c3", "b"), waiting(2.0, event="preparing"))
    reporter.flush()
    assert screen.lines == [
        "c[1-2] b: no answer for 1.0 to 2.0 s to 2 tasks: f",
        "c1 a: no answer for 1.0 s to 1 task: f",
        "c3 b: not ready after 2.0 s: 1 task: f",
    ]


def test_a_short_preparation_is_no_stall() -> None:
    """An agent that prepares files reports them each second, whenever it began."""
    shown = Screen()
    reporter = shown.reporter()
    reporter.hear(client("c1"), waiting(0.02, event="preparing"))
    reporter.flush()
    assert shown.lines == []
    reporter.hear(client("c1"), waiting(1.02, event="preparing"))
    reporter.flush()
    assert len(shown.lines) == 1


def test_a_stall_waits_a_second_at_most() -> None:
    """Later stalls do not delay the first one; the next second is a new line."""
    screen = Screen()
    reporter = screen.reporter()
    for name in ("c1", "c2", "c3", "c4"):
        reporter.hear(client(name), waiting(1.0))
        screen.now_s += TOGETHER_S / 2
        reporter.flush_due()
    assert [line.split(":")[0] for line in screen.lines] == ["c[1-2]", "c[3-4]"]


def test_a_lasting_stall_is_repeated_every_few_seconds() -> None:
    """The same operation of a task is reported again only after `REPEATED_S`; a new one at once."""
    screen = Screen()
    reporter = screen.reporter()
    for wait_s in (1.0, 2.0):
        reporter.hear(client("c1"), waiting(wait_s))
        reporter.flush()
    assert len(screen.lines) == 1
    reporter.hear(client("c1"), waiting(1.0, begun_ns=50))
    reporter.flush()
    assert len(screen.lines) == 2
    screen.now_s += REPEATED_S
    reporter.hear(client("c1"), waiting(6.0))
    reporter.flush()
    assert screen.lines[-1] == "c1: no answer for 6.0 s to 1 task: f"
    both = waiting(7.0)
    both["tasks"] += waiting(2.0, begun_ns=90)["tasks"]
    reporter.hear(client("c1"), both)
    reporter.flush()
    assert screen.lines[-1] == "c1: no answer for 2.0 s to 1 task: f"


def test_a_group_of_agents_prints_one_line_before_it_does_something_else() -> None:
    """The lines that have arrived together; `follow` keeps nothing back when it returns."""
    lines: list[str] = []
    group = AgentGroup(Local(), "agent", [], {}, Watch(stalled=lines.append))
    for name in ("c1", "c2", "c3"):
        follower = _Follower(cast("Any", None), client(name))
        text = json.dumps(waiting(1.0))
        group._inbox.put(_ReceivedLine(time.monotonic(), follower, text))
    is_over = iter([False, True])
    assert group.follow(lambda: next(is_over))
    assert lines == ["c[1-3]: no answer for 1.0 s to 3 tasks: f"]


@pytest.mark.parametrize(
    ("lost", "text"),
    [
        ([("c1", "silent for 8 s")], "c1: silent for 8 s"),
        (
            [("c1", "silent for 8 s"), ("c2", "killed"), ("c3", "silent for 8 s")],
            "c[1,3]: silent for 8 s; c2: killed",
        ),
    ],
)
def test_lost_clients_with_one_reason_are_one_node_set(
    lost: list[tuple[str, str]], text: str
) -> None:
    """The line of a phase lists each reason once."""
    assert lost_text(lost) == text
