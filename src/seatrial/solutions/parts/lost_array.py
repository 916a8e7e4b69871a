"""A block server that has lost an array resets itself, so that its pending writes are lost.

A node repeats a command on the other server after 30 s without an answer, and may then write newer
data. Writes that the first server has not passed on must never reach the array: the reset discards
them with the server's memory (decision 0034).
"""

from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.solutions.parts.steps import no_service, restart_if_active, service

SCRIPT = "/usr/local/sbin/seatrial-lost-array"
NAME = "seatrial-lost-array"
LOST_S = 5
"""seconds for which a session must be down; a restarted target is back earlier"""


def _script(target: str) -> str:
    return f"""\
#!/bin/bash
# Resets this server at once, without writing anything back, if a session to one of these arrays has
# been down for {LOST_S} s.
exec {{never}}<> <(:)
declare -A down
while true; do
    read -r -t 1 -u "$never"
    for session in /sys/class/iscsi_session/session*; do
        {{
            read -r target <"$session/targetname" && [[ $target = {target} ]] && \
read -r state <"$session/state"
        }} 2>/dev/null || continue
        # A session that is logged out on purpose is FREE.
        if [ "$state" != FAILED ]; then
            down[$session]=$SECONDS
        elif [ $((SECONDS - ${{down[$session]:-$SECONDS}})) -ge {LOST_S} ]; then
            echo "{NAME}: no session to $target for {LOST_S} s" >/dev/kmsg
            echo b >/proc/sysrq-trigger
        fi
    done
done"""


def steps(target: str) -> list[Step]:
    """Install the watch, now and after every boot; `target`: pattern of the arrays' iSCSI names."""
    return [
        write_file(
            SCRIPT,
            _script(target),
            title="install the monitor for lost arrays",
            mode="755",
            after=restart_if_active(NAME),
            reason="a write that waits here could overwrite newer data written by the other server",
        ),
        *service(
            NAME,
            "[Unit]\nDescription=reset a block server that has lost its"
            " array\nAfter=iscsid.service\n"
            f"[Service]\nExecStart={SCRIPT}\nRestart=always\nOOMScoreAdjust=-1000\n[Install]\nWantedBy=multi-user.target",
            "start the monitor for lost arrays",
        ),
    ]


def removal() -> list[Step]:
    """Remove the watch."""
    return [*no_service(NAME, "stop the monitor for lost arrays"), remove_file(SCRIPT)]
