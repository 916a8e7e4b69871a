"""iSCSI sessions that iscsid can no longer log in: found on each server, and mended by starting iscsid anew.

A target that closes a connection in the middle of a login, as one does that is just starting, leaves kernels from 6.0
with a note that the connection is still being cleaned up. Only iscsid can take it back, and it does not: each further
attempt ends in "can't bind conn, retcode -107", for ever (open-iscsi, issue 387; its mend, 388, is in no release yet).
The path is lost until somebody acts, and nothing tells of it while the other paths work. An iscsid that is started anew
takes every session over and cleans it up first; commands wait meanwhile, as they do for any path that comes back.
"""

from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.solutions.parts.steps import no_service, restart_if_active, service

SCRIPT = "/usr/local/sbin/seatrial-stuck-sessions"
NAME = "seatrial-stuck-sessions"
LOOK_S = 2
STUCK_S = 10
"""Of a session that is down at a portal that takes connections: iscsid tries every two to three seconds."""


def _script(target: str) -> str:
    return f"""\
#!/bin/bash
# Starts iscsid anew where a session of this array has been down for {STUCK_S} s although its portal takes connections.
exec {{never}}<> <(:)
declare -A down
while true; do
    read -r -t {LOOK_S} -u "$never"
    for connection in /sys/class/iscsi_connection/connection*; do
        session=session${{connection##*/connection}}
        session=${{session%%:*}}
        {{
            read -r target <"/sys/class/iscsi_session/$session/targetname" && [[ $target = {target} ]] &&
                read -r state <"/sys/class/iscsi_session/$session/state"
        }} 2>/dev/null || continue
        if [ "$state" = LOGGED_IN ]; then
            down[$session]=0
            continue
        fi
        {{
            read -r address <"$connection/persistent_address"
            read -r port <"$connection/persistent_port"
            # What cannot be reached is not stuck.
            true <>"/dev/tcp/$address/$port" || down[$session]=-{LOOK_S}
        }} 2>/dev/null
        down[$session]=$((${{down[$session]:-0}} + {LOOK_S}))
        if [ "${{down[$session]}}" -ge {STUCK_S} ]; then
            echo "{NAME}: iscsid cannot log in at $address any more: starting it anew"
            systemctl restart iscsid
            down=()
            read -r -t {STUCK_S} -u "$never"
            break
        fi
    done
done"""


def steps(target: str) -> list[Step]:
    """It runs, now and after every boot; `target` is the array's iSCSI name, or a pattern of several."""
    return [
        write_file(
            SCRIPT,
            _script(target),
            title="install the monitor for stuck iSCSI sessions",
            mode="755",
            after=restart_if_active(NAME),
            reason="iscsid up to 2.1.11 never recovers a session whose login was cut off (open-iscsi, issue 387)",
        ),
        *service(
            NAME,
            "[Unit]\nDescription=start iscsid anew where a session is stuck\nAfter=iscsid.service\n"
            f"[Service]\nExecStart={SCRIPT}\nRestart=always\n[Install]\nWantedBy=multi-user.target",
            "start the monitor for stuck iSCSI sessions",
        ),
    ]


def removal() -> list[Step]:
    """It is gone."""
    return [*no_service(NAME, "stop the monitor for stuck iSCSI sessions"), remove_file(SCRIPT)]
