"""Block servers in front of arrays without a lab: the logins, the order of the paths, and the
refusals.
"""

import copy
import re
from itertools import pairwise
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.cases import vary
from seatrial.labs.kinds import emulated
from seatrial.plan.plan import Plan
from seatrial.solutions.base import load_solution
from seatrial.solutions.kinds.gfs2_iscsi import Gfs2Iscsi, load
from seatrial.solutions.look import deployment
from seatrial.solutions.parts import lost_array
from seatrial.solutions.parts.block_servers import BlockServers
from seatrial.solutions.parts.gfs2_options import COMMAND_S, PROBE_MOST_S
from seatrial.study.points import points
from seatrial.study.study import Study, load_study
from tests.builders.iscsi import rows_of
from tests.builders.places import STUDIES
from tests.builders.strategies import study
from tests.builders.yaml_texts import loaded

SHIPPED, BALANCED = (
    STUDIES / name / "study.yaml" for name in ("gpfs-nsd-block", "gpfs-nsd-balanced")
)


def changed(**changes: Any) -> Study:
    """The shipped study with some keys of its solution changed."""
    data = loaded(SHIPPED.read_text())
    data = {
        key: data[key] for key in ("schema", "id", "environment", "networks", "nodes", "solution")
    }
    data["solution"] = {**data["solution"], **changes}
    return study(copy.deepcopy(data))


def solution(**changes: Any) -> Gfs2Iscsi:
    """Its solution."""
    found = changed(**changes)
    return load(found, emulated.site(found))


def between(**changes: Any) -> BlockServers:
    """Its block servers."""
    found = solution(**changes).block_servers
    assert found is not None
    return found


def planned(**changes: Any) -> Plan:
    """The steps of a deploy."""
    it = solution(**changes)
    return deployment(load_solution(changed(**changes), it.site), it.site, {})


@pytest.mark.parametrize("luns", [1, 2, 3, 4])
def test_primaries_take_turns_and_each_other_server_is_the_backup(luns: int) -> None:
    """Two servers share the volumes; neither is primary twice in a row."""
    it = between(luns_per_array=luns)
    ranks = [it.ranked(volume) for volume in it.volumes]
    assert all(set(rank) == {"bs1", "bs2"} for rank in ranks)
    assert all(one[0] != other[0] for one, other in pairwise(ranks))
    assert set(it.primaries) == {"bs1", "bs2"}


def test_an_array_knows_its_two_servers_and_a_server_the_nodes() -> None:
    """No other node may log in: a node with access to an array would bypass the servers."""
    offered = rows_of(planned())
    name = "iqn.2026-01.org.seatrial:gpfs-nsd-block."
    allowed = {
        node: {row[2] for row in rows if row[0] == "initiator"} for node, rows in offered.items()
    }
    servers = {f"{name}bs1", f"{name}bs2"}
    nodes = {f"{name}c{number}" for number in range(1, 5)}
    assert allowed == {"a1": servers, "a2": servers, "bs1": nodes, "bs2": nodes}


def test_a_server_offers_past_its_page_cache_and_an_array_does_not() -> None:
    """Data acknowledged from a server's memory would be lost with it; an array's memory
    outlives a server.
    """
    offered = rows_of(planned())
    direct = {
        node: {row[-1] == "direct" for row in rows if row[0] == "lun"}
        for node, rows in offered.items()
    }
    assert direct == {"a1": {False}, "a2": {False}, "bs1": {True}, "bs2": {True}}


def test_both_paths_of_a_volume_are_one_unit_with_two_ranks() -> None:
    """The identifier is the same on both servers; the unit's own data give multipath the order."""
    offered = rows_of(planned())
    it = between()
    conf = next(
        str(step.shell.content)
        for steps in planned().stages
        for step in steps.steps.get("c1", ())
        if "multipath.conf" in step.apply
    )
    for volume in it.volumes:
        paths = {
            server: row
            for server in it.options.servers
            for row in offered[server]
            if row[0] == "lun" and row[4] == volume.serial
        }
        primary, backup = it.ranked(volume)
        ranks = dict(re.findall(rf"({volume.serial}[ab]) (\d+)", conf))
        assert int(ranks[paths[primary][6]]) > int(ranks[paths[backup][6]])
    assert "no_path_retry queue" in conf
    assert "failback immediate" in conf


def test_a_server_without_its_array_ends_before_its_clients_ask_elsewhere() -> None:
    """By the sum of the timers, at the longest probe that is allowed."""
    assert 2 * PROBE_MOST_S + lost_array.LOST_S < COMMAND_S


def test_every_byte_crosses_a_server_twice() -> None:
    """Its links to nodes and to arrays bound it as the others do."""
    names = [resource.name for resource in solution().data_path(2).resources]
    assert names == [
        "node links", "block servers' links to nodes", "block servers' links to arrays",
        "front-end ports", "disks",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"block_servers": {"a1": "bs[1-2]"}},
            "a2 has 0 block servers; a dual-ported array has two",
        ),
        (
            {"block_servers": {"a1": "bs[1-2]", "a2": "bs1"}},
            "a2 has 1 block servers; a dual-ported array has two",
        ),
        (
            {"block_servers": {"a1": "bs[1-2]", "a2": "bs[1-2]", "a3": "bs[1-2]"}},
            "a3 is not a member; one of a1, a2",
        ),
        (
            {"block_servers": {"a1": "bs[1-2]", "a2": "a1,bs1"}},
            "a1 is an array; a block server is a separate node",
        ),
        (
            {"block_servers": {"a1": "bs[1-2]", "a2": "bs[3-4]"}},
            "'bs3' is not a node of this study",
        ),
        (
            {"block_servers": {"a1": "bs[1-2]", "a2": "bs1,c4"}, "nodes": "c[1-4]"},
            "c4 is a compute node; a block server is a separate node",
        ),
        ({"array_network": "private"}, "a1 is not attached to the network 'private'"),
        ({"group": "10.10.200.1/16"}, "group cannot be used with block_servers"),
        ({"raw_volumes": 1}, "raw_volumes cannot be used with block_servers"),
        ({"timers": {"path_probe_s": 11}}, "with block_servers at most 10 s"),
    ],
)
def test_a_mismatch_is_refused(changes: dict[str, Any], words: str) -> None:
    """Before any node exists."""
    with pytest.raises(InputError) as caught:
        solution(**changes)
    assert words in str(caught.value)


def test_twice_the_servers_or_twice_the_links_are_in_balance_with_the_controllers() -> None:
    """Figures 6 and 7 of the paper: the arrays bind there, and the servers' links where it was
    tested.
    """
    found = load_study(BALANCED)
    binds = {}
    for point in points(found.experiments["balance"], 2):
        variant = vary(found, {**point.solution, **point.site})
        slowest = variant.solution.data_path(2).bottleneck("read")
        assert slowest is not None
        binds[point.values["variant"]] = slowest.name
    assert binds.pop("tested") == "block servers' links to nodes"
    assert binds == dict.fromkeys(("figure-6", "figure-7", "controllers"), "front-end ports")
