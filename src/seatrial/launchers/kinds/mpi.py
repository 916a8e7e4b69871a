"""Launcher `mpi`: one `mpirun` with a task on each node (MPICH and its derivatives).

Open MPI is refused: with `--stdin all` the tasks of its release 4.1.4 receive an empty input.
"""

import os
import subprocess

from seatrial.basics.errors import RunError
from seatrial.launchers.base import LaunchRequest, refuse_template
from seatrial.launchers.group import GroupTransport
from seatrial.transport import Transport

PROGRAM = "mpirun"
BATCH_SYSTEMS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID")
"""variables of allocations; mpirun takes its hosts from there"""
VERSION_TIMEOUT_S = 30.0
INSTEAD = "load a module of MPICH, Intel MPI or MVAPICH, or use launcher: slurm or command"
HYDRA = ("-s", "all", "-ppn", "1")
"""every task reads the input, and each node has one task (mpiexec.hydra of MPICH, Intel MPI and
MVAPICH)"""


def transport(request: LaunchRequest) -> Transport:
    """Start the step; RunError when mpirun is missing, or is that of Open MPI."""
    refuse_template(request, "mpi")
    if _is_open_mpi():
        raise RunError(f"{PROGRAM} of Open MPI does not copy its input to all tasks", INSTEAD)
    return GroupTransport("mpi", command_line(request), request.nodes, request.start_timeout_s)


def command_line(request: LaunchRequest) -> list[str]:
    """The command of the step.

    Outside a batch system the nodes of the study are the hosts, unless the study gives options.
    """
    argv = [PROGRAM, "-np", str(len(request.nodes)), *HYDRA]
    if not request.arguments and not any(name in os.environ for name in BATCH_SYSTEMS):
        argv += ["-hosts", ",".join(request.nodes)]
    return [*argv, *request.arguments, *request.agent_command]


def _is_open_mpi() -> bool:
    """Whether mpirun is that of Open MPI, which has other options than all others."""
    try:
        done = subprocess.run(
            [PROGRAM, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=VERSION_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError:
        raise RunError(f"{PROGRAM} is missing", "load the module of your MPI library") from None
    except subprocess.TimeoutExpired:
        raise RunError(f"{PROGRAM} --version does not end") from None
    return "Open MPI" in done.stdout or "OpenRTE" in done.stdout
