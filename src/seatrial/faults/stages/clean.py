"""The end of a fault, on every exit path: the files of the streams are removed."""

from seatrial.faults.context import FaultContext
from seatrial.faults.stages.prepare import Decided
from seatrial.faults.streams import Streams


def remove_files(
    context: FaultContext, streams: Streams, decided: Decided, *, is_answered: bool
) -> None:
    """Remove the files of the streams; not where the storage does not answer."""
    if streams.clients and not is_answered:
        context.note("the streams’ files were left in place: the storage does not answer")
        return
    lost = decided.actions.nodes_losing_memory()
    alive = [client for client in streams.clients if client not in lost]
    for item in streams.clean(alive):
        context.writer.line("left-behind", **item._asdict())
        context.observer.say(f"not removed: {item.path} on {item.node}: {item.reason}")
