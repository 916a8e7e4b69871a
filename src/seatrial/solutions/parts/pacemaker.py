"""The configuration of pacemaker: resources, fence devices, their order and rules, as one CIB.

The configuration is replaced as a whole, so that no partial one is ever active. A property with its
hash identifies the active one.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from seatrial.plan.plan import Step, command_step
from seatrial.solutions.parts.steps import units_are, wait_until

UNITS = ("corosync.service", "pacemaker.service")
LOGS = ("/var/log/pacemaker/pacemaker.log",)
"""Debian's Pacemaker writes here what its journal leaves out, such as output of agents"""
HASH = "seatrial-plan"
OWN = "seatrial-resources"
"""property with the names of all resources of the study; it owns no further ones (`look.sh`)"""
CIB = "/var/lib/pacemaker/cib/cib.xml"


@dataclass(frozen=True)
class Operation:
    """A `monitor` with its interval, or a `start` or `stop`, with a time limit."""

    name: str
    timeout_s: int
    interval_s: int = 0
    on_fail: str | None = None
    depth: int | None = None
    """OCF_CHECK_LEVEL of a deeper monitor"""


@dataclass(frozen=True)
class Resource:
    """A resource agent with its parameters.

    `agent` is for example `ocf:heartbeat:IPaddr2` or `stonith:fence_ipmilan`.
    """

    identity: str
    agent: str
    parameters: Mapping[str, str]
    operations: tuple[Operation, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Configuration:
    """The complete configuration of a cluster."""

    servers: tuple[str, ...]
    properties: Mapping[str, str]
    defaults: Mapping[str, str]
    groups: Mapping[str, tuple[Resource, ...]]
    """services: resources that start in order and run on the same server"""
    clones: tuple[Resource, ...] = ()
    fences: tuple[Resource, ...] = ()
    levels: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    """server -> fence devices of level 1, level 2, ..."""
    rules: tuple[str, ...] = ()
    """constraints as XML, with unique ids"""

    def xml(self) -> str:
        """The `configuration` section of a CIB."""
        grouped = (item for items in self.groups.values() for item in items)
        identities = " ".join(item.identity for item in (*self.fences, *self.clones, *grouped))
        properties = {**self.properties, HASH: self.hash, OWN: identities}
        body = "".join(
            (
                "  <crm_config>\n",
                _attributes("cluster_property_set", "cib-bootstrap-options", properties, "    "),
                "  </crm_config>\n  <nodes>\n",
                *(
                    f"    <node id={quoteattr(str(number))} uname={quoteattr(server)}/>\n"
                    for number, server in enumerate(self.servers, start=1)
                ),
                "  </nodes>\n  <resources>\n",
                *(_primitive(item, "    ") for item in self.fences),
                *(
                    f'    <clone id="{item.identity}-clone">\n{_primitive(item, "      ")}   '
                    " </clone>\n"
                    for item in self.clones
                ),
                *(
                    "    <group"
                    f' id="{name}">\n{"".join(_primitive(item, "      ") for item in items)}   '
                    " </group>\n"
                    for name, items in self.groups.items()
                ),
                "  </resources>\n  <constraints>\n",
                *(f"    {rule}\n" for rule in self._all_rules()),
                "  </constraints>\n",
                self._topology(),
                "  <rsc_defaults>\n",
                _attributes("meta_attributes", "rsc-options", self.defaults, "    "),
                "  </rsc_defaults>\n",
            )
        )
        return f"<configuration>\n{body}</configuration>\n"

    @property
    def hash(self) -> str:
        """The hash of everything but itself."""
        plain = repr(
            (
                self.properties,
                self.defaults,
                self.groups,
                self.clones,
                self.fences,
                self.levels,
                self.rules,
            )
        )
        return hashlib.sha256(plain.encode()).hexdigest()[:16]

    def _all_rules(self) -> list[str]:
        """No server runs its own fence device, and services do not wait for device checks."""
        device_rules = [
            f'<rsc_location id="{item.identity}-elsewhere" rsc="{item.identity}" score="-INFINITY"'
            f' node="{server}"/>'
            for item in self.fences
            for server in self.servers
            if item.parameters.get("pcmk_host_list") == server
        ]
        after = [
            f'<rsc_order id="{item.identity}-after-{service}" first="{service}"'
            f' then="{item.identity}" kind="Optional" symmetrical="false"/>'
            for item in self.fences
            for service in self.groups
        ]
        return [*device_rules, *after, *self.rules]

    def _topology(self) -> str:
        lines = "".join(
            f'    <fencing-level id="fence-{server}-{index}" target="{server}" index="{index}" '
            f'devices="{",".join(devices)}"/>\n'
            for server, levels in self.levels.items()
            for index, devices in enumerate(levels, start=1)
            if devices
        )
        return f"  <fencing-topology>\n{lines}  </fencing-topology>\n" if lines else ""


def _primitive(item: Resource, indent: str) -> str:
    kind, *rest = item.agent.split(":")
    names = f'class="{kind}" type="{rest[-1]}"' + (
        f' provider="{rest[0]}"' if len(rest) > 1 else ""
    )
    return (
        f'{indent}<primitive id="{item.identity}" {names}>\n'
        + _attributes(
            "instance_attributes", f"{item.identity}-parameters", item.parameters, indent + "  "
        )
        + _attributes("meta_attributes", f"{item.identity}-meta", item.meta, indent + "  ")
        + f"{indent}  <operations>\n"
        + "".join(_operation(item, operation, indent + "    ") for operation in item.operations)
        + f"{indent}  </operations>\n{indent}</primitive>\n"
    )


def _operation(item: Resource, operation: Operation, indent: str) -> str:
    identity = f"{item.identity}-{operation.name}-{operation.interval_s}"
    text = (
        f'{indent}<op id="{identity}" name="{operation.name}" interval="{operation.interval_s}s" '
        f'timeout="{operation.timeout_s}s"'
    )
    text += f' on-fail="{operation.on_fail}"' if operation.on_fail else ""
    if operation.depth is None:
        return text + "/>\n"
    depth = _attributes(
        "instance_attributes",
        f"{identity}-depth",
        {"OCF_CHECK_LEVEL": str(operation.depth)},
        indent,
    )
    return f"{text}>\n{depth}{indent}</op>\n"


def _attributes(kind: str, identity: str, values: Mapping[str, str], indent: str) -> str:
    if not values:
        return ""
    lines = "".join(
        f"{indent}  <nvpair id={quoteattr(f'{identity}-{key}')} name={quoteattr(key)}"
        f" value={quoteattr(value)}/>\n"
        for key, value in values.items()
    )
    return f"{indent}<{kind} id={quoteattr(identity)}>\n{lines}{indent}</{kind}>\n"


def first_step(configuration: Configuration) -> Step:
    """The first configuration of a new cluster, which otherwise waits 20 s for a coordinator."""
    text = (
        '<cib crm_feature_set="3.0.14" validate-with="pacemaker-3.0" admin_epoch="0" epoch="1"'
        f' num_updates="0">\n{configuration.xml()}<status/>\n</cib>\n'
    )
    return command_step(
        "install the initial cluster configuration",
        f"[ -e {CIB} ] || systemctl -q is-active pacemaker",
        f"umask 027\ncat >{CIB}.new <<'SEATRIAL'\n{text}SEATRIAL\n"
        f"chown hacluster:haclient {CIB}.new\nchmod 600 {CIB}.new\nmv {CIB}.new {CIB}",
    )


def start_steps(servers: Sequence[str]) -> list[Step]:
    """Start the cluster on a server, now and at every boot, and wait until every server is a
    member.
    """
    all_are_members = " && ".join(f"crm_node -l | grep -q ' {server} member'" for server in servers)
    return [
        command_step(
            "join the cluster and enable it at boot",
            f"{units_are('active', 'corosync', 'pacemaker')} &&"
            f" {units_are('enabled', 'corosync', 'pacemaker')} &&\ncrm_node -q >/dev/null",
            "systemctl -q --no-reload enable corosync pacemaker\nsystemctl start corosync"
            f" pacemaker\n{wait_until('crm_node -q >/dev/null 2>&1', 60, 'the cluster manager')}",
            units=("corosync", "pacemaker"),
        ),
        command_step(
            "wait for all members",
            all_are_members,
            wait_until(all_are_members, 60, "all members"),
        ),
    ]


def configuration_steps(configuration: Configuration, folder: str) -> list[Step]:
    """Activate the configuration (on one server), and wait until every service is started."""
    path = f"{folder}/cib.xml"
    started = " &&\n".join(
        f"crm_resource --resource {name} --locate 2>/dev/null | grep -q ' on: '"
        for name in configuration.groups
    )
    return [
        command_step(
            "configure services and fence devices",
            f"hash=$(crm_attribute --type crm_config --name {HASH} --query --quiet 2>/dev/null)"
            " &&\n"
            f'[ "$hash" = {configuration.hash} ]',
            f"mkdir -p {folder}\numask 077\ncat >{path}"
            f" <<'SEATRIAL'\n{configuration.xml()}SEATRIAL\n"
            + wait_until(
                f"cibadmin --replace --scope configuration --xml-file {path}",
                30,
                "the cluster to take its configuration",
            ),
            reason="as a whole: no partial configuration is ever active",
        ),
        command_step(
            f"start {', '.join(configuration.groups)}",
            started,
            wait_until(started, 120, f"{', '.join(configuration.groups)} to be started"),
        ),
    ]


def stop_step(folder: str) -> Step:
    """Leave the cluster, now and at boot."""
    return command_step(
        "leave the cluster",
        "! systemctl -q is-active corosync && ! systemctl -q is-enabled corosync",
        "systemctl -q --no-reload disable pacemaker corosync\nsystemctl stop pacemaker\nsystemctl"
        f" stop corosync\nrm -rf /var/lib/pacemaker/cib/* {folder}",
    )


def stop_and_start(services: Sequence[str]) -> str:
    """sh: stop the services, wherever they run, and start them again."""
    stop = "".join(
        f"crm_resource --resource {name} --meta --set-parameter target-role --parameter-value"
        " Stopped\n"
        for name in services
    )
    start = "".join(
        f"crm_resource --resource {name} --meta --delete-parameter target-role\n"
        for name in services
    )
    wait = "crm_resource --wait --timeout=120s"
    return f"{stop}status=0\n{wait} || status=$?\n{start}[ $status = 0 ]\n{wait}"


def move_step(service: str, to: str) -> Step:
    """Move a service while both servers are healthy."""
    return command_step(
        f"move {service} to {to}",
        f"crm_resource --resource {service} --locate 2>/dev/null | grep -q ' on: {to}'",
        f"crm_resource --resource {service} --move --node {to}\n"
        "status=0\ncrm_resource --wait --timeout=120s || status=$?\n"
        f"crm_resource --resource {service} --clear\n[ $status = 0 ]",
    )
