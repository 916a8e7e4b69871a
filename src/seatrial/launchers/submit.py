"""A run as a batch job of Slurm: a script that a user can read, submitted and waited for."""

import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.basics.node_sets import expand, fold

SINFO_TIMEOUT_S = 30.0
INSTALL = "run this on a login node of the cluster"


@dataclass(frozen=True)
class BatchJob:
    """A run that a batch job executes."""

    study_id: str
    nodes: tuple[str, ...]
    command: tuple[str, ...]
    """the run itself, on the first node of the allocation"""
    folder: Path
    """the working folder, which the first node must see too"""
    output: Path
    """receives what the run prints"""


def batch_script(job: BatchJob, *, names_exist: bool) -> str:
    """The text of the script; `names_exist`: the nodes of the study are nodes of the cluster.

    sbatch reads the partition, the account and the time limit from SBATCH_PARTITION, SBATCH_ACCOUNT
    and SBATCH_TIMELIMIT (sbatch(1), "INPUT ENVIRONMENT VARIABLES").
    """
    chosen = f"#SBATCH --nodelist={fold(job.nodes)}\n" if names_exist else ""
    return (
        "#!/bin/sh\n"
        f"#SBATCH --job-name=seatrial-{job.study_id}\n"
        f"#SBATCH --nodes={len(job.nodes)}\n"
        f"{chosen}"
        "#SBATCH --exclusive\n"
        f"#SBATCH --chdir={job.folder}\n"
        f"#SBATCH --output={job.output}\n"
        f"exec {shlex.join(job.command)}\n"
    )


def nodes_of_cluster() -> frozenset[str]:
    """The names of all nodes; RunError without Slurm."""
    argv = ["sinfo", "--noheader", "--Node", "--format=%N"]
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=SINFO_TIMEOUT_S, check=False
        )
    except FileNotFoundError:
        raise RunError("sinfo is missing: this machine has no Slurm", INSTALL) from None
    except subprocess.TimeoutExpired:
        raise RunError(f"sinfo does not answer within {SINFO_TIMEOUT_S:.0f} s") from None
    if done.returncode:
        raise RunError(f"sinfo: {done.stderr.strip()}")
    return frozenset(name for line in done.stdout.split() for name in expand(line))


def submit(script: Path, say: Callable[[str], None]) -> int:
    """Submit a script and wait for the end of its job; returns the exit code of the job.

    An interrupted wait does not end the job. RunError when Slurm refuses the script.
    """
    argv: Sequence[str] = ("sbatch", "--parsable", "--wait", str(script))
    try:
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise RunError("sbatch is missing: this machine has no Slurm", INSTALL) from None
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        number = process.stdout.readline().strip().partition(";")[0]
        if not number:
            raise RunError(f"sbatch: {process.stderr.read().strip()}")
        say(f"job {number} is submitted; its script: {script}")
        try:
            return process.wait()
        except BaseException:
            process.terminate()
            say(f"job {number} is not ended; to end it: scancel {number}")
            raise
