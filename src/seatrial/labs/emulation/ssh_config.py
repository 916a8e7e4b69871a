"""The ssh configuration for a lab's nodes, from outside its namespaces."""

from pathlib import Path

from seatrial.labs.emulation.image import Image
from seatrial.labs.emulation.supervisor_spec import SupervisorSpec
from seatrial.transport import CONNECT_TIMEOUT_S


def ssh_config(folder: Path, spec: SupervisorSpec, image: Image, supervisor_pid: int) -> str:
    """The file for `ssh -F`; every connection enters the namespaces of the supervisor's process."""
    head = f"# Lab {spec.name}: ssh -F {folder}/ssh_config NODE (scp, rsync -e and others alike)\n"
    hosts = "".join(
        f"Host {node.name}\n  HostName {node.interfaces[0].address}\n" for node in spec.nodes
    )
    enter = f"nsenter --preserve-credentials --user --net --pid --target {supervisor_pid}"
    # All nodes share a few cores at boot: of 64, one took more than 20 s for an ssh handshake.
    timeout_s = max(CONNECT_TIMEOUT_S, len(spec.nodes))
    # Keepalive of one minute: when labs share two cores, a node may not answer for that long.
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
