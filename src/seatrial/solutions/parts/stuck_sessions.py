"""A watch that detects iSCSI sessions in which iscsid cannot log in again, and restarts iscsid.

When a target closes a connection during a login, as a starting target does, kernels from 6.0 on
keep it in the state of a pending cleanup. Only iscsid can end this state, and it does not: each
further attempt ends in "can't bind conn, retcode -107" (open-iscsi, issue 387; its fix, 388, is in
no release yet). The path stays lost, and nothing reports it while other paths work. A restarted
iscsid takes every session over and cleans it up first; commands wait meanwhile, as for any path
that returns.
"""

from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.solutions.parts.steps import no_service, restart_if_active, service

SCRIPT = "/usr/local/sbin/seatrial-stuck-sessions"
NAME = "seatrial-stuck-sessions"
LOOK_S = 2
STUCK_S = 10
"""seconds for which a session is down at a reachable portal; iscsid retries every 2 to 3 seconds"""


def _script(target: str) -> str:
    return f"""\
#!/bin/bash
# Restarts iscsid if a session of this array has been down for {STUCK_S} s although its portal
# accepts connections.
exec {{never}}<> <(:)
declare -A down
while true; do
    read -r -t {LOOK_S} -u "$never"
    for connection in /sys/class/iscsi_connection/connection*; do
        session=session${{connection##*/connection}}
        session=${{session%%:*}}
        {{
            read -r target <"/sys/class/iscsi_session/$session/targetname" && \
[[ $target = {target} ]] &&
                read -r state <"/sys/class/iscsi_session/$session/state"
        }} 2>/dev/null || continue
        if [ "$state" = LOGGED_IN ]; then
            down[$session]=0
            continue
        fi
        {{
            read -r address <"$connection/persistent_address"
            read -r port <"$connection/persistent_port"
            # A session to an unreachable portal is not stuck.
            true <>"/dev/tcp/$address/$port" || down[$session]=-{LOOK_S}
        }} 2>/dev/null
        down[$session]=$((${{down[$session]:-0}} + {LOOK_S}))
        if [ "${{down[$session]}}" -ge {STUCK_S} ]; then
            echo "{NAME}: iscsid no longer logs in at $address; it is restarted"
            systemctl restart iscsid
            down=()
            read -r -t {STUCK_S} -u "$never"
            break
        fi
    done
done"""


def steps(target: str) -> list[Step]:
    """Install the watch, now and after every boot; `target`: an iSCSI name or a pattern."""
    return [
        write_file(
            SCRIPT,
            _script(target),
            title="install the monitor for stuck iSCSI sessions",
            mode="755",
            after=restart_if_active(NAME),
            reason="iscsid up to 2.1.11 never recovers from a login that was cut off (issue 387)",
        ),
        *service(
            NAME,
            "[Unit]\nDescription=restart iscsid where a session is stuck\nAfter=iscsid.service\n"
            f"[Service]\nExecStart={SCRIPT}\nRestart=always\n[Install]\nWantedBy=multi-user.target",
            "start the monitor for stuck iSCSI sessions",
        ),
    ]


def removal() -> list[Step]:
    """Remove the watch."""
    return [*no_service(NAME, "stop the monitor for stuck iSCSI sessions"), remove_file(SCRIPT)]
