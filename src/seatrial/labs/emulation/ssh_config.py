"""The ssh configuration by which the nodes of a lab are reached from outside its namespaces."""

from pathlib import Path

from seatrial.labs.emulation.image import Image
from seatrial.labs.emulation.supervisor_spec import SupervisorSpec
from seatrial.transport import CONNECT_TIMEOUT_S


def ssh_config(folder: Path, spec: SupervisorSpec, image: Image, supervisor_pid: int) -> str:
    """The file that `ssh -F` takes; every connection enters the lab's namespaces by the supervisor's process id."""
    head = f"# Lab {spec.name}: ssh -F {folder}/ssh_config NODE (scp, rsync -e and others alike)\n"
    hosts = "".join(f"Host {node.name}\n  HostName {node.interfaces[0].address}\n" for node in spec.nodes)
    enter = f"nsenter --preserve-credentials --user --net --pid --target {supervisor_pid}"
    # They boot on two cores or so: of 64, one took more than 20 s for the handshake of a connection.
    timeout_s = max(CONNECT_TIMEOUT_S, len(spec.nodes))
    # A minute without an answer ends a connection: where labs share two cores, a node may have none for so long.
    common = f"""Host *
  ConnectTimeout {timeout_s}
  User root
  IdentityFile {image.client_key}
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  HostKeyAlias seatrial-lab
  StrictHostKeyChecking yes
  ProxyCommand {enter} nc %h %p
  ControlMaster auto
  ControlPath {folder}/ssh-%n
  ControlPersist 600
  ServerAliveInterval 5
  ServerAliveCountMax 12
  LogLevel ERROR
"""
    return head + hosts + common
