"""Lab `hosts`: real machines by name, over the user's own ssh. This module changes no machine.

`environment: {kind: hosts}` uses the user's ssh configuration; `ssh_config: PATH` (from the study's folder)
selects another one. The node `localhost` is this machine, without ssh. With `sudo: true` an
ordinary login becomes root by sudo. Disks are named: `disks: {count: 2, devices: [/dev/sdb,
/dev/sdc]}`. Rates are the machines' own: they are input of the prediction and limit nothing. A
running emulated lab can be used like hosts, through its ssh_config.
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
from seatrial.labs.node_state import ASK, NodeState, NotAvailable, not_available, state_of
from seatrial.plan.site import Site, SiteBmc, SiteOutlet
from seatrial.study.study import Study
from seatrial.transport import HERE, Completed, OpenSsh, Transport, on_every

NEEDED = (
    "every node must accept root over ssh without a password; this machine needs no ssh when the "
    "study calls it localhost and Seatrial runs as root; when root may not log in, "
    "an ordinary login can use sudo: environment: {kind: hosts, sudo: true}"
)
SUDOERS = "LOGIN ALL=(root) NOPASSWD: /bin/sh"
NEEDED_BY_SUDO = (
    "sudo must make the login root there without a password: "
    f"in /etc/sudoers.d/seatrial, by visudo: {SUDOERS}; docs/real-hosts.md has the whole file"
)
SUDO_SAYS = (
    (
        r"(password|authentication) is required",
        "sudo requires a password, or does not know this login",
    ),
    (
        r"must have a tty",
        "sudo requires a terminal (requiretty); add Defaults:LOGIN !requiretty to sudoers",
    ),
    (
        r"not in the sudoers|may not run sudo|not allowed to",
        "sudo does not let this login become root",
    ),
    (
        r"(?i)sudo: (command )?not found|command not found: sudo|unknown command:? sudo",
        "sudo is not installed",
    ),
    (
        r"Unmatched",
        "the login's shell does not accept sh syntax; use sh, bash, dash, ksh or zsh",
    ),
    (
        r"no new privileges|nosuid|setuid|owned by uid 0",
        "sudo cannot make any login root, as in a container without that privilege",
    ),
)
"""pattern of an error of sudo or of a login's shell -> its meaning"""

HARMLESS = {
    "addressfamily", "batchmode", "bindaddress", "bindinterface", "ciphers", "compression", "connectionattempts",
    "connecttimeout", "host", "hostkeyalgorithms", "hostkeyalias", "hostname", "identitiesonly", "identityfile",
    "kexalgorithms", "loglevel", "macs", "port", "preferredauthentications", "pubkeyauthentication",
    "serveralivecountmax", "serveraliveinterval", "tcpkeepalive", "user",
}  # fmt: skip
"""Options of ssh_config(5) with a host, a key or a time.

None of them runs a command, loads a library, reads another file or trusts an unknown host.
"""
WHO = "id -u; cat /proc/sys/kernel/random/boot_id; readlink /proc/1/ns/mnt 2>/dev/null || readlink /proc/self/ns/mnt"
"""only root can read the namespace of the first process; a user's own one is nearly always the same"""
KINDS_WITHOUT_ROOT = frozenset({"mount"})
"""solutions that change nothing but the user's own files"""
NEEDED_BY_USER = (
    "every node must accept your login over ssh without a password; try: ssh NODE true; the node localhost needs no ssh"
)


ROOT_ID = "0"


class Options(Model):
    """`environment: {kind: hosts, ssh_config: PATH, sudo: true}`."""

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
    """Existing machines."""

    kind = "hosts"

    def __init__(self, ssh_config: Path | None, *, sudo: bool = False) -> None:
        self.node_state: NodeState | None = None
        self.not_available: tuple[NotAvailable, ...] = ()
        self._ssh_config = ssh_config
        self._transport = OpenSsh(ssh_config, sudo=sudo)

    @property
    def ssh_config(self) -> Path | None:
        """The study's file, or None for the user's own configuration."""
        return self._ssh_config

    @property
    def transport(self) -> OpenSsh:
        """Access as root: by root's login or, when the study requests it, by sudo."""
        return self._transport

    def down(self) -> None:
        """Nothing: existing machines stay up."""

    def facts(self) -> dict[str, Any]:
        """Only the kind: facts of nodes are read over ssh."""
        return {"kind": "hosts"}


def _ssh_config(study: Study) -> Path | None:
    path = options_of(Options, study).ssh_config
    if path is None:
        return None
    path = study.source.path.absolute().parent / path.expanduser()
    if not path.is_file():
        raise study.mistake(("environment", "ssh_config"), f"{path}: no such file")
    if not is_of_a_lab(path):
        _require_harmless(study, path)
    return path


def _require_harmless(study: Study, path: Path) -> None:
    """InputError when a study's file contains more than hosts, keys and times.

    ssh runs commands for some options. The file of a lab of this user has a ProxyCommand and is
    accepted, because Seatrial has written it.
    """
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        keyword = re.split(r"[\s=]", line.strip(), maxsplit=1)[0].strip('"')
        if keyword and not keyword.startswith("#") and keyword.lower() not in HARMLESS:
            raise study.mistake(
                ("environment", "ssh_config"),
                f"{path}:{number}: {keyword!r} is not accepted in a study's file: ssh might run a "
                "command for it, or trust more; move it to ~/.ssh/config, and leave ssh_config out",
            )


def site(study: Study) -> Site:
    """Devices and addresses as the study names them; the scale is 1."""
    options_of(Options, study)
    nodes = {}
    for name in study.node_names():
        node = study.node(name)
        if name == HERE and len(study.node_names()) > 1 and not (node.address or node.addresses):
            problem = "other nodes know it by another name: add its address"
            raise study.mistake(location(study, name), problem)
        if node.disks is not None and node.disks.devices is None:
            raise study.mistake(
                location(study, name, "disks"),
                "on real hosts name the disks: devices: [/dev/disk/by-id/...]",
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
    """Network -> address: the data network, and every other network with an address."""
    attached, node = study.networks_of(name), study.node(name)
    data = study.data_network if study.data_network in attached else next(iter(attached), None)
    given = {net: _named(text, name) for net, text in node.addresses.items() if net in attached}
    return ({data: node.address or name} if data and not given else {}) | given


def _named(text: str, node: str) -> str:
    """An address of a node set, in which `{node}` is replaced by the node's name."""
    return text.replace("{node}", node)


def _bmc(study: Study, name: str) -> SiteBmc | None:
    """The controller as the study describes it; without defaults, as it can power a machine off."""
    bmc = study.node(name).bmc
    if bmc is None:
        return None
    for key in ("address", "user", "password_file"):
        if getattr(bmc, key) is None:
            raise study.mistake(location(study, name, "bmc"), f"on real hosts the controller needs its {key}")
    return SiteBmc(_named(str(bmc.address), name), str(bmc.user), password_file=bmc.password_file)


def _outlets(study: Study, name: str) -> tuple[SiteOutlet, ...]:
    outlets = []
    for pdu_name, outlet in study.outlets(name).items():
        pdu = study.pdus[pdu_name]
        for key in ("address", "community_file", "outlets"):
            if getattr(pdu, key) is None:
                raise study.mistake(("pdus", pdu_name), f"on real hosts the PDU needs its {key}")
        outlets.append(
            SiteOutlet(pdu_name, str(pdu.address), outlet, community_file=pdu.community_file),
        )
    return tuple(outlets)


def find(study: Study, name: str) -> HostsLab:  # noqa: ARG001 - the protocol of every kind of lab
    """The hosts; RunError names every host that ssh cannot reach or that denies a needed root."""
    sudo = options_of(Options, study).sudo
    needs_root = sudo or study.solution.kind not in KINDS_WITHOUT_ROOT
    lab = HostsLab(_ssh_config(study), sudo=sudo)

    def reached(node: str) -> _Answer:
        return _reached(lab.transport, node, sudo=sudo, needs_root=needs_root)

    answers = on_every(study.node_names(), reached)
    refused = {node: answer.reason for node, answer in answers.items() if answer.reason}
    if refused:
        needed = NEEDED_BY_SUDO if sudo else NEEDED if needs_root else NEEDED_BY_USER
        raise RunError("\n".join(folded_reasons(refused)), needed)
    _require_different({node: answer.machine for node, answer in answers.items()})
    _use_as_user(lab, study, {node: answer.user for node, answer in answers.items()})
    return lab


def _use_as_user(lab: HostsLab, study: Study, users: Mapping[str, str]) -> None:
    """Find the places of an ordinary user's files, where any node is used without root.

    `users`: node -> the id of the user there. RunError when the nodes know several users: one could
    not write to the folder of another.
    """
    of_users: dict[str, list[str]] = {}
    for node, user in users.items():
        of_users.setdefault(user, []).append(node)
    if set(of_users) == {ROOT_ID}:
        return
    if len(of_users) > 1:
        found = "; ".join(f"{fold(nodes)}: user {user}" for user, nodes in of_users.items())
        raise RunError(f"the login is not the same user on every node: {found}", "use one login on all nodes")
    answers = on_every(users, lambda node: lab.transport.run(node, ASK).stdout)
    lab.node_state = state_of(answers, str(study.solution.options().get("directory", "")))
    lab.not_available = not_available(tuple(users), answers)


@dataclass(frozen=True)
class _Answer:
    """Why a node cannot be used, or which machine it is.

    The reason does not begin with the node's name.

    A machine is identified by its boot id and the mount namespace of its first process. Containers
    share the boot id of their machine, but have different mount namespaces.
    """

    reason: str = ""
    machine: str = ""
    user: str = ""
    """the id of the user who runs the commands"""


def _reached(transport: Transport, node: str, *, sudo: bool, needs_root: bool) -> _Answer:
    try:
        # csh cannot quote several lines.
        done = transport.run(node, f"{WHO}\n" if sudo else WHO, timeout_s=60)
    except RunError as error:
        return _Answer(str(error).removeprefix(f"{node}: "))
    user, _, machine = done.stdout.strip().partition("\n")
    if user == ROOT_ID or (user.isdigit() and not needs_root):
        return _Answer(machine=machine, user=user)
    if sudo:
        return _Answer(f"by sudo this is user {user}, not root" if user else _refused_by_sudo(done))
    if not user.isdigit():
        lines = done.stderr.strip().splitlines() or [f"exit code {done.exit_code}"]
        return _Answer(f"the login runs no command: {lines[-1]}")
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
    """Why sudo failed: the meaning of a known message, or the last line of its output."""
    for pattern, meaning in SUDO_SAYS:
        if re.search(pattern, done.stderr):
            return meaning
    lines = done.stderr.strip().splitlines()
    last = lines[-1] if lines else f"exit code {done.exit_code}"
    return f"no root by sudo: {last.removeprefix('sudo: ')}"


def _require_different(machines: Mapping[str, str]) -> None:
    """RunError when two names are one machine, which would be deployed twice."""
    for machine in dict.fromkeys(filter(None, machines.values())):
        names = [node for node, its in machines.items() if its == machine]
        if len(names) > 1:
            raise RunError(
                f"{' and '.join(names)} are the same machine",
                "name each machine once, or correct its ssh address",
            )


def up(study: Study, *, name: str, **_for_machines_that_are_made: object) -> HostsLab:
    """The same as `find`: hosts are up, and the plan installs missing packages."""
    return find(study, name)
