"""The report of the layers that bind, and of more servers."""

from pathlib import Path

import pytest

from seatrial.cases import vary
from seatrial.judge.published import published_data
from seatrial.matrix.resolve import resolve
from seatrial.plan.data_path import ResourceRole
from seatrial.report import laws, machines, references
from seatrial.study.experiment import Experiment
from seatrial.study.points import points as points_of
from seatrial.study.study import load_study
from seatrial.summary import scaling
from seatrial.summary.points import measured
from seatrial_research.validate import PAPERS
from tests.builders.places import ROOT
from tests.builders.reports import cells
from tests.builders.results import phase


def test_the_balance_of_layers_is_that_of_the_highest_point() -> None:
    """Each layer's share of its capacity; a layer without a rate is left out, a single one
    shows nothing.
    """
    layers = (("client links", 8e6), ("server links", 4e6), ("disks", 0.0))
    at = {"layers": layers, "bound": "server links"}
    points = measured(
        [phase(rate, point={"clients": int(rate / 1e6)}, **at) for rate in (1e6, 3e6)]
    )
    found = laws.balance("", points)
    assert found.groups == ((0, "clients 3, read"),)
    assert [tuple(cells(found, row).values()) for row in range(len(found.rows))] == [
        ("client links", "8.00", "3.00", "38 %", ""),
        ("server links", "4.00", "3.00", "75 %", "this"),
    ]
    assert laws.balance("", measured([phase(layers=layers[1:])])).rows == ()


@pytest.mark.parametrize("name", ["gpfs-nsd", "gpfs-nsd-balanced"])
def test_servers_bind_where_their_number_is_varied(name: str) -> None:
    """In every row of the shipped studies, so that the table of what more servers bring has them
    all.
    """
    shipped = load_study(Path(name))
    experiment = shipped.experiments["servers"]
    found = {}
    for point in points_of(experiment, len(vary(shipped).solution.clients)):
        printed = scaling.servers_of(experiment, point.values)
        bound = (
            vary(shipped, {**point.solution, **point.site})
            .solution.data_path(point.clients)
            .bound("write")
        )
        assert printed is not None
        assert bound is not None
        assert bound.name in scaling.BOUNDS[printed[0]], point.values
        found[printed[1]] = bound.write_bytes_per_s
    fewer, more = sorted(found.values())
    assert fewer < more


def test_the_names_of_bounds_are_those_of_servers_links_and_of_ports_of_arrays() -> None:
    """In all shipped studies; a result has no roles to find them by."""
    roles_by_name: dict[str, set[ResourceRole]] = {}
    for path in sorted((ROOT / "studies").glob("*/study.yaml")):
        for case in resolve(load_study(path), "full").cases:
            for resource in case.data_path.resources:
                roles_by_name.setdefault(resource.name, set()).add(resource.role)
    of_servers = {ResourceRole.SERVER_LINKS, ResourceRole.ARRAY_PORTS}
    expected = {name for name, roles in roles_by_name.items() if roles & of_servers}
    assert {name for names in scaling.BOUNDS.values() for name in names} == expected
    assert all(len(roles) == 1 for roles in roles_by_name.values())


def test_the_gain_of_more_servers_is_reported_with_its_interval() -> None:
    """Three servers of 10 MB/s are exceeded by 3, four by 8; one number of servers has no
    such table, whatever their links.
    """
    rates = {"three": (30e6, (26e6, 27e6, 28e6)), "four": (40e6, (32e6,))}
    points = measured(
        [
            phase(
                rate,
                point={"variant": row},
                repeat=number,
                bound="server links",
                bound_bytes_per_s=bound,
            )
            for row, (bound, repeats) in rates.items()
            for number, rate in enumerate(repeats, start=1)
        ]
    )
    rows = {
        "three": {"overrides": {"solution.servers": "s[1-3]"}},
        "four": {"overrides": {"solution.servers": "s[1-4]"}},
    }
    workload = {"transfer_size": "4KiB", "file_size": "4KiB"}
    experiment = Experiment.model_validate({"workload": workload, "variants": rows})
    found = laws.shortfall("", points, experiment)
    assert found is not None
    three = cells(found, 0)
    four = cells(found, 1)
    assert (three["n·X"], three["rate(n)"], three["k(n)"]) == ("30.0", "27.0", "3.00")
    assert three["95 % interval of k(n)"] == "0.409 to 5.39"
    assert (four["k(n)"], four["95 % interval of k(n)"], four["rate(n) of n·X"]) == (
        "8.00",
        "–",
        "80 %",
    )
    assert laws.shortfall("", points[:1], experiment) is None
    faster = Experiment.model_validate(
        {"workload": workload, "variants": {name: {"overrides": {}} for name in rows}}
    )
    assert laws.shortfall("", points, faster) is None


def test_servers_are_shown_as_they_were_while_clients_loaded_them() -> None:
    """Means over the seconds, retransmissions of a phase; a server without lines gets no invented
    figures.
    """
    line = {
        "unix_s": 1.0,
        "cpus_busy_share": 0.5,
        "network_received_bytes": 3_000_000,
        "network_sent_bytes": 0,
    }
    disks = {"disk_read_bytes": 0, "disk_written_bytes": 4_000_000, "disk_busy_share": 0.25}
    memory = {
        "memory_available_bytes": 200_000_000,
        "memory_dirty_bytes": None,
        "retransmitted_segments": 3,
    }
    seconds = ({**line, **disks, **memory}, {**line, **disks, **memory, "cpus_busy_share": 0.7})
    found = machines.servers_table("", measured([phase(servers={"nas": seconds, "spare": ()})]))
    first = cells(found, 0)
    second = cells(found, 1)
    assert (first["server"], first["CPUs busy †"], first["received"]) == ("nas", "60 %", "3.00")
    assert (first["disks wrote"], first["disks busy"], first["retransmitted"]) == (
        "4.00",
        "25 %",
        "6.00",
    )
    assert (second["server"], second["CPUs busy †"], second["disks wrote"]) == ("spare", "–", "–")
    shared = machines.servers_table(
        "", measured([phase(servers={"s1": seconds, "s2": (*seconds, *seconds)})])
    )
    assert [cells(shared, row)["of all servers' bytes"] for row in (0, 1)] == ["33 %", "67 %"]
    alone = machines.servers_table("", measured([phase(servers={"nas": seconds})]))
    assert "of all servers' bytes" not in cells(alone, 0)
    assert machines.servers_table("", measured([phase()])).rows == ()


@pytest.mark.parametrize("paper", [module.PAPER for module in PAPERS])
def test_every_figure_of_a_papers_parts_is_reported(paper: str) -> None:
    """Also where the paper has a minimum, or a range."""
    found = references.parts(published_data(paper))
    assert found.rows
    assert not [cell for row in found.rows for cell in row if "None" in str(cell)]
