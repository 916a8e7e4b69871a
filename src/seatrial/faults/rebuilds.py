"""The duration of an array's rebuild in a fault, and its effect on the streams."""

from collections.abc import Sequence
from typing import Any

from seatrial.faults.base import Actions, Rebuild, action_text
from seatrial.faults.done import Done
from seatrial.faults.figures import loads_in
from seatrial.load.agent_lines import AgentLines
from seatrial.result.faults import FaultResult


def rebuild_of(
    actions: Actions,
    done: Sequence[Done],
    result: FaultResult,
    agents: Sequence[AgentLines],
) -> dict[str, Any]:
    """The entry of a rebuild in the result (`FaultResult.rebuild`); empty where there was none."""
    action = next((item for item in actions.after if isinstance(item, Rebuild)), None)
    started_s, injected_s = result.started_unix_s, result.injected_unix_s
    if action is None or started_s is None or injected_s is None:
        return {}
    begun = [item for item in done if item.what == action_text(action.begun_by) and not item.error]
    ended = [item for item in done if item.what == action_text(action)]
    if not begun or not ended:
        return {}
    begun_s, until_s = begun[0].ended_unix_s, ended[0].ended_unix_s
    spans = {"before": (started_s, injected_s), "rebuild": (begun_s, until_s)}
    return {
        "node": action.node,
        "array": action.array,
        "begun_unix_s": begun_s,
        "until_unix_s": until_s,
        "ended": ended[0].error is None,
        "loads": loads_in(agents, started_s, spans),
    }
