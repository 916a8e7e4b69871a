"""Fence devices for pacemaker: the real agents, by level."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from seatrial.plan.plan import Step
from seatrial.plan.site import Site, SiteBmc, SiteNode
from seatrial.solutions.parts.pacemaker import Operation, Resource
from seatrial.solutions.parts.shared_array import PERSIST, SharedArray

RESERVATION = "fence-reservation"
LRM = "/var/lib/pacemaker/lrm"
SECRETS = f"{LRM}/secrets"
"""where pacemaker looks for the value of a parameter that is `lrm://` (cibsecret(8)): it is in no configuration"""
SECRET = "lrm://"
FUNCTIONS = (Path(__file__).parent / "pacemaker_secrets.sh").read_text(encoding="ascii")
WATCH = (Operation("start", 40), Operation("stop", 15), Operation("monitor", 60, 120))


def fence_devices(
    site: Site, servers: Sequence[str], levels: Sequence[Sequence[str]], fence_s: int, array: SharedArray
) -> tuple[tuple[Resource, ...], dict[str, tuple[tuple[str, ...], ...]]]:
    """(devices, server -> the devices of each level).

    Reservations stand in every level when they stand in one: pacemaker takes a server for unfenced when one level has
    been switched on, and a level without them would let it start without its key. They come first: a server that lost
    its own key cannot take another's, and must not cut the power of the one that serves.
    """
    if any("reservation" in level for level in levels):
        levels = [("reservation", *(method for method in level if method != "reservation")) for level in levels]
    devices: dict[str, Resource] = {}
    topology: dict[str, tuple[tuple[str, ...], ...]] = {}
    for server in servers:
        node, named = site.nodes[server], []
        for level in levels:
            found: list[Resource] = []
            for method in level:
                if method == "reservation":
                    found.append(_reservation(array))
                else:
                    found += [_bmc(node, node.bmc)] if method == "bmc" and node.bmc else _pdus(site, servers, node)
            devices |= {item.identity: _bounded(item, fence_s) for item in found}
            named.append(tuple(item.identity for item in found))
        topology[server] = tuple(named)
    return tuple(devices.values()), topology


def secret_steps(site: Site, servers: Sequence[str]) -> list[Step]:
    """What a server needs of the files in which passwords and communities stand: there, and root's alone."""
    controllers = (site.nodes[server].bmc for server in servers)
    passwords = dict.fromkeys(bmc.password_file for bmc in controllers if bmc and bmc.password_file)
    return [
        *(
            Step(
                f"check the controller password in {path}",
                f"[ -s {path} ]",
                f"echo '{path} is not there, or empty'\nexit 1",
                takes=(("secret", path),),
            )
            for path in passwords
        ),
        *(_community_step(pdu, path) for pdu, path in _communities(site, servers).items()),
    ]


def secret_removal(site: Site, servers: Sequence[str]) -> list[Step]:
    """What pacemaker was told of them is forgotten; the files are the site's."""
    return [
        Step(
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
    kept = f"{SECRETS}/fence-{pdu}/community"
    return Step(
        f"set the SNMP community of {pdu} in pacemaker from {path}",
        f"secret_is_told {path} {kept}",
        f"lay_secret {path} {kept}\nmv {kept}.new {kept}",
        takes=(("secret", path),),
        functions=FUNCTIONS,
    )


def _bounded(device: Resource, fence_s: int) -> Resource:
    """Given up after this time, once: a controller that lost its power with its server never answers."""
    once = {"timeout": f"{fence_s}s", "retries": "1"}
    limits = {f"pcmk_{action}_{key}": value for action in ("reboot", "off") for key, value in once.items()}
    # A fence device must not count when the server that serves is looked for.
    return replace(device, parameters={**device.parameters, **limits}, meta={**device.meta, "priority": "0"})


def _bmc(node: SiteNode, bmc: SiteBmc) -> Resource:
    """`onoff`, because a reset by itself proves nothing; no wait beyond the device's own answer."""
    secret = {"password": bmc.password} if bmc.password else {"password_script": f"cat {bmc.password_file}"}
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
            "power_timeout": "10",
            "login_timeout": "5",
            "retry_on": "2",
        },
        WATCH,
    )


def _reservation(array: SharedArray) -> Resource:
    """Takes a server's key from the array; a server starts nothing until it has its key again (unfencing).

    There is nothing to switch on afterwards, and whether it works is seen when it is used: `off`, and the agent's own
    description as its monitor, as its vendor says.
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
    """One device a PDU, for all servers that hang on it: pacemaker turns all of a level off before any on."""
    found = []
    for outlet in node.outlets:
        outlets = {name: item.outlet for name in servers for item in site.nodes[name].outlets if item.pdu == outlet.pdu}
        found.append(
            Resource(
                f"fence-{outlet.pdu}",
                "stonith:fence_apc_snmp",
                {
                    "ip": outlet.pdu_address,
                    "community": outlet.community or SECRET,
                    "pcmk_host_map": ";".join(f"{name}:{number}" for name, number in outlets.items()),
                    "pcmk_host_list": " ".join(outlets),
                    "power_wait": "1",
                    "login_timeout": "5",
                },
                WATCH,
            )
        )
    return found
