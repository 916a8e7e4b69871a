"""Launcher `mpi`: one `mpirun` with a task on each node, of MPICH, Intel MPI, MVAPICH or Open MPI.

`mpirun` only starts the agents. They connect to the controller, because neither MPICH nor Open MPI
copies its standard input to all tasks.
"""

import os
import subprocess

from seatrial.basics.errors import RunError
from seatrial.launchers.base import LaunchRequest, refuse_template
from seatrial.launchers.group import GroupTransport
from seatrial.launchers.listener import KEY_VARIABLE, Listener, address_towards
from seatrial.transport import Transport

PROGRAM = "mpirun"
ADDRESS_VARIABLE = "SEATRIAL_CONTROLLER_ADDRESS"
"""the address of the controller that the nodes reach; by default that of the route to them"""
BATCH_SYSTEMS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID")
"""variables of allocations; mpirun takes its hosts from there"""
VERSION_TIMEOUT_S = 30.0
HYDRA = ("-ppn", "1")
"""one task on each node (mpiexec.hydra of MPICH, Intel MPI and MVAPICH), with the environment"""
OPEN_MPI = ("--map-by", "node", "-x", KEY_VARIABLE)
"""tasks on the nodes in turn, with the key of the step"""


def transport(request: LaunchRequest) -> Transport:
    """Start the step; RunError when mpirun is missing, or the controller cannot listen."""
    refuse_template(request, "mpi")
    is_open_mpi = _is_open_mpi()
    address = os.environ.get(ADDRESS_VARIABLE) or address_towards(request.nodes)
    listener = Listener(address, len(request.nodes))
    argv = command_line(request, listener.address, is_open_mpi=is_open_mpi)
    return GroupTransport("mpi", argv, request.nodes, request.start_timeout_s, listener)


def command_line(request: LaunchRequest, address: str, *, is_open_mpi: bool) -> list[str]:
    """The command of the step; `address` is that of the controller, as `host:port`.

    Outside a batch system the nodes of the study are the hosts, unless the study gives options.
    """
    argv = [PROGRAM, "-np", str(len(request.nodes)), *(OPEN_MPI if is_open_mpi else HYDRA)]
    if not request.arguments and not any(name in os.environ for name in BATCH_SYSTEMS):
        argv += ["--host" if is_open_mpi else "-hosts", ",".join(request.nodes)]
    return [*argv, *request.arguments, *request.agent_command, "--connect", address]


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
