"""`kind: wall-clock`: the wall clock of a node is set ahead, and back afterwards. No verdict may
depend on the wall clock.
"""

from pydantic import Field

from seatrial.basics.schema import Duration
from seatrial.faults.base import Actions, OnNode, Scene, Shell

TITLE = "a node's wall clock is set"
WORD = "wall clock"
DURATION_S = 10.0
_RECORD = "/run/seatrial-wall-clock"
"""file with the earlier wall clock and its uptime, which give the undisturbed time"""


class Options(OnNode):
    """The node, and the step of its clock."""

    ahead: Duration = Field(
        3600.0,
        gt=0,
        le=86400,
        description="Time that the clock is set ahead, at most a day.",
    )


def actions(options: Options, scene: Scene) -> Actions:
    """Set the clock ahead, and back."""
    node = options.where(scene)
    set_ahead = (
        f"[ -e {_RECORD} ] || echo $(date +%s.%N) $(cut -d' ' -f1 /proc/uptime) >{_RECORD}\n"
        f"date --set '+{options.ahead:.3f} seconds'"
    )
    # Not back by the same step: an operator or chrony may have repaired it already.
    set_back = (
        f"[ -e {_RECORD} ] || exit 0\n"
        f"date --set @$(cat {_RECORD} /proc/uptime | awk 'NR == 1 {{ ahead = $1 - $2 }} "
        f'NR == 2 {{ printf "%.3f", ahead + $1 }}\')\nrm {_RECORD}'
    )
    return Actions((Shell(node, set_ahead),), (Shell(node, set_back),))
