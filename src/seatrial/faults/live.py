"""The lines of a fault in the live file: its course, and the load that runs meanwhile."""

import contextlib
from collections.abc import Iterator, Sequence

from seatrial.faults.base import Planned
from seatrial.load.agent import Assignment, Watch
from seatrial.load.live import LiveMeter, written_each_second
from seatrial.load.run_context import RunContext
from seatrial.result.file_names import safe_name
from seatrial.result.live import LiveAgent, LiveFault, LiveLoad
from seatrial.result.writer import Writer


def show_course(
    writer: Writer,
    planned: Planned,
    *,
    injected_unix_s: float | None = None,
    repaired_unix_s: float | None = None,
) -> None:
    """Write into the live file how far a fault has come; times in unix seconds."""
    writer.live.fault(LiveFault(planned.name, planned.title, injected_unix_s, repaired_unix_s))


@contextlib.contextmanager
def streams_watched(
    run: RunContext, fault: str, assignments: Sequence[Assignment]
) -> Iterator[Watch]:
    """For the body, which runs the streams of a fault: the callbacks for their agents.

    They print stalls, keep the lines in the result, and write the live file.
    """
    title = f"fault {fault}"
    writer = run.writer
    agents = tuple(LiveAgent(item.client, item.stream) for item in assignments)
    load = LiveLoad(title=title, agents=agents, fault=fault)
    meter = LiveMeter(load)

    def keep(name: str, text: str) -> None:
        writer.keep(f"agent/{safe_name(f'{title}-{name}')}.jsonl", text)

    watch = Watch(
        stalled=lambda text: run.observer.say(f"{fault}: {text}"),
        clock_set=run.wall_clocks.add_step,
        keep=keep,
        line=meter.hear,
        lost=meter.lose,
    )
    with written_each_second(writer.live, load, meter):
        yield watch
