"""The start of a lab's supervisor in its own namespaces."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.labs.emulation.image import Image
from seatrial.labs.emulation.running_lab import RunningLab, pid_namespace, write_lab
from seatrial.labs.emulation.runtime import start_time, wait_for
from seatrial.labs.emulation.ssh_config import ssh_config
from seatrial.labs.emulation.supervisor_spec import FILE, SupervisorSpec

START_TIMEOUT_S = 30.0
NAMESPACES = (
    "unshare",
    "--user",
    "--map-root-user",
    "--net",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
)


@dataclass(frozen=True)
class Started:
    """The process of a supervisor."""

    process: "subprocess.Popen[bytes]"
    lifeline: int | None
    """the end of a pipe: the supervisor stops the lab when it closes; None for a detached lab"""


def log_of(spec: SupervisorSpec) -> Path:
    """The log of a supervisor."""
    return Path(spec.console_folder) / "supervisor.log"


def start_supervisor(
    folder: Path, spec: SupervisorSpec, image: Image, *, detached: bool
) -> Started:
    """Start the supervisor of a lab in `folder`; the caller ends it, whatever follows."""
    (folder / "spec.json").write_bytes(FILE.dump_json(spec))
    (folder / "known_hosts").write_text(f"seatrial-lab {image.host_key}\n")
    reading, writing = os.pipe()
    program = [sys.executable, "-m", "seatrial.labs.emulation.supervisor"]
    command = [*NAMESPACES, *program, str(folder / "spec.json")]
    with log_of(spec).open("ab") as output:
        process = subprocess.Popen(
            command if detached else [*command, str(reading)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=() if detached else (reading,),
            start_new_session=True,
            env=dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"),
        )
    os.close(reading)
    if detached:
        os.close(writing)
    return Started(process, None if detached else writing)


def await_supervisor(
    folder: Path, ssh_file: Path, spec: SupervisorSpec, image: Image, started: Started
) -> None:
    """Wait for the supervisor, and write the files by which others find the lab.

    RunError with the end of its log when it does not start.
    """
    process = started.process
    log = log_of(spec)
    supervisor_pid = _child_of(process, log)
    lab = RunningLab(
        supervisor_pid=supervisor_pid,
        supervisor_start=start_time(supervisor_pid),
        pid_namespace=pid_namespace(),
        lasting=started.lifeline is None,
        name=spec.name,
        kernel=spec.kernel,
        image=spec.image,
        scale=spec.scale,
    )
    write_lab(folder, lab)
    ssh_file.write_text(ssh_config(folder, spec, image, supervisor_pid))
    control = folder / "control"
    wait_for(lambda: control.exists() or process.poll() is not None, START_TIMEOUT_S)
    if not control.exists():
        raise RunError(
            f"the lab did not start:\n{tail(log)}", "are user namespaces allowed on this machine?"
        )


def _child_of(process: subprocess.Popen[bytes], log: Path) -> int:
    """The supervisor's pid outside its namespace: the one child of `unshare --fork`."""
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    limit = time.monotonic() + 10
    while time.monotonic() < limit and process.poll() is None:
        children = path.read_text().split()
        if children:
            return int(children[0])
        time.sleep(0.01)
    raise RunError(
        f"the lab's namespaces could not be made:\n{tail(log)}",
        "are user namespaces allowed here?",
    )


def tail(path: Path, lines: int = 12) -> str:
    """The last lines of a console or log, indented."""
    try:
        return "\n".join(
            f"    {line}" for line in path.read_text(errors="replace").splitlines()[-lines:]
        )
    except OSError:
        return "    (no console)"
