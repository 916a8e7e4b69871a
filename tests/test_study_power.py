"""Controllers and PDUs of a study: the rules of consistency, the messages of mistakes, and
the emulators of labs.
"""

import copy
import re
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.basics.withheld import MASK
from seatrial.check import prepare
from seatrial.labs.emulation import uml_spec
from seatrial.labs.emulation.network import network_commands
from seatrial.labs.emulation.supervisor_spec import (
    COMMUNITY,
    FILE,
    PASSWORD,
    USER,
    SupervisorSpec,
    SupplySpec,
)
from seatrial.plan.site import SiteBmc, SiteOutlet
from tests.builders.strategies import MINIMAL, study


def powered(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """The minimal study with two buses and controllers for the clients; dotted paths are changed
    (`None` removes).
    """
    data = copy.deepcopy(MINIMAL)
    data["networks"] = {"private": {}, "data": {"mtu": 9000}}
    data["pdus"] = {"pdu-a": {"network": "private"}, "pdu-b": {"network": "private"}}
    data["nodes"]["c[1-4]"] |= {"bmc": {"network": "private"}, "power": ["pdu-a", "pdu-b"]}
    data["nodes"]["nas"]["power"] = ["pdu-b"]
    for path, value in (changes or {}).items():
        *parents, last = path.split("/")
        target = data
        for key in parents:
            target = target.setdefault(key, {})
        if value is None:
            del target[last]
        else:
            target[last] = value
    return data


FOUR = {"c1": 11, "c2": 12, "c3": 13, "c4": 14}
MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"pdus/pdu-a/network": "control"},
        r"pdus\.pdu-a\.network: no network is called 'control'; one of data, private",
    ),
    ({"pdus/pdu-a/netwrok": "data"}, r"unknown key 'netwrok'; did you mean 'network'"),
    ({"pdus/PDU": {"network": "data"}}, r"pdus\.PDU"),
    (
        {"nodes/c[1-4]/bmc": {"network": "lan"}},
        r"bmc\.network: no network is called 'lan'; one of data, private",
    ),
    (
        {"nodes/c[1-4]/bmc/address": "10.0.0.1"},
        r"bmc\.address: 'c\[1-4\]' are several nodes; write their names",
    ),
    ({"nodes/c[1-4]/bmc/password": "x"}, r"unknown key 'password'; did you mean 'password_file'"),
    ({"nodes/nas/power": ["pdu-c"]}, r"power\[0\]: no PDU is called 'pdu-c'; one of pdu-a, pdu-b"),
    ({"nodes/nas/power": ["pdu-b", "pdu-b"]}, r"power\[1\]: 'pdu-b' is named twice"),
    ({"nodes/nas/power": []}, r"nodes\.nas\.power"),
    ({"pdus/pdu-a/outlets": {"nas": 1}}, r"outlets\.nas: 'nas' has no supply on pdu-a"),
    (
        {"pdus/pdu-a/outlets": {"c1": 1}},
        r"pdu-a\.outlets: the outlet of c2 is missing; give all or none",
    ),
    ({"pdus/pdu-a/outlets": {**FOUR, "c4": 11}}, r"outlets\.c1: outlet 11 is given twice"),
    ({"pdus/pdu-a/outlets": {**FOUR, "c4": 0}}, r"pdu-a\.outlets\.c4"),
    ({"networks/bmc": {}}, r"bmc: the name c1-bmc means c1 on the network bmc already"),
    ({"pdus/nas": {"network": "data"}}, r"pdus\.nas: the name nas means nas already"),
    (
        {"pdus/nas-data": {"network": "data"}},
        r"the name nas-data means nas on the network data already",
    ),
    ({"pdus/c1-bmc": {"network": "data"}}, r"the name c1-bmc means the controller of c1 already"),
]


@pytest.mark.parametrize(("changes", "message"), MISTAKES, ids=[item[1][:40] for item in MISTAKES])
def test_a_mistake_is_reported_with_its_place(changes: dict[str, Any], message: str) -> None:
    """Never another exception."""
    prepare(study(powered()))
    with pytest.raises(InputError) as caught:
        prepare(study(powered(changes)))
    assert re.search(message, str(caught.value)), str(caught.value)
    assert re.match(r"study\.yaml:\d+:\d+: ", str(caught.value))


def test_the_lab_counts_outlets_in_the_order_of_the_nodes() -> None:
    """Unless the study gives them."""
    site, _ = prepare(study(powered({"pdus/pdu-a/outlets": FOUR})))
    assert site.nodes["nas"].outlets == (SiteOutlet("pdu-b", "pdu-b", 1, COMMUNITY),)
    assert site.nodes["c2"].outlets == (
        SiteOutlet("pdu-a", "pdu-a", 12, COMMUNITY),
        SiteOutlet("pdu-b", "pdu-b", 3, COMMUNITY),
    )
    assert site.nodes["c2"].bmc == SiteBmc("c2-bmc", USER, PASSWORD)
    assert site.nodes["nas"].bmc is None


def test_a_site_knows_the_networks_of_each_node() -> None:
    """Those that it is attached to, by the names that other nodes know."""
    site, _ = prepare(study(powered({"nodes/c[1-4]/networks": ["data"]})))
    assert site.nodes["nas"].networks == {"private": "nas-private", "data": "nas-data"}
    assert site.nodes["c1"].networks == {"data": "c1-data"}


def test_emulators_are_on_their_network_with_an_address_each() -> None:
    """No node's address depends on them, and the supervisor reads the intended values."""
    made = study(powered())
    nodes = uml_spec.nodes(made, set(), 1.0)
    emulators = uml_spec.emulators(made)
    assert [item.name for item in emulators] == [
        "c1-bmc",
        "c2-bmc",
        "c3-bmc",
        "c4-bmc",
        "pdu-a",
        "pdu-b",
    ]
    assert [item.node for item in emulators] == ["c1", "c2", "c3", "c4", None, None]
    assert nodes[1].supplies == (SupplySpec("pdu-a", 1), SupplySpec("pdu-b", 2))
    faces = [face for node in nodes for face in node.interfaces] + [
        item.interface for item in emulators
    ]
    for values in (
        [face.address for face in faces],
        [face.mac for face in faces],
        [face.tap for face in faces],
    ):
        assert len(set(values)) == len(values)
    assert {face.address.rsplit(".", 2)[0] for face in (item.interface for item in emulators)} == {
        "10.10"
    }
    plain = study(
        powered(
            {
                "pdus": None,
                "nodes/c[1-4]/bmc": None,
                "nodes/c[1-4]/power": None,
                "nodes/nas/power": None,
            }
        )
    )
    assert uml_spec.emulators(plain) == ()
    assert [node.interfaces for node in uml_spec.nodes(plain, set(), 1.0)] == [
        node.interfaces for node in nodes
    ]
    spec = SupervisorSpec(
        "x", "", "", "", "", "", 1, uml_spec.networks(made, 1.0), nodes, {}, 1.0, emulators
    )
    assert FILE.validate_json(FILE.dump_json(spec)) == spec
    ip, _tc = network_commands(spec)
    assert f"link set {emulators[-1].interface.port} master br1" in ip
    assert max(len(word) for line in ip for word in line.split() if "x1" in word) <= 15


def on_hosts(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """The same on real machines, with every key."""
    bmc = {
        "network": "private",
        "address": "10.0.0.9",
        "user": "fence",
        "password_file": "/etc/fence-password",
        "protocol": "ipmi",
    }
    base: dict[str, Any] = {
        "environment": {"kind": "hosts"},
        "nodes/nas/disks": {"count": 6, "devices": [f"/dev/disk{number}" for number in range(6)]},
        "nodes/nas/bmc": bmc,
        "nodes/nas/address": "10.1.0.1",
        "nodes/c[1-4]/bmc": None,
        "nodes/c[1-4]/power": None,
        "pdus/pdu-b": {
            "network": "private",
            "address": "10.0.0.8",
            "community_file": "/etc/pdu-community",
            "outlets": {"nas": 17},
        },
    }
    return powered({**base, **(changes or {})})


def test_real_hosts_have_the_studys_settings() -> None:
    """Addresses, the files of the password and of the community, and the numbers of the outlets."""
    node = prepare(study(on_hosts()))[0].nodes["nas"]
    assert node.bmc == SiteBmc("10.0.0.9", "fence", password_file="/etc/fence-password")
    assert node.outlets == (
        SiteOutlet("pdu-b", "10.0.0.8", 17, community_file="/etc/pdu-community"),
    )
    assert node.networks == {"data": "10.1.0.1"}


def test_the_secret_that_switches_a_real_machine_off_is_not_printed() -> None:
    """It is required in the file of an SNMP community; no study has a community, and a lab's
    are masked, too.
    """
    reported = prepare(study(on_hosts()))[0].without_secrets()["nodes"]["nas"]
    outlet = {"pdu": "pdu-b", "pdu_address": "10.0.0.8", "outlet": 17}
    assert reported["outlets"] == (
        {**outlet, "community": None, "community_file": "/etc/pdu-community"},
    )
    emulated = prepare(study(powered({})))[0].without_secrets()["nodes"]["nas"]["outlets"]
    assert {item["community"] for item in emulated} == {MASK}
    with pytest.raises(InputError, match=r"pdus\.pdu-b\.community"):
        prepare(study(on_hosts({"pdus/pdu-b/community": "rw"})))
    assert reported["bmc"] == {
        "address": "10.0.0.9",
        "user": "fence",
        "password": None,
        "password_file": "/etc/fence-password",
        "protocol": "ipmi",
    }


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        (
            "nodes/nas/bmc/address",
            r"nodes\.nas\.bmc: on real hosts the controller needs its address",
        ),
        ("nodes/nas/bmc/user", r"the controller needs its user"),
        ("nodes/nas/bmc/password_file", r"the controller needs its password_file"),
        ("pdus/pdu-b/address", r"pdus\.pdu-b: on real hosts the PDU needs its address"),
        ("pdus/pdu-b/community_file", r"the PDU needs its community_file"),
        ("pdus/pdu-b/outlets", r"the PDU needs its outlets"),
    ],
)
def test_access_to_a_real_machines_power_is_not_guessed(missing: str, message: str) -> None:
    """An outlet that is counted could be another machine's."""
    with pytest.raises(InputError, match=message):
        prepare(study(on_hosts({missing: None})))
