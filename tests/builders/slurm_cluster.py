"""A Slurm cluster on this machine: one controller and a daemon for each of four nodes, in one
folder.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.builders.ordinary import Account

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "salloc", "scancel", "sinfo")
NODES = ("n1", "n2", "n3", "n4")
FIRST_PORT = 17817
UP_WITHIN_S = 60
CONFIGURATION = """\
ClusterName=seatrial
{login}
SlurmctldPort={port}
AuthType=auth/munge
AuthInfo=socket={socket}
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
KillWait=5
TreeWidth=1000
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
{nodes}
PartitionName=test Nodes={names} Default=YES MaxTime=60 State=UP
"""
NODES_OF_ONE_HOST = """\
NodeName={names} NodeHostname={host} NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs=2 State=UNKNOWN
"""


def is_possible() -> bool:
    """Whether the programs exist, and this process may start jobs for other users."""
    return os.getuid() == 0 and all(shutil.which(name) for name in PROGRAMS)


@dataclass(frozen=True)
class Cluster:
    """The running daemons."""

    folder: Path

    @property
    def variable(self) -> str:
        """NAME=VALUE, by which the commands of Slurm find the daemons."""
        return f"SLURM_CONF={self.folder}/slurm.conf"

    def run(self, *words: str) -> str:
        """The output of a command of Slurm, as root."""
        name, _, value = self.variable.partition("=")
        environment = {**os.environ, name: value}
        return subprocess.run(
            words, env=environment, capture_output=True, text=True, check=True
        ).stdout

    def is_idle(self) -> bool:
        """Whether every node is up and has no job."""
        with suppress(subprocess.CalledProcessError):
            return self.run("sinfo", "-h", "-N", "-o", "%T").split() == ["idle"] * len(NODES)
        return False


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Start the daemons; end them, and remove their folder, afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="seatrial-slurm-", dir="/dev/shm"))
    folder.chmod(0o755)
    made = Cluster(folder)
    try:
        _start(folder)
        limit_s = time.monotonic() + UP_WITHIN_S
        while not made.is_idle():
            assert time.monotonic() < limit_s, (folder / "slurmctld.log").read_text()
            time.sleep(0.2)
        yield made
    finally:
        for path in (*folder.glob("*.pid"), folder / "munge" / "pid"):
            with suppress(OSError, ValueError):
                os.kill(int(path.read_text()), signal.SIGTERM)
        await_end(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _start(folder: Path) -> None:
    for name in ("state", *NODES):
        (folder / name).mkdir(mode=0o755)
    start_munge(folder)
    host = os.uname().nodename.partition(".")[0]
    last_port = FIRST_PORT + len(NODES)
    nodes = NODES_OF_ONE_HOST.format(
        names=",".join(NODES), host=host, first=FIRST_PORT + 1, last=last_port
    )
    configuration = folder / "slurm.conf"
    configuration.write_text(
        CONFIGURATION.format(
            login=f"SlurmctldHost={host}(127.0.0.1)",
            port=FIRST_PORT,
            socket=f"{folder}/munge/socket",
            folder=folder,
            nodes=nodes.strip(),
            names=",".join(NODES),
        )
    )
    subprocess.run(["slurmctld", "-f", configuration], check=True, capture_output=True)
    # In one mount namespace in which users reach the interpreter: nodes of one namespace are one
    # machine.
    root = Account("root", folder)
    daemons = "\n".join(
        f"{shutil.which('slurmd')} -f {configuration} -N {name} || exit 1" for name in NODES
    )
    subprocess.run(
        root.argv(("sh", "-c", daemons)), env=root.environment(), check=True, capture_output=True
    )


def start_munge(folder: Path) -> bytes:
    """Start munged in `folder`/munge; the result is its key."""
    place = folder / "munge"
    place.mkdir(mode=0o755)
    key = os.urandom(128)
    key_file = place / "key"
    key_file.write_bytes(key)
    key_file.chmod(0o400)
    options = [
        f"--socket={place}/socket",
        f"--key-file={key_file}",
        f"--pid-file={place}/pid",
        f"--log-file={place}/log-file",
        f"--seed-file={place}/seed-file",
    ]
    subprocess.run(["munged", "--force", *options], check=True, capture_output=True)
    return key


def await_end(folder: Path) -> None:
    """Wait until the daemons have removed their pid files."""
    limit_s = time.monotonic() + UP_WITHIN_S
    while any(folder.glob("*.pid")) and time.monotonic() < limit_s:
        time.sleep(0.1)
