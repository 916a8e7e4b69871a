"""The duration of an array's rebuild in a fault, and its effect on the streams."""

from collections.abc import Sequence

from seatrial.faults.base import Actions, Rebuild
from seatrial.faults.done import Done
from seatrial.faults.figures import loads_in
from seatrial.load.agent_lines import AgentLines
from seatrial.result.fault_parts import RebuildResult


def rebuild_of(
    actions: Actions,
    done: Sequence[Done],
    started_unix_s: float,
    injected_unix_s: float,
    agents: Sequence[AgentLines],
) -> RebuildResult:
    """The entry of a rebuild in the result (`FaultResult.rebuild`); empty where there was none.

    The times, in unix seconds, are the common start of the streams and the injection.
    """
    action = next((item for item in actions.everything if isinstance(item, Rebuild)), None)
    if action is None:
        return {}
    starts = [item for item in done if item.action is action.begun_by and not item.error]
    ends = [item for item in done if item.action is action]
    if not starts or not ends:
        return {}
    begun_s = starts[0].ended_unix_s
    until_s = ends[0].ended_unix_s
    spans = {"before": (started_unix_s, injected_unix_s), "rebuild": (begun_s, until_s)}
    return {
        "node": action.node,
        "array": action.array,
        "begun_unix_s": begun_s,
        "until_unix_s": until_s,
        "ended": ends[0].error is None,
        "loads": loads_in(agents, started_unix_s, spans),
    }
