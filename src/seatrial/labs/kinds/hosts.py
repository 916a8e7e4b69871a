"""Lab `hosts`: real machines, by name, over the user's own ssh. Nothing is made, cut or taken down here.

`lab: {kind: hosts}` uses the user's ssh configuration; `ssh_config: PATH` (from the study's folder) another one. The
node `localhost` is the machine at hand, without ssh. `sudo: true`: a login of its own becomes root there, by sudo.
Disks are named: `disks: {count: 2, devices: [/dev/sdb, /dev/sdc]}`. Rates are those of the machines: they are the
prediction's input and shape nothing. A lab that is up is a set of hosts like any other, through its ssh_config.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from seatrial.basics.errors import RunError
from seatrial.basics.node_sets import fold
from seatrial.basics.schema import Model
from seatrial.labs.base import location, options_of, site_node
from seatrial.labs.emulation.runtime import is_of_a_lab
from seatrial.plan.site import Site, SiteBmc, SiteOutlet
from seatrial.study.study import Study
from seatrial.transport import HERE, Completed, OpenSsh, Transport, on_every

NEEDED = (
    "every node must let you in as root over ssh, without a password; the machine at hand needs no ssh where the study "
    "calls it localhost, and Seatrial runs as root; where root may not log in, a login of its own can do it by sudo: "
    "lab: {kind: hosts, sudo: true}"
)
SUDOERS = "LOGIN ALL=(root) NOPASSWD: /bin/sh"
NEEDED_BY_SUDO = (
    f"sudo has to make the login root there without a password: in /etc/sudoers.d/seatrial, by visudo: {SUDOERS}; "
    "docs/real-hosts.md has the whole file"
)
SUDO_SAYS = (
    (r"(password|authentication) is required", "sudo asks for a password there, or does not know this login"),
    (r"must have a tty", "sudo wants a terminal there (requiretty): Defaults:LOGIN !requiretty in sudoers mends it"),
    (r"not in the sudoers|may not run sudo|not allowed to", "sudo does not let this login be root there"),
    (r"(?i)sudo: (command )?not found|command not found: sudo|unknown command:? sudo", "there is no sudo there"),
    (r"Unmatched", "the login's shell is none that takes commands as sh does; give it sh, bash, dash, ksh or zsh"),
    (
        r"no new privileges|nosuid|setuid|owned by uid 0",
        "sudo cannot make anybody root there, as in a container without that right",
    ),
)
"""what is found in its words, or in those of a login's shell -> what that means"""

HARMLESS = {
    "addressfamily", "batchmode", "bindaddress", "bindinterface", "ciphers", "compression", "connectionattempts",
    "connecttimeout", "host", "hostkeyalgorithms", "hostkeyalias", "hostname", "identitiesonly", "identityfile",
    "kexalgorithms", "loglevel", "macs", "port", "preferredauthentications", "pubkeyauthentication",
    "serveralivecountmax", "serveraliveinterval", "tcpkeepalive", "user",
}  # fmt: skip
"""ssh_config(5): what names a host, a key or a time; none that runs a command, loads a library, reads another file or
trusts a host that is not known"""
WHO = "id -u; cat /proc/sys/kernel/random/boot_id; readlink /proc/1/ns/mnt"


class Options(Model):
    """`lab: {kind: hosts, ssh_config: PATH, sudo: true}`."""

    kind: str = Field(description="Selects this environment.")
    ssh_config: Path | None = Field(
        None,
        description="An OpenSSH configuration file, relative to the folder of the study. By default that of the user.",
    )
    sudo: bool = Field(
        False,
        description="Log in as an unprivileged user and run each command by `sudo -n /bin/sh -c`, on `localhost` too.",
    )


class HostsLab:
    """Machines that are there already."""

    kind = "hosts"

    def __init__(self, ssh_config: Path | None, *, sudo: bool = False) -> None:
        self._ssh_config = ssh_config
        self._transport = OpenSsh(ssh_config, sudo=sudo)

    @property
    def ssh_config(self) -> Path | None:
        """The study's, or None for the user's own."""
        return self._ssh_config

    @property
    def transport(self) -> OpenSsh:
        """As root: by root's login or, where the study says so, by sudo."""
        return self._transport

    def down(self) -> None:
        """Nothing: the machines are not ours."""

    def facts(self) -> dict[str, Any]:
        """Only the kind: the nodes' own facts are gathered over ssh."""
        return {"kind": "hosts"}


def _ssh_config(study: Study) -> Path | None:
    path = options_of(Options, study).ssh_config
    if path is None:
        return None
    path = study.source.path.absolute().parent / path.expanduser()
    if not path.is_file():
        raise study.mistake(("lab", "ssh_config"), f"{path}: no such file")
    if not is_of_a_lab(path):
        _require_harmless(study, path)
    return path


def _require_harmless(study: Study, path: Path) -> None:
    """InputError where a file that a study brings says more than whom to reach, and how: ssh runs commands for some.

    That of a lab of this user's, which has a ProxyCommand, was written by Seatrial.
    """
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        keyword = re.split(r"[\s=]", line.strip(), maxsplit=1)[0].strip('"')
        if keyword and not keyword.startswith("#") and keyword.lower() not in HARMLESS:
            raise study.mistake(
                ("lab", "ssh_config"),
                f"{path}:{number}: {keyword!r} is not taken from a study's file: ssh may run a command here for it, or "
                "trust more; write it into your own ~/.ssh/config, and leave ssh_config out",
            )


def site(study: Study) -> Site:
    """Devices and addresses as the study names them; no scale."""
    options_of(Options, study)
    nodes = {}
    for name in study.node_names():
        node = study.node(name)
        if name == HERE and len(study.node_names()) > 1 and not (node.address or node.addresses):
            raise study.mistake(location(study, name), "other nodes know it by another name: say its address")
        if node.disks is not None and node.disks.devices is None:
            raise study.mistake(
                location(study, name, "disks"), "on real hosts the disks must be named: devices: [/dev/disk/by-id/...]"
            )
        nodes[name] = site_node(
            study,
            name,
            1.0,
            address=node.address or name,
            devices=node.disks.devices or () if node.disks else (),
            devices_hold_zeros=False,
            networks=_networks(study, name),
            bmc=_bmc(study, name),
            outlets=_outlets(study, name),
        )
    return Site("hosts", 1.0, nodes, study.data_network, *study.mtus())


def _networks(study: Study, name: str) -> dict[str, str]:
    """The data network, and every other of which the study tells the node's address."""
    attached, node = study.networks_of(name), study.node(name)
    data = study.data_network if study.data_network in attached else next(iter(attached), None)
    told = {network: _named(text, name) for network, text in node.addresses.items() if network in attached}
    return ({data: node.address or name} if data and not told else {}) | told


def _named(text: str, node: str) -> str:
    """An address of a node set: `{node}` stands for each node's name."""
    return text.replace("{node}", node)


def _bmc(study: Study, name: str) -> SiteBmc | None:
    """As the study names it; nothing is guessed of what can switch a machine off."""
    bmc = study.node(name).bmc
    if bmc is None:
        return None
    for key in ("address", "user", "password_file"):
        if getattr(bmc, key) is None:
            raise study.mistake(location(study, name, "bmc"), f"on real hosts the controller needs its {key}")
    return SiteBmc(_named(str(bmc.address), name), str(bmc.user), password_file=bmc.password_file)


def _outlets(study: Study, name: str) -> tuple[SiteOutlet, ...]:
    found = []
    for pdu_name, outlet in study.outlets(name).items():
        pdu = study.pdus[pdu_name]
        for key in ("address", "community_file", "outlets"):
            if getattr(pdu, key) is None:
                raise study.mistake(("pdus", pdu_name), f"on real hosts the PDU needs its {key}")
        found.append(SiteOutlet(pdu_name, str(pdu.address), outlet, community_file=pdu.community_file))
    return tuple(found)


def find(study: Study, name: str) -> HostsLab:  # noqa: ARG001 - the protocol of every kind of lab
    """The hosts; RunError names every one that ssh does not reach or that lets us do nothing."""
    sudo = options_of(Options, study).sudo
    lab = HostsLab(_ssh_config(study), sudo=sudo)
    answers = on_every(study.node_names(), lambda node: _reached(lab.transport, node, sudo=sudo))
    refused = {node: answer.reason for node, answer in answers.items() if answer.reason}
    if refused:
        raise RunError("\n".join(folded_reasons(refused)), NEEDED_BY_SUDO if sudo else NEEDED)
    _require_different({node: answer.machine for node, answer in answers.items()})
    return lab


@dataclass(frozen=True)
class _Answer:
    """Of a node: why it is of no use, or which machine it is: its boot, and its first process's view of the files.

    The reason does not begin with the node's name.

    Containers have the boot of the machine that they run on, and a view of their own.
    """

    reason: str = ""
    machine: str = ""


def _reached(transport: Transport, node: str, *, sudo: bool) -> _Answer:
    try:
        done = transport.run(node, f"{WHO}\n" if sudo else WHO, timeout_s=60)  # lines are too much for csh's quotes
    except RunError as error:
        return _Answer(str(error).removeprefix(f"{node}: "))
    user, _, machine = done.stdout.strip().partition("\n")
    if user == "0":
        return _Answer(machine=machine)
    if sudo:
        return _Answer(f"by sudo this is user {user}, not root" if user else _refused_by_sudo(done))
    return _Answer(f"this is not root but user {user}" if node == HERE else f"logged in as user {user}, not as root")


def folded_reasons(reasons: Mapping[str, str]) -> list[str]:
    """A line for each reason, led by the set of its nodes: `node[01-17]: ssh: Connection refused`.

    `reasons`: node -> its reason. Reasons that differ in the node's own name or address are the same: in the line of
    several nodes NODE stands for each of them. That of one node is printed as it is.
    """
    alike: dict[str, list[str]] = {}
    for node, reason in reasons.items():
        alike.setdefault(_without_node(node, reason), []).append(node)
    return [
        f"{nodes[0]}: {reasons[nodes[0]]}" if len(nodes) == 1 else f"{fold(nodes)}: {common}"
        for common, nodes in alike.items()
    ]


def _without_node(node: str, reason: str) -> str:
    """The reason with NODE for the node's name, and for the address that ssh gives instead of it."""
    named = re.sub(rf"(?<![\w.-]){re.escape(node)}(?![\w-])", "NODE", reason)
    return re.sub(r"(connect to host) \S+ (port)", r"\1 NODE \2", named)


def _refused_by_sudo(done: Completed) -> str:
    """In plain words where its own are known, and otherwise those."""
    for pattern, meaning in SUDO_SAYS:
        if re.search(pattern, done.stderr):
            return meaning
    said = (done.stderr.strip().splitlines() or [f"exit code {done.exit_code}"])[-1]
    return f"no root by sudo: {said.removeprefix('sudo: ')}"


def _require_different(machines: Mapping[str, str]) -> None:
    """RunError where two names are one machine: it would be deployed to twice, and be its own neighbour under load."""
    for machine in dict.fromkeys(filter(None, machines.values())):
        names = [node for node, its in machines.items() if its == machine]
        if len(names) > 1:
            raise RunError(
                f"{' and '.join(names)} are the same machine", "name each machine once, or correct its ssh address"
            )


def up(study: Study, *, name: str, **_for_machines_that_are_made: object) -> HostsLab:
    """The same as `find`: hosts are up already, and the plan installs what they lack."""
    return find(study, name)
