"""Two-level switches: edge switches with uplinks to a core switch."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.labs.base import lab_kind
from seatrial.labs.emulation import uml_spec
from seatrial.labs.emulation.network import network_commands
from seatrial.labs.emulation.supervisor_spec import FILE, SupervisorSpec
from seatrial.plan.data_path import DataPath, ResourceRole
from seatrial.solutions.base import load_solution
from seatrial.study.nodes import Edges
from seatrial.study.study import Study
from tests.builders.strategies import changed, study

EDGES = {"switches": 2, "uplinks": 4, "uplink": "1Gbit/s", "nodes": "c[1-4]"}


def with_edges(**other: Any) -> Study:
    """The small study with two edge switches; `other` replaces values of them."""
    return study(changed("networks.data.edges", EDGES | other))


def spec(whole: Study) -> SupervisorSpec:
    """The lab of a study, not scaled."""
    nodes = uml_spec.nodes(whole, set(), 1.0)
    networks = uml_spec.networks(whole, 1.0)
    return SupervisorSpec("lab", "/f", "/c", "k", "i", "p", 1, networks, nodes, {}, scale=1.0)


def test_clients_are_at_edge_switches_and_servers_at_the_core() -> None:
    """One set of nodes is divided evenly, in the order of the study."""
    made = spec(with_edges())
    assert FILE.validate_json(FILE.dump_json(made)) == made
    network = made.networks[1]
    bridges = {node.name: network.bridge_of(node.interfaces[1]) for node in made.nodes}
    assert bridges == {"nas": "br1", "c1": "br1e1", "c2": "br1e1", "c3": "br1e2", "c4": "br1e2"}
    assert network.bridges == ("br1", "br1e1", "br1e2")
    ip, _tc = network_commands(made)
    client = next(node for node in made.nodes if node.name == "c3")
    assert f"link set {client.interfaces[1].port} master br1e2" in ip


def test_each_uplink_is_shaped_at_both_ends() -> None:
    """And no uplink is a port of a bridge: the group is."""
    ip, tc = network_commands(spec(with_edges()))
    shaped = [line.split()[3] for line in tc if " tbf " in line and "br1e" in line]
    assert len(shaped) == 2 * 2 * 4
    assert len(set(shaped)) == len(shaped)
    assert not [line for line in ip if any(f"{port} master" in line for port in shaped)]
    hubs = [line.split()[2:] for line in ip if "hub" in line and "master" in line]
    assert hubs == [
        ["br1e1hube", "master", "br1e1"],
        ["br1e1hubc", "master", "br1"],
        ["br1e2hube", "master", "br1e2"],
        ["br1e2hubc", "master", "br1"],
    ]
    assert max(len(word) for line in ip for word in line.split() if "br1e" in word) <= 15


@given(st.integers(1, 12), st.integers(1, 40), st.integers(0, 40))
def test_nodes_are_divided_evenly(switches: int, nodes: int, present: int) -> None:
    """Each node that a profile has is at one switch."""
    values = {"switches": switches, "uplink": "1Gbit/s", "nodes": f"c[1-{nodes}]"}
    edges = Edges.model_validate(values)
    attached = [f"c{number}" for number in range(1, present + 1)]
    places = edges.places(attached)
    assert len(places) == switches
    assert [name for place in places for name in place] == attached[:nodes]
    assert max(map(len, places)) - min(map(len, places)) <= 1


def test_a_study_may_place_each_node() -> None:
    """With one set for each switch; servers may be at one of them, too."""
    whole = with_edges(nodes=["c[1-3]", "c4,nas"])
    edges = lab_kind(whole).site(whole).edges["data"]
    assert [edges.switch_of(name) for name in ("c1", "c3", "c4", "nas")] == [0, 0, 1, 1]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"nodes": ["c[1-2]"]}, "switches is 2, but nodes has 1 sets"),
        ({"nodes": "c[1-9]"}, "'c5' is not attached to 'data'"),
        ({"nodes": ["c1", "c[1-2]"]}, "nodes names one of them twice"),
    ],
)
def test_a_mistake_has_its_place(other: dict[str, Any], message: str) -> None:
    """Before any node exists."""
    with pytest.raises(InputError, match=message):
        with_edges(**other)


def uplinks(path: DataPath) -> float | None:
    """Bytes/s of the uplinks."""
    found = [item for item in path.resources if item.role is ResourceRole.UPLINKS]
    return found[0].read_bytes_per_s if found else None


def path_of(whole: Study, clients: int) -> DataPath:
    """The data path to some clients."""
    return load_solution(whole, lab_kind(whole).site(whole)).data_path(clients)


@pytest.mark.parametrize(("clients", "links"), [(1, 1), (2, 2), (3, 3), (4, 4)])
def test_the_uplinks_of_the_clients_are_a_limit(clients: int, links: int) -> None:
    """Two nodes use one uplink, so that few clients use few uplinks."""
    one = uplinks(path_of(with_edges(uplinks=1), 1))
    assert one is not None
    assert uplinks(path_of(with_edges(), clients)) == pytest.approx(links * one)


def test_uplinks_without_a_known_policy_count_in_full() -> None:
    """A bound is never too low."""
    whole = with_edges(hash="layer3+4")
    one = uplinks(path_of(with_edges(uplinks=1), 1))
    assert one is not None
    assert uplinks(path_of(whole, 1)) == pytest.approx(4 * one)


def test_data_of_a_neighbour_cross_no_uplink() -> None:
    """A server at the edge switch of a client: the uplinks are no limit."""
    assert uplinks(path_of(with_edges(nodes=["nas,c[1-2]", "c[3-4]"]), 4)) is None
    assert uplinks(path_of(with_edges(nodes=["c[1-2]", "c3"]), 4)) is None
