"""Launcher `slurm`: one `srun` step with a task on each node of the allocation.

A study can name the nodes of the allocation. It can also name other nodes: these become the nodes
of the allocation in its order, so that one study fits every allocation of the same size.
"""

import os

from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet

from seatrial.basics.errors import RunError
from seatrial.basics.node_sets import fold
from seatrial.launchers.base import LaunchRequest, refuse_template
from seatrial.launchers.group import GroupTransport
from seatrial.transport import Transport

NODES_VARIABLE = "SLURM_JOB_NODELIST"
"""set by salloc and sbatch (srun(1))"""
START_ONE = "start the run in an allocation: salloc -N {count}, or seatrial run STUDY --submit"


def transport(request: LaunchRequest) -> Transport:
    """Start the step; RunError outside an allocation, or when it does not fit the nodes."""
    refuse_template(request, "slurm")
    return GroupTransport(
        "slurm", command_line(request, allocated()), request.nodes, request.start_timeout_s
    )


def allocated() -> tuple[str, ...]:
    """The nodes of the allocation of this process, in its order; empty outside an allocation."""
    text = os.environ.get(NODES_VARIABLE, "")
    return tuple(NodeSet(text, resolver=RESOLVER_NOGROUP)) if text else ()


def command_line(request: LaunchRequest, nodes: tuple[str, ...]) -> list[str]:
    """The command of the step in the allocation with these nodes.

    `--overlap` shares the allocation with the step that runs Seatrial. `--wait=0` and
    `--kill-on-bad-exit=0` let the other tasks continue when one ends.
    """
    count = len(request.nodes)
    if not nodes:
        raise RunError(
            f"{NODES_VARIABLE} is not set: this is no allocation of Slurm",
            START_ONE.format(count=count),
        )
    if len(nodes) < count:
        raise RunError(
            f"the study has {count} nodes, the allocation {len(nodes)}",
            START_ONE.format(count=count),
        )
    return [
        "srun",
        "--overlap",
        f"--nodes={count}",
        f"--ntasks={count}",
        "--ntasks-per-node=1",
        "--wait=0",
        "--kill-on-bad-exit=0",
        "--mpi=none",
        *_selected(request.nodes, nodes),
        *request.arguments,
        *request.agent_command,
    ]


def _selected(requested: tuple[str, ...], nodes: tuple[str, ...]) -> list[str]:
    """The option that selects the nodes: by their names, or else the first ones."""
    missing = [name for name in requested if name not in nodes]
    if not missing:
        return [f"--nodelist={','.join(requested)}"]
    if len(missing) < len(requested):
        raise RunError(
            f"not in this allocation: {fold(missing)}",
            f"allocate them (salloc -w {fold(requested)}), or give all nodes of the study names "
            "that no machine has",
        )
    return [f"--nodelist={','.join(nodes[: len(requested)])}"]
