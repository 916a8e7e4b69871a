"""A cluster in the lab: an NFS server, nodes with the daemons of Slurm, an unprivileged account.

The machine is the login node: it runs slurmctld and the commands of the user inside the network
namespace of the lab. The set-up is the work of the site's administrators and has root; the user
has not.
"""

import base64
import json
import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.shipped import find_agent
from seatrial.labs.emulation.running_lab import lab_of
from seatrial.transport import on_every, put
from tests.builders.labs import SEATRIAL, Bench
from tests.builders.ordinary import Account
from tests.builders.slurm_cluster import CONFIGURATION, await_end, start_munge

PACKAGES = ("munge", "openmpi-bin", "slurmd")
UP_WITHIN_S = 300
NODE_SOCKET = "/run/munge-site/socket"
"""of munge"""
NODE_SPOOL = "/var/spool/slurmd-site"
JOIN = """\
set -e
useradd --no-create-home --home-dir {home} --uid {uid} {name}
install -d -m 755 -o {name} {home}
mkdir -p -m 755 /run/munge-site "/var/spool/slurmd-site/$(uname -n)"
# The agent of a user needs room for 64 MiB.
mount -o remount,size=128m /tmp
# A node without systemd: slurmd 22.05 needs a control group hierarchy, and its parent folder.
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p /sys/fs/cgroup/system.slice
printf 'CgroupPlugin=cgroup/v2\nIgnoreSystemd=yes\n' >/run/munge-site/cgroup.conf
echo {key} | base64 -d >/run/munge-site/key
chmod 400 /run/munge-site/key
munged --force --socket={socket} --key-file=/run/munge-site/key \\
    --pid-file=/run/munge-site/pid --log-file=/run/munge-site/log \\
    --seed-file=/run/munge-site/seed 3>&-
echo {configuration} | base64 -d >/run/munge-site/slurm.conf
slurmd -f /run/munge-site/slurm.conf -N "$(uname -n)" >/run/munge-site/slurmd 2>&1 3>&-
"""
"""sh on each node, as root"""


@dataclass(frozen=True)
class Cluster:
    """The running daemons, and the account."""

    bench: Bench
    user: Account
    folder: Path
    supervisor_pid: int
    login_address: str
    """of this machine, on the network on which it reaches the nodes"""

    @property
    def variables(self) -> tuple[str, ...]:
        """NAME=VALUE: the daemons of Slurm, and the address for the agents of Open MPI.

        The names of the nodes lead nowhere on this machine.
        """
        return (
            f"SLURM_CONF={self.folder}/slurm.conf",
            f"SEATRIAL_CONTROLLER_ADDRESS={self.login_address}",
        )

    @property
    def nodes(self) -> tuple[str, ...]:
        """The compute nodes."""
        return self.bench.solution.clients

    @property
    def directory(self) -> str:
        """The folder of the user on the NFS server, on every node."""
        return f"{self.bench.solution.directory}/{self.user.name}"

    @property
    def agent(self) -> str:
        """The agent in a shared folder of programs, on every node."""
        return f"{self.bench.solution.directory}/programs/seatrial-agent"

    def inside(self, words: Sequence[str]) -> list[str]:
        """The command line that runs `words` as root in the network of the lab."""
        return [*_enter(self.supervisor_pid), *words]

    def command_line(self, words: Sequence[str]) -> list[str]:
        """The command line that runs `words` as the user on the login node."""
        return self.inside(self.user.argv(words, variables=self.variables))

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Start `seatrial WORDS` as the user in an allocation of all nodes."""
        allocation = ("salloc", f"--nodes={len(self.nodes)}", "--quiet")
        return subprocess.Popen(
            self.command_line((*allocation, str(SEATRIAL), *words)),
            env=self.user.environment(),
            cwd=self.user.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run it to its end; stdout has both outputs."""
        process = self.start(*words)
        output, _ = process.communicate(timeout=900)
        return subprocess.CompletedProcess(process.args, process.returncode, output, "")

    def as_root(self, *words: str) -> str:
        """The output of a command of Slurm, as root."""
        done = subprocess.run(
            self.inside(words),
            env={**os.environ, "SLURM_CONF": f"{self.folder}/slurm.conf"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def is_idle(self) -> bool:
        """Whether every node is up and has no job."""
        with suppress(subprocess.CalledProcessError):
            states = self.as_root("sinfo", "-h", "-N", "-o", "%T").split()
            return states == ["idle"] * len(self.nodes)
        return False

    def await_idle(self) -> None:
        """Fails when a node does not come up, or keeps a job."""
        limit_s = time.monotonic() + UP_WITHIN_S
        while not self.is_idle():
            assert time.monotonic() < limit_s, self.as_root("sinfo", "-N", "-o", "%N %T %E")
            time.sleep(0.5)

    def processes(self) -> dict[str, str]:
        """Node -> the processes of the user on it, of the nodes that answer and have any."""
        listed = {
            node: self.bench.ssh.run(node, f"ps -u {self.user.name} -o args=").stdout
            for node in self.nodes
        }
        return {node: text for node, text in listed.items() if text.strip()}

    def files(self) -> str:
        """The files of the user in the directory that is measured."""
        return self.bench.ssh.run(self.nodes[0], f"ls -A {self.directory}").stdout


@contextmanager
def cluster(bench: Bench, user: Account, folder: Path) -> Iterator[Cluster]:
    """Start the daemons on the deployed lab; end those of this machine afterwards.

    `folder` is empty and every user can read it.
    """
    supervisor_pid = lab_of(bench.lab.folder).supervisor_pid
    addresses = _addresses(bench.lab.ssh_config)
    first_address = addresses[bench.solution.clients[0]]
    made = Cluster(bench, user, folder, supervisor_pid, _own_address(supervisor_pid, first_address))
    try:
        key = start_munge(folder)
        _start_controller(made, addresses)
        _join_nodes(made, addresses, key)
        _put_files(made)
        made.await_idle()
        yield made
    finally:
        for path in (*folder.glob("*.pid"), folder / "munge" / "pid"):
            with suppress(OSError, ValueError):
                os.kill(int(path.read_text()), signal.SIGTERM)
        await_end(folder)


def _start_controller(made: Cluster, addresses: Mapping[str, str]) -> None:
    """Start slurmctld on this machine."""
    folder = made.folder
    (folder / "state").mkdir(mode=0o755)
    text = _configuration(made, addresses, f"{folder}/munge/socket", str(folder))
    (folder / "slurm.conf").write_text(text)
    daemon = made.inside(("slurmctld", "-f", f"{folder}/slurm.conf"))
    subprocess.run(daemon, check=True, capture_output=True)


def _join_nodes(made: Cluster, addresses: Mapping[str, str], key: bytes) -> None:
    """Make the account on every node, and start munged and slurmd there."""
    script = JOIN.format(
        home=made.user.folder,
        uid=made.user.folder.stat().st_uid,
        name=made.user.name,
        key=base64.b64encode(key).decode(),
        socket=NODE_SOCKET,
        configuration=_encoded(_configuration(made, addresses, NODE_SOCKET, NODE_SPOOL)),
    )
    ssh = made.bench.ssh
    answers = on_every(made.nodes, lambda node: ssh.run(node, script, timeout_s=UP_WITHIN_S))
    failed = {node: done.stderr for node, done in answers.items() if done.exit_code}
    assert not failed, failed


def _put_files(made: Cluster) -> None:
    """The user's folder on the NFS server, and the agent in another folder."""
    node = made.nodes[0]
    command = shlex.join(("runuser", "-u", made.user.name, "--", "mkdir", made.directory))
    prepared = made.bench.ssh.run(node, command)
    assert prepared.exit_code == 0, prepared.stderr
    put(made.bench.ssh, node, find_agent().read_bytes(), made.agent)


def _configuration(
    made: Cluster, addresses: Mapping[str, str], munge_socket: str, spool_folder: str
) -> str:
    """slurm.conf of this machine or of a node."""
    host = os.uname().nodename.partition(".")[0]
    nodes = [
        f"NodeName={node} NodeAddr={addresses[node]} CPUs=1 State=UNKNOWN" for node in made.nodes
    ]
    return CONFIGURATION.format(
        login=f"SlurmctldHost={host}({made.login_address})",
        port=6817,
        socket=munge_socket,
        folder=spool_folder,
        nodes="\n".join(nodes),
        names=",".join(made.nodes),
    )


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _addresses(ssh_config: Path) -> dict[str, str]:
    """Node -> its address on the network on which the machine reaches the nodes."""
    text = ssh_config.read_text()
    names = re.findall(r"^Host ([^*\s]+)$", text, re.MULTILINE)
    addresses = re.findall(r"^ +HostName (\S+)$", text, re.MULTILINE)
    return dict(zip(names, addresses, strict=True))


def _own_address(supervisor_pid: int, node_address: str) -> str:
    """The address of this machine from which it reaches a node."""
    done = subprocess.run(
        (*_enter(supervisor_pid), "ip", "-j", "route", "get", node_address),
        capture_output=True,
        text=True,
        check=True,
    )
    return str(json.loads(done.stdout)[0]["prefsrc"])


def _enter(supervisor_pid: int) -> tuple[str, ...]:
    return ("nsenter", "--net", f"--target={supervisor_pid}")
