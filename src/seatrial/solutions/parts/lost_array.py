"""A block server that has lost an array resets itself: nothing that it still holds is written when the array is back.

A node whose command has had no answer for 30 s sends it again by the other server, and may then write something newer.
What the first server has not passed on by then must never be: it goes with the server's memory (decision 0034).
"""

from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.solutions.parts.steps import no_service, restart_if_active, service

SCRIPT = "/usr/local/sbin/seatrial-lost-array"
NAME = "seatrial-lost-array"
LOST_S = 5
"""of a session that is known to be down; a target that is started anew is back before that"""


def _script(target: str) -> str:
    return f"""\
#!/bin/bash
# Resets this server at once, writing nothing back, where a session to one of these arrays has been down for {LOST_S} s.
exec {{never}}<> <(:)
declare -A down
while true; do
    read -r -t 1 -u "$never"
    for session in /sys/class/iscsi_session/session*; do
        {{
            read -r target <"$session/targetname" && [[ $target = {target} ]] && read -r state <"$session/state"
        }} 2>/dev/null || continue
        # One that is being ended on purpose is FREE.
        if [ "$state" != FAILED ]; then
            down[$session]=$SECONDS
        elif [ $((SECONDS - ${{down[$session]:-$SECONDS}})) -ge {LOST_S} ]; then
            echo "{NAME}: no session to $target for {LOST_S} s" >/dev/kmsg
            echo b >/proc/sysrq-trigger
        fi
    done
done"""


def steps(target: str) -> list[Step]:
    """It runs, now and after every boot; `target` is a pattern of the arrays' iSCSI names."""
    return [
        write_file(
            SCRIPT,
            _script(target),
            title="install the monitor for lost arrays",
            mode="755",
            after=restart_if_active(NAME),
            reason="a write that waits here for its array would overtake what nodes have written by the other",
        ),
        *service(
            NAME,
            "[Unit]\nDescription=reset a block server that has lost its array\nAfter=iscsid.service\n"
            f"[Service]\nExecStart={SCRIPT}\nRestart=always\nOOMScoreAdjust=-1000\n[Install]\nWantedBy=multi-user.target",
            "start the monitor for lost arrays",
        ),
    ]


def removal() -> list[Step]:
    """It is gone."""
    return [*no_service(NAME, "stop the monitor for lost arrays"), remove_file(SCRIPT)]
