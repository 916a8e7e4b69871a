"""Fence devices for pacemaker: standard agents, in levels."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from seatrial.plan.plan import Step, command_step
from seatrial.plan.site import Site, SiteBmc, SiteNode
from seatrial.solutions.parts.pacemaker import Operation, Resource
from seatrial.solutions.parts.shared_array import PERSIST, SharedArray

RESERVATION = "fence-reservation"
LRM = "/var/lib/pacemaker/lrm"
SECRETS = f"{LRM}/secrets"
"""pacemaker's folder for values of `lrm://` parameters (cibsecret(8)), outside its configuration"""
SECRET = "lrm://"
FUNCTIONS = (Path(__file__).parent / "pacemaker_secrets.sh").read_text(encoding="ascii")
WATCH = (Operation("start", 40), Operation("stop", 15), Operation("monitor", 60, 120))


@dataclass(frozen=True)
class FenceLimits:
    """The time limits of fencing, in s: of one device, and of each answer of a BMC."""

    device_s: int
    bmc_answer_s: int


@dataclass(frozen=True)
class FenceTopology:
    """The fence devices, and their order for each server."""

    devices: tuple[Resource, ...]
    levels: dict[str, tuple[tuple[str, ...], ...]]
    """server -> the names of the devices of each level"""


def fence_devices(
    site: Site,
    servers: Sequence[str],
    levels: Sequence[Sequence[str]],
    limits: FenceLimits,
    array: SharedArray,
) -> FenceTopology:
    """The devices of each server and level.

    When one level has reservations, all levels get them. pacemaker considers a server unfenced
    after one level has switched on, and a level without reservations would let it start without its
    key. They come first: a server that has lost its key cannot take the other's key, and so must
    not cut the power of the active server.
    """
    if any("reservation" in level for level in levels):
        levels = [
            ("reservation", *(method for method in level if method != "reservation"))
            for level in levels
        ]
    devices: dict[str, Resource] = {}
    levels_of: dict[str, tuple[tuple[str, ...], ...]] = {}

    def devices_of(node: SiteNode, method: str) -> list[Resource]:
        if method == "reservation":
            return [_reservation(array)]
        if method == "bmc" and node.bmc:
            return [_bmc(node, node.bmc, limits.bmc_answer_s)]
        return _pdus(site, servers, node)

    for server in servers:
        names = []
        for level in levels:
            level_devices = [
                device for method in level for device in devices_of(site.nodes[server], method)
            ]
            devices |= {item.identity: _bounded(item, limits.device_s) for item in level_devices}
            names.append(tuple(item.identity for item in level_devices))
        levels_of[server] = tuple(names)
    return FenceTopology(tuple(devices.values()), levels_of)


def secret_steps(site: Site, servers: Sequence[str]) -> list[Step]:
    """The files with passwords and communities must exist on a server, accessible by root alone."""
    controllers = (site.nodes[server].bmc for server in servers)
    passwords = dict.fromkeys(bmc.password_file for bmc in controllers if bmc and bmc.password_file)
    return [
        *(
            command_step(
                f"check the controller password in {path}",
                f"[ -s {path} ]",
                f"echo '{path} is missing or empty'\nexit 1",
                takes=(("secret", path),),
            )
            for path in passwords
        ),
        *(_community_step(pdu, path) for pdu, path in _communities(site, servers).items()),
    ]


def secret_removal(site: Site, servers: Sequence[str]) -> list[Step]:
    """Remove pacemaker's copies of the secrets; the files themselves are the site's."""
    return [
        command_step(
            f"remove the SNMP community of {pdu} from pacemaker",
            f"[ ! -e {SECRETS}/fence-{pdu} ]",
            f"rm -rf {SECRETS}/fence-{pdu}\nrmdir {SECRETS} {LRM} 2>/dev/null || true",
        )
        for pdu in _communities(site, servers)
    ]


def _communities(site: Site, servers: Sequence[str]) -> dict[str, str]:
    """PDU -> the file with its community."""
    outlets = (outlet for server in servers for outlet in site.nodes[server].outlets)
    return {item.pdu: item.community_file for item in outlets if item.community_file}


def _community_step(pdu: str, path: str) -> Step:
    stored = f"{SECRETS}/fence-{pdu}/community"
    return command_step(
        f"set the SNMP community of {pdu} in pacemaker from {path}",
        f"secret_is_set {path} {stored}",
        f"lay_secret {path} {stored}\nmv {stored}.new {stored}",
        takes=(("secret", path),),
        functions=FUNCTIONS,
    )


def _bounded(device: Resource, fence_s: int) -> Resource:
    """A device with one attempt and this time limit: a BMC without power never answers."""
    once = {"timeout": f"{fence_s}s", "retries": "1"}
    limits = {
        f"pcmk_{action}_{key}": value for action in ("reboot", "off") for key, value in once.items()
    }
    # A fence device must not count towards the placement of services.
    return replace(
        device, parameters={**device.parameters, **limits}, meta={**device.meta, "priority": "0"}
    )


def _bmc(node: SiteNode, bmc: SiteBmc, answer_s: int) -> Resource:
    """`onoff`, because a reset alone proves nothing; no delay beyond the device's own answer.

    Under pacemaker, the agents ignore their own timeouts unless `disable_timeout` is false. A BMC
    without power then costs the whole `pcmk_reboot_timeout`: ipmitool gives up after 20 s only.
    """
    secret = (
        {"password": bmc.password}
        if bmc.password
        else {"password_script": f"cat {bmc.password_file}"}
    )
    return Resource(
        f"fence-{node.name}",
        "stonith:fence_ipmilan",
        {
            "ip": bmc.address,
            "username": bmc.user,
            **secret,
            "lanplus": "1",
            "privlvl": "administrator",
            "method": "onoff",
            "pcmk_host_list": node.name,
            "power_wait": "0",
            "disable_timeout": "false",
            "power_timeout": str(answer_s),
            "login_timeout": "5",
            "retry_on": "2",
        },
        WATCH,
    )


def _reservation(array: SharedArray) -> Resource:
    """Fencing that removes a server's key from the array; the server starts nothing without it.

    The server gets its key again by unfencing. The device has nothing to switch on, and only its
    use shows whether it works. So it is `off`, with the agent's description as its monitor, as the
    vendor recommends.
    """
    return Resource(
        RESERVATION,
        "stonith:fence_mpath",
        {
            "devices": ",".join(array.device(lun) for lun in array.luns),
            "mpathpersist_path": PERSIST,
            "pcmk_host_map": ";".join(f"{server}:{key}" for server, key in array.keys.items()),
            "pcmk_host_list": " ".join(array.keys),
            "pcmk_reboot_action": "off",
            "pcmk_monitor_action": "metadata",
        },
        WATCH,
        {"provides": "unfencing"},
    )


def _pdus(site: Site, servers: Sequence[str], node: SiteNode) -> list[Resource]:
    """One device per PDU for all its servers: pacemaker turns all of a level off, then on."""
    devices = []
    for outlet in node.outlets:
        outlets = {
            name: item.outlet
            for name in servers
            for item in site.nodes[name].outlets
            if item.pdu == outlet.pdu
        }
        devices.append(
            Resource(
                f"fence-{outlet.pdu}",
                "stonith:fence_apc_snmp",
                {
                    "ip": outlet.pdu_address,
                    "community": outlet.community or SECRET,
                    "pcmk_host_map": ";".join(
                        f"{name}:{number}" for name, number in outlets.items()
                    ),
                    "pcmk_host_list": " ".join(outlets),
                    "power_wait": "0",
                    "login_timeout": "5",
                },
                WATCH,
            )
        )
    return devices
