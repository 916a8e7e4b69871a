"""Lab `hosts`: real machines by name, over the user's own ssh. This module changes no machine.

`environment: {kind: hosts}` uses the user's ssh configuration; `ssh_config: PATH` (from the study's
folder) selects another one. The node `localhost` is this machine, without ssh. With `sudo: true` an
ordinary login becomes root by sudo. Disks are named: `disks: {count: 2, devices: [/dev/sdb,
/dev/sdc]}`. Rates are the machines' own: they are input of the prediction and limit nothing. A
running emulated lab can be used like hosts, through its ssh_config.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from seatrial.basics.errors import RunError, not_known
from seatrial.basics.node_sets import fold
from seatrial.basics.schema import Duration, Model
from seatrial.basics.shipped import find_agent
from seatrial.basics.text import Name
from seatrial.labs.base import RemoteCommand, location, options_of, site_edges, site_node
from seatrial.labs.host_power import HostPower, check_power
from seatrial.labs.host_ssh_config import file_of
from seatrial.labs.host_sudo import refused_by_sudo
from seatrial.labs.node_state import ASK, NodeState, NotAvailable, not_available, state_of
from seatrial.launchers.base import GroupOfTasks, LaunchRequest, launcher_named, launcher_names
from seatrial.plan.site import Site, SiteBmc, SiteOutlet
from seatrial.plan.solution_kinds import needs_root
from seatrial.plan.traits import REAL
from seatrial.study.study import Study
from seatrial.transport import HERE, Local, OpenSsh, Transport, on_every

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
WHO = (
    "id -u; cat /proc/sys/kernel/random/boot_id; readlink /proc/1/ns/mnt 2>/dev/null || readlink"
    " /proc/self/ns/mnt"
)
"""only root can read the namespace of the first process; a user's own one is nearly always the same
"""
TRAITS = REAL
NEEDED_BY_USER = (
    "every node must accept your login over ssh without a password; try: ssh NODE true; the node"
    " localhost needs no ssh"
)


NO_POWER_CONTROL = (
    "on real hosts a power fault needs environment.power_control, a second machine that restores "
    "the power if this one fails"
)
ROOT_ID = "0"
SSH = "ssh"
"""the launcher that connects to each node"""


class Options(Model):
    """`environment: {kind: hosts, ssh_config: PATH, sudo: true}`."""

    kind: str = Field(description="Selects this environment.")
    ssh_config: Path | None = Field(
        None,
        description=(
            "An OpenSSH configuration file, relative to the folder of the study. By default that of"
            " the user."
        ),
    )
    sudo: bool = Field(
        False,
        description=(
            "Log in as an unprivileged user and run each command by `sudo -n /bin/sh -c`, on"
            " `localhost` too."
        ),
    )
    launcher: str = Field(
        SSH,
        description=(
            "`ssh`, or a launcher that starts one job step without ssh, for `kind: mount`."
        ),
    )
    launcher_arguments: tuple[str, ...] = Field(
        (),
        description=(
            "Options added to the command line of the launcher, such as `[--cpu-bind=none]`."
        ),
    )
    command: str | None = Field(
        None,
        description=(
            "Command line of `launcher: command`, with `{command}`, `{nodes}` (their number) and "
            "`{nodelist}` (their names)."
        ),
    )
    agent: Path | None = Field(
        None,
        description=(
            "Path of `seatrial-agent` on every node. By default that of the installation, in a"
            " shared folder."
        ),
    )
    start_timeout: Duration = Field(
        10.0,
        gt=0,
        description="Maximum time from the start of a job step until every agent has answered.",
    )
    power_control: Name | None = Field(
        None,
        description=(
            "Required for power faults: a second machine that reaches the nodes' controllers, and"
            " restores the power if this one fails."
        ),
    )
    oversubscribe: bool = Field(
        False,
        description=(
            "Accept several nodes on one machine. Only for tests: such nodes share every limit."
        ),
    )


class HostsLab:
    """Existing machines."""

    kind = "hosts"
    subject = "on real hosts Seatrial"

    def __init__(
        self,
        ssh_config: Path | None,
        *,
        sudo: bool = False,
        launcher: str = SSH,
        transport: Transport | None = None,
        power: HostPower | None = None,
    ) -> None:
        """`transport`: that of the launcher; by default ssh to each node."""
        self._power = power
        self.node_state: NodeState | None = None
        self.not_available: tuple[NotAvailable, ...] = ()
        self.machines: Mapping[str, str] = {}
        """node -> the machine that it is"""
        self._ssh_config = ssh_config
        self._launcher = launcher
        self._transport = transport or OpenSsh(ssh_config, sudo=sudo)

    @property
    def ssh_config(self) -> Path | None:
        """The study's file, or None for the user's own configuration."""
        return self._ssh_config

    @property
    def transport(self) -> Transport:
        """Access by the launcher: by ssh as the login or by sudo, or by a step as the user."""
        return self._transport

    def different_machines(self, nodes: Sequence[str]) -> tuple[str, ...]:
        """The first of these nodes on each machine; all of them where machines are unknown."""
        first_of: dict[str, str] = {}
        for node in nodes:
            first_of.setdefault(self.machines.get(node, node), node)
        return tuple(first_of.values())

    def site_transport(self, host: str) -> Transport:
        """See `seatrial.labs.base.SiteHosts`: without sudo, and without a launcher."""
        return Local() if host == HERE else OpenSsh(self._ssh_config)

    def site_command_line(self, host: str, command: str) -> str:
        """See `seatrial.labs.base.SiteHosts`."""
        if host == HERE:
            return command
        return OpenSsh(self._ssh_config).command_line(host, command)

    def power_problem(self, node: str, state: str) -> str | None:
        """See `seatrial.labs.base.PowerByControllers`."""
        if self._power is None:
            return NO_POWER_CONTROL
        return self._power.problem(node, state)

    def power(self, node: str, state: str) -> None:
        """See `seatrial.labs.base.PowerControl`."""
        if self._power is None:
            raise RunError(f"{node}: {self.power_problem(node, state)}")
        self._power.set(node, state)

    def power_timer(self, node: str) -> RemoteCommand:
        """See `seatrial.labs.base.PowerByControllers`."""
        if self._power is None:
            raise RunError(f"{node}: {self.power_problem(node, 'on')}")
        return RemoteCommand(
            self._power.machine, self._power.transport, self._power.restoring(node)
        )

    def leave(self) -> None:
        """End the step of a launcher; ssh has nothing to close."""
        if isinstance(self._transport, GroupOfTasks):
            self._transport.close()

    def down(self) -> None:
        """Nothing: existing machines stay up."""

    def facts(self) -> dict[str, Any]:
        """The kind, and for a step of a launcher its command and the host of each node."""
        if not isinstance(self._transport, GroupOfTasks):
            return {"kind": "hosts"}
        hosts = {node: task.host for node, task in self._transport.tasks.items()}
        step = {"launcher": self._launcher, "launcher_command": self._transport.command_line}
        return {"kind": "hosts", **step, "hosts": hosts}


def _ssh_config(study: Study) -> Path | None:
    return file_of(study, options_of(Options, study).ssh_config)


def site(study: Study) -> Site:
    """Devices and addresses as the study names them; the scale is 1."""
    _check_launcher(study)
    check_power(study, options_of(Options, study).power_control)
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
    edges = site_edges(study, 1.0)
    return Site("hosts", 1.0, nodes, study.data_network, *study.mtus(), TRAITS, edges)


def _check_launcher(study: Study) -> None:
    """InputError for a launcher that does not exist, or options that exclude each other."""
    options = options_of(Options, study)
    if options.launcher not in launcher_names():
        raise study.mistake(
            ("environment", "launcher"), not_known(options.launcher, launcher_names())
        )
    if options.launcher == SSH:
        return
    if needs_root(study.solution.kind):
        problem = (
            f"{study.solution.kind} is deployed as root by ssh: leave launcher out, or use kind:"
            " mount"
        )
        raise study.mistake(("environment", "launcher"), problem)
    for key, is_given in (("ssh_config", options.ssh_config is not None), ("sudo", options.sudo)):
        if is_given:
            raise study.mistake(
                ("environment", key), f"the launcher {options.launcher} uses no ssh: leave this out"
            )


def _networks(study: Study, name: str) -> dict[str, str]:
    """Network -> address: the data network, and every other network with an address."""
    attached = study.networks_of(name)
    node = study.node(name)
    data = study.data_network if study.data_network in attached else next(iter(attached), None)
    addresses = {
        net: _with_node_name(text, name) for net, text in node.addresses.items() if net in attached
    }
    return ({data: node.address or name} if data and not addresses else {}) | addresses


def _with_node_name(text: str, node: str) -> str:
    """An address of a node set, in which `{node}` is replaced by the node's name."""
    return text.replace("{node}", node)


def _bmc(study: Study, name: str) -> SiteBmc | None:
    """The controller as the study describes it; without defaults, as it can power a machine off."""
    bmc = study.node(name).bmc
    if bmc is None:
        return None
    for key in ("address", "user", "password_file"):
        if getattr(bmc, key) is None:
            raise study.mistake(
                location(study, name, "bmc"), f"on real hosts the controller needs its {key}"
            )
    return SiteBmc(
        _with_node_name(str(bmc.address), name),
        str(bmc.user),
        password_file=bmc.password_file,
        protocol=bmc.protocol,
    )


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
    options = options_of(Options, study)
    sudo = options.sudo
    as_root = sudo or needs_root(study.solution.kind)
    transport = launcher_named(options.launcher).transport(_launch_request(study, options))
    lab = HostsLab(
        _ssh_config(study),
        sudo=sudo,
        launcher=options.launcher,
        transport=transport,
        power=_power(study, options),
    )
    try:
        _use(lab, study, needs_root=as_root)
    except BaseException:
        lab.leave()
        raise
    return lab


def _power(study: Study, options: Options) -> HostPower | None:
    """The controllers of the study's nodes; None where no second machine is named."""
    machine = options.power_control
    if machine is None:
        return None
    nodes = site(study).nodes
    controllers = {name: node.bmc for name, node in nodes.items() if node.bmc is not None}
    addresses = {name: node.address for name, node in nodes.items()}
    return HostPower(machine, OpenSsh(_ssh_config(study)), controllers, addresses)


def _launch_request(study: Study, options: Options) -> LaunchRequest:
    """What the launcher needs; InputError without an agent for a step."""
    agent = ""
    if options.launcher != SSH:
        agent = str(options.agent or find_agent())
    return LaunchRequest(
        nodes=tuple(study.node_names()),
        agent=agent,
        arguments=options.launcher_arguments,
        command=options.command,
        ssh_config=_ssh_config(study),
        sudo=options.sudo,
        start_timeout_s=options.start_timeout,
    )


def _use(lab: HostsLab, study: Study, *, needs_root: bool) -> None:
    """Check that every node accepts commands; RunError names each one that does not."""
    options = options_of(Options, study)
    sudo = options.sudo

    def reached(node: str) -> _Answer:
        return _reached(lab.transport, node, sudo=sudo, needs_root=needs_root)

    answers = on_every(study.node_names(), reached)
    refused = {node: answer.reason for node, answer in answers.items() if answer.reason}
    if refused:
        needed = NEEDED if needs_root else NEEDED_BY_USER
        raise RunError("\n".join(folded_reasons(refused)), NEEDED_BY_SUDO if sudo else needed)
    lab.machines = {node: answer.machine for node, answer in answers.items() if answer.machine}
    if not options.oversubscribe:
        _require_different(lab.machines)
    _use_as_user(lab, study, {node: answer.user for node, answer in answers.items()})


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
        users_of_nodes = "; ".join(
            f"{fold(nodes)}: user {user}" for user, nodes in of_users.items()
        )
        raise RunError(
            f"the login is not the same user on every node: {users_of_nodes}",
            "use one login on all nodes",
        )
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
        return _Answer(f"by sudo this is user {user}, not root" if user else refused_by_sudo(done))
    if not user.isdigit():
        lines = done.stderr.strip().splitlines() or [f"exit code {done.exit_code}"]
        return _Answer(f"the login runs no command: {lines[-1]}")
    return _Answer(
        f"this is not root but user {user}"
        if node == HERE
        else f"logged in as user {user}, not as root"
    )


def folded_reasons(reasons: Mapping[str, str]) -> list[str]:
    """A line for each reason, led by the set of its nodes: `node[01-17]: ssh: Connection refused`.

    `reasons`: node -> its reason. Reasons that differ in the node's own name or address are the
    same: in the line of several nodes NODE stands for each of them. That of one node is printed as
    it is.
    """
    alike: dict[str, list[str]] = {}
    for node, reason in reasons.items():
        alike.setdefault(_without_node(node, reason), []).append(node)
    return [
        f"{nodes[0]}: {reasons[nodes[0]]}" if len(nodes) == 1 else f"{fold(nodes)}: {common}"
        for common, nodes in alike.items()
    ]


def _without_node(node: str, reason: str) -> str:
    """The reason with NODE for the node's name, and for the address that ssh gives instead."""
    without_name = re.sub(rf"(?<![\w.-]){re.escape(node)}(?![\w-])", "NODE", reason)
    return re.sub(r"(connect to host) \S+ (port)", r"\1 NODE \2", without_name)


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
