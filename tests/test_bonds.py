"""What a bond does to the bound of a study."""

from dataclasses import replace

import pytest

from seatrial.labs.base import lab_kind
from seatrial.plan.data_path import DataPath, ResourceRole
from seatrial.plan.site import SiteBond
from seatrial.report.diagram import diagram
from seatrial.service.deployed import rebonded
from seatrial.solutions.base import load_solution
from seatrial.summary.system import built
from tests.builders.strategies import changed, study


def path_of(bond: dict[str, object] | None, clients: int, kind: str = "emulated") -> DataPath:
    """The data path of the small study with a bond of its server."""
    data = changed("nodes.nas.bonds", {"data": bond} if bond else {})
    whole = study(data)
    site = lab_kind(whole).site(whole)
    if kind == "hosts":
        nodes = {
            name: replace(
                node,
                bonds={key: replace(it, switch_hash=None) for key, it in node.bonds.items()},
            )
            for name, node in site.nodes.items()
        }
        site = replace(site, nodes=nodes)
    return load_solution(whole, site).data_path(clients)


def server_rate(path: DataPath) -> float:
    """Bytes/s that the server's links carry."""
    return next(
        item.read_bytes_per_s for item in path.resources if item.role is ResourceRole.SERVER_LINKS
    )


@pytest.mark.parametrize(
    ("bond", "clients", "links"),
    [
        ({"members": 2}, 1, 1),  # two nodes use one link
        ({"members": 2}, 2, 2),
        ({"members": 2}, 4, 2),
        ({"members": 3, "hash": "layer3+4"}, 1, 3),
        ({"members": 4, "mode": "active-backup"}, 4, 1),
        ({"members": 2, "mode": "balance-rr"}, 1, 2),
    ],
)
def test_a_bond_carries_what_its_links_carry_at_once(
    bond: dict[str, object], clients: int, links: int
) -> None:
    """A bond does not double the rate of one client."""
    single = server_rate(path_of(None, clients))
    assert server_rate(path_of(bond, clients)) == pytest.approx(links * single)


def test_the_hash_of_a_real_switch_is_unknown() -> None:
    """So that the bound of a bond on hosts is that of all links."""
    single = server_rate(path_of(None, 1))
    assert server_rate(path_of({"members": 2}, 1, "hosts")) == pytest.approx(2 * single)


def test_the_token_buckets_of_all_links_pass_at_once() -> None:
    """Otherwise a short phase could exceed its bound."""
    one, two = (path_of({"members": number}, 4).resources for number in (1, 2))
    bursts = [
        next(item.burst_bytes for item in each if item.role is ResourceRole.SERVER_LINKS)
        for each in (one, two)
    ]
    assert bursts[1] == 2 * bursts[0]


def test_an_unknown_number_of_nodes_may_use_every_link() -> None:
    """A hard bound is never too low."""
    assert SiteBond(3, "balance-xor", "layer2", "layer2").links_at_once() == 3
    assert SiteBond(3, "balance-xor", "layer2", "layer3+4").links_at_once(1) == 3


def test_only_a_bond_with_another_number_of_links_is_changed() -> None:
    """All of them at the start of a session, as the lab may come from another run."""
    two = study(changed("nodes.nas.bonds", {"data": {"members": 2}}))
    one = two.with_values({"nodes.nas.bonds.data.members": 1})
    assert rebonded(None, two) == [("nas", "data", 2)]
    assert rebonded(two, one) == [("nas", "data", 1)]
    assert rebonded(two, two) == []


def test_a_report_shows_bonds_and_edge_switches() -> None:
    """The diagram has the modelled rates, and the server's rate is that of all its links."""
    data = changed("nodes.nas.bonds", {"data": {"members": 2}})
    edges = {"switches": 2, "uplinks": 4, "uplink": "10Gbit/s", "nodes": "c[1-4]"}
    data["networks"]["data"]["edges"] = edges
    whole = study(data)
    site = lab_kind(whole).site(whole)
    system = built({"site": site.without_secrets(), "servers": ["nas"], "clients": ["c1"]}, whole)
    assert system is not None
    drawn = diagram(system)
    assert "2 edge switches" in drawn
    assert "4 × 10 Gbit/s uplinks each" in drawn
    assert "2 bonded × 10 Gbit/s" in drawn
    assert system.server_links.modelled_bytes_per_s == pytest.approx(2 * 10e9 / 8)
