"""Estimates depend on the roles of resources and on the declared storage, and on no name."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from seatrial.cases import Case, Variant, vary
from seatrial.matrix.resolve import resolve
from seatrial.plan.data_path import DataPath, Resource, ResourceRole
from seatrial.plan.plan import Plan
from seatrial.predict.costs import Costs
from seatrial.predict.layers import Step, balance
from seatrial.predict.output import prediction
from seatrial.predict.study import Expectation, expectation, expectations, unset_values
from seatrial.solutions.base import Solution, Storage, Wipe
from seatrial.solutions.parts.raid import Raid
from seatrial.study.points import points
from tests.builders.places import ROOT
from tests.builders.strategies import MINIMAL, study, written_in

MB = 1e6
ROLES = (
    ResourceRole.CLIENT_LINKS,
    ResourceRole.SERVER_LINKS,
    ResourceRole.STORAGE_PATHS,
    ResourceRole.DISKS,
)
USUAL = dict(zip(ROLES, ("client links", "server link", "storage paths", "disks"), strict=True))
UNUSUAL = dict(zip(ROLES, ("desks' cables", "trunk", "SAS fabric", "spindles"), strict=True))
SWAPPED = dict(zip(ROLES, ("disks", "storage paths", "server link", "client links"), strict=True))
RAID_6 = Storage(raid=Raid(level=6))
EARLY = Storage(raid=Raid(level=6), acknowledges_early=True)
LOADS: dict[str, dict[str, Any]] = {
    "stream": {"phases": ["write", "read"], "transfer_size": "1MiB", "file_size": "8MiB"},
    "small": {
        "phases": ["write", "read"],
        "transfer_size": "4KiB",
        "file_size": "8MiB",
        "pattern": "random",
        "fsync": "transfer",
    },
    "tree": {"phases": ["create", "stat", "remove"], "tree": {"depth": 1, "items": 30}},
}
COSTS = Costs(1e-9, 2e-9, 1e-5, 2e-4, 2e-3)


@dataclass
class Appliance:
    """The solution of another package: a server with a shelf of six disks."""

    names: Mapping[ResourceRole, str]
    storage: Storage
    roles: Mapping[ResourceRole, ResourceRole]
    """replaced roles"""
    servers: tuple[str, ...] = ("nas",)
    storage_nodes: tuple[str, ...] = ("nas",)
    clients: tuple[str, ...] = ("c1", "c2", "c3", "c4")
    directory: str = "/appliance"
    local_directory: str = "/shelf"
    layout: str = ""

    def plan(self, wipe: Wipe) -> Plan:
        return Plan("appliance", "nothing", ())

    removal = plan

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        return Plan("appliance", "nothing", ())

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        return DataPath(
            clients,
            (
                self._resource(ResourceRole.CLIENT_LINKS, 12 * MB * clients),
                self._resource(ResourceRole.SERVER_LINKS, 60 * MB),
                self._resource(ResourceRole.STORAGE_PATHS, 25 * MB, hard=False, held_bytes=MB),
                self._resource(ResourceRole.DISKS, 13 * MB, hard=False, held_bytes=2 * MB),
            ),
        )

    def _resource(self, role: ResourceRole, rate: float, **more: Any) -> Resource:
        return Resource(self.roles.get(role, role), self.names[role], rate, rate, **more)

    def parts(self) -> list[tuple[str, str]]:
        return []


def variant(
    names: Mapping[ResourceRole, str],
    storage: Storage,
    environment: str = "emulated",
    roles: Mapping[ResourceRole, ResourceRole] | None = None,
) -> Variant:
    """The small study with an appliance in place of its NFS server."""
    data = copy.deepcopy(MINIMAL)
    if environment == "hosts":
        devices = [f"/dev/disk/by-id/wwn-{number}" for number in range(6)]
        data["environment"] = {"kind": "hosts"}
        data["nodes"]["nas"]["disks"]["devices"] = devices
    solution: Solution = Appliance(names, storage, roles or {})
    return replace(vary(study(data)), solution=solution)


def estimates(
    of: Variant, load: str, clients: int = 2, costs: Costs | None = None
) -> list[Expectation]:
    """The expectation of each phase of a load with this number of clients."""
    data = copy.deepcopy(MINIMAL)
    data["experiments"] = {"one": {"workload": LOADS[load]}}
    experiment = study(data).experiments["one"]
    (point,) = points(experiment, clients)
    case = Case("one", experiment, point, of)
    return [expectation(case, phase, costs) for phase in point.workload.phases]


def without_names(item: Expectation, names: Mapping[ResourceRole, str]) -> dict[str, Any]:
    """All figures of an expectation; each name of a resource replaced by its role."""
    role_of = {name: str(role) for role, name in names.items()}
    forecast = item.forecast

    def role(name: str) -> str:
        return role_of.get(name, name)

    def step(found: Step) -> Step:
        return replace(found, layer=role(found.layer), next_layer=role(found.next_layer))

    return {
        "layers": [replace(layer, name=role(layer.name)) for layer in item.layers],
        "demand": item.demand,
        "bound": (item.bound, role(forecast.bound_layer)),
        "estimate": (item.estimate, role(forecast.layer)),
        "utilisations": {role(name): share for name, share in forecast.utilisations.items()},
        "steps": [step(found) for found in balance(item.layers, item.demand)],
    }


@pytest.mark.parametrize("names", [UNUSUAL, SWAPPED], ids=["unusual", "swapped"])
@pytest.mark.parametrize("storage", [Storage(), RAID_6, EARLY], ids=["plain", "raid", "early"])
@pytest.mark.parametrize("environment", ["emulated", "hosts"])
@pytest.mark.parametrize("load", LOADS)
def test_names_of_resources_change_no_estimate(
    names: Mapping[ResourceRole, str], storage: Storage, environment: str, load: str
) -> None:
    """Also with more clients than the study has, and with calibrated costs."""
    usual = variant(USUAL, storage, environment)
    other = variant(names, storage, environment)
    for clients, costs in ((2, None), (9, None), (2, COSTS)):
        expected = estimates(usual, load, clients, costs)
        found = estimates(other, load, clients, costs)
        for one, two in zip(expected, found, strict=True):
            assert without_names(two, names) == without_names(one, USUAL)


def test_links_of_clients_grow_with_clients() -> None:
    """And no other links do, whatever their name."""
    few, many = (estimates(variant(UNUSUAL, RAID_6), "stream", count)[1] for count in (1, 9))
    assert (few.forecast.bound_layer, many.forecast.bound_layer) == ("desks' cables", "trunk")
    other = variant(USUAL, RAID_6, roles={ResourceRole.CLIENT_LINKS: ResourceRole.OTHER})
    assert estimates(other, "stream", 9)[1].forecast.bound_layer == "client links"


def test_a_small_write_costs_what_the_declared_raid_costs() -> None:
    """RAID 6 needs six accesses; disks of a pool have only their rate."""
    plain, raid = (estimates(variant(UNUSUAL, it), "small")[0] for it in (Storage(), RAID_6))
    assert raid.estimate < plain.estimate / 2
    pool = {ResourceRole.DISKS: ResourceRole.DISK_POOL}
    pooled = estimates(variant(UNUSUAL, RAID_6, roles=pool), "small")[0]
    assert pooled.estimate > raid.estimate


def test_a_server_that_acknowledges_early_does_not_wait_for_its_disks() -> None:
    """Its paths and disks are no layers of a small write, and each is one of a read."""
    write, read = estimates(variant(UNUSUAL, EARLY), "small")
    below = {ResourceRole.STORAGE_PATHS, ResourceRole.DISKS}
    assert not below & {layer.role for layer in write.layers}
    assert below <= {layer.role for layer in read.layers}


def test_the_declared_access_time_replaces_that_of_a_rotating_disk() -> None:
    """A tenth of a millisecond: more operations, and no assumption in the source."""
    fast = Storage(disk_access_s=1e-4)
    for load in ("small", "tree"):
        slow, quick = (
            estimates(variant(UNUSUAL, it, "hosts"), load)[0] for it in (Storage(), fast)
        )
        assert quick.estimate > slow.estimate
    (disks,) = [layer for layer in estimates(variant(UNUSUAL, fast, "hosts"), "small")[1].layers
                if layer.role is ResourceRole.DISKS]  # fmt: skip
    assert disks.per_request_s == 1e-4
    assert disks.source.endswith("0.1 ms an access")


def test_a_raid_that_the_study_leaves_to_the_default_is_declared() -> None:
    """RAID 6 of the array of a pair."""
    data = copy.deepcopy(written_in(ROOT / "studies/nss-ha/study.yaml"))
    del data["solution"]["array"]["raid"]
    (array,) = prediction(resolve(study(data), "quick")).storage
    assert array.level == 6


def test_packets_of_a_pair_have_the_size_of_its_clients_network() -> None:
    """Also where the study lists another network first."""
    data = copy.deepcopy(written_in(ROOT / "studies/nss-ha/study.yaml"))
    sizes = []
    for first in ("public", "private"):
        data["networks"] = {first: data["networks"][first], **data["networks"]}
        found = next(iter(expectations(resolve(study(data), "quick").planned_experiments)))
        sizes += [layer.packet_bytes for layer in found.layers if layer.packet_bytes]
    assert sizes == [8948, 8948]


def test_a_solution_names_the_keys_that_would_set_a_rate() -> None:
    """As a missing value of the study."""
    storage = Storage(unset_rates={"shelf": "{read: 1GB/s}"})
    assert unset_values(variant(UNUSUAL, storage)) == {"solution.shelf": "{read: 1GB/s}"}
