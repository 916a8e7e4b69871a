"""The lines of a fault in the live file: its course, and the load that runs meanwhile."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Protocol

from seatrial.load.agent import Assignment, Watch
from seatrial.load.clock_offsets import WallClocks
from seatrial.load.live import LiveMeter, written_each_second
from seatrial.result.faults import FaultResult
from seatrial.result.live import LiveAgent, LiveFault, LiveLoad
from seatrial.result.result import Writer, safe_name
from seatrial.service.session import Observer


class Reporting(Protocol):
    """The receivers of the reports of a fault."""

    writer: Writer
    observer: Observer
    wall_clocks: WallClocks


def show_course(writer: Writer, result: FaultResult) -> None:
    """Write into the live file how far a fault has come."""
    course = LiveFault(result.name, result.title, result.injected_unix_s, result.repaired_unix_s)
    writer.live.fault(course)


@contextlib.contextmanager
def streams_watched(
    receivers: Reporting,
    fault: str,
    assignments: Sequence[Assignment],
) -> Iterator[Watch]:
    """For the body, which runs the streams of a fault: the callbacks for their agents.

    They print stalls, keep the lines in the result, and write the live file.
    """
    title, writer = f"fault {fault}", receivers.writer
    agents = tuple(LiveAgent(item.client, item.stream) for item in assignments)
    load = LiveLoad(title=title, agents=agents, fault=fault)
    meter = LiveMeter(load)

    def keep(name: str, text: str) -> None:
        writer.keep(f"agent/{safe_name(f'{title}-{name}')}.jsonl", text)

    watch = Watch(
        stalled=lambda text: receivers.observer.say(f"{fault}: {text}"),
        clock_set=receivers.wall_clocks.add_step,
        keep=keep,
        line=meter.hear,
        lost=meter.lose,
    )
    with written_each_second(writer.live, load, meter):
        yield watch
