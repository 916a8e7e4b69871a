"""Dead-man timers: a process on a machine that repairs a fault if the machine that runs Seatrial
fails or cannot reach the node (decision 0037).
"""

import contextlib
import secrets
import shlex
from dataclasses import dataclass

from seatrial.basics.errors import RunError
from seatrial.labs.base import RemoteCommand

TIMEOUT_S = 60.0
"""to start or end a timer"""


@dataclass(frozen=True)
class RunningTimer:
    """A process that sleeps, and then repairs."""

    timer: RemoteCommand
    name: str
    """in its command line, so that no other process with its number is ended"""
    process: int

    def disarm(self) -> None:
        """End the timer; on a machine that cannot be reached it repairs once more."""
        ended = f"! grep -qs {self.name} /proc/{self.process}/cmdline || kill -- -{self.process}"
        with contextlib.suppress(RunError):
            self.timer.transport.run(self.timer.machine, ended, timeout_s=TIMEOUT_S)


def armed(timer: RemoteCommand, after_s: float) -> RunningTimer:
    """Start a timer in a separate session, which the end of the connection does not stop.

    Raises RunError where the machine does not accept it.
    """
    name = f"seatrial-repair-{secrets.token_hex(4)}"
    later = shlex.quote(f"sleep {after_s:.0f} && {{ {timer.command}\n}}")
    started = f"setsid sh -c {later} {name} >/dev/null 2>&1 </dev/null & echo $!"
    done = timer.transport.run(timer.machine, started, timeout_s=TIMEOUT_S)
    if done.exit_code or not done.stdout.strip().isdigit():
        raise RunError(f"{timer.machine} cannot arm its repair: {done.stderr.strip()}")
    return RunningTimer(timer, name, int(done.stdout))
