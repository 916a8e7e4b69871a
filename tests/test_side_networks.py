"""The networks next to the data network, in the summary and in the diagram."""

from dataclasses import replace

import pytest

from seatrial.report.diagram import diagram
from seatrial.study.study import load_study
from seatrial.summary.side_networks import PowerUnit, SideNetwork, side_networks
from seatrial.summary.system import built
from tests.builders.places import ROOT

GBIT = 125e6
PRESENT = ("srv1", "srv2", "array", "c1", "c2", "c3", "c4")


def test_a_pair_has_storage_paths_and_power_control() -> None:
    """Nodes that a profile leaves out are not on any of them."""
    study = load_study(ROOT / "studies" / "nss-ha")
    power_units = (PowerUnit("pdu-a", "srv[1-2]"), PowerUnit("pdu-b", "srv[1-2]"))
    private = SideNetwork("private", "srv[1-2]", (GBIT,), 1500, "srv[1-2]", power_units)
    found = {network.name: network for network in side_networks(study, "public", PRESENT)}
    assert list(found) == ["private", "storage-a", "storage-b"]
    assert replace(found["private"], mtu=1500) == private
    assert "srv[1-2]" in found["storage-a"].nodes
    assert "array" in found["storage-a"].nodes
    assert side_networks(study, "public", ("c1",)) == ()


def test_one_network_has_none_next_to_it() -> None:
    """The study of one server."""
    study = load_study(ROOT / "studies" / "md1200-nfs")
    assert side_networks(study, study.data_network, study.node_names()) == ()


@pytest.mark.parametrize("narrow", [False, True])
def test_the_diagram_has_every_network(narrow: bool) -> None:
    """On a wide and on a narrow page."""
    nodes: dict[str, dict[str, str]] = {name: {} for name in PRESENT}
    system = built(
        {
            "site": {"kind": "emulated", "data_network": "public", "nodes": nodes},
            "servers": ["srv1", "srv2"],
            "clients": ["c1", "c2"],
        },
        load_study(ROOT / "studies" / "nss-ha"),
    )
    assert system is not None
    drawn = diagram(system, narrow=narrow)
    for printed in ("storage-a", "storage-b", "1 Gbit/s", "BMC of srv[1-2]", "pdu-b: power of"):
        assert printed in drawn
    assert "Other networks" not in diagram(replace(system, side_networks=()), narrow=narrow)
