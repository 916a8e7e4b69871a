"""Profiles of a study, and the nodes that each has."""

import copy
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.matrix.resolve import resolve
from seatrial.service.session import solutions_of
from seatrial.study.points import points
from seatrial.study.profiles import COMMON_PROFILES
from seatrial.study.study import load_study
from tests.builders.places import STUDIES
from tests.builders.strategies import MINIMAL, changed, study

SHIPPED = sorted(STUDIES.glob("*/study.yaml"))


def test_profiles_shorten_an_experiment() -> None:
    """`quick` replaces keys, and `false` leaves the experiment out."""
    data = changed("experiments.one.quick", {"repeats": 1, "workload": {"file_size": "1MiB"}})
    data["experiments"]["two"] = {**MINIMAL["experiments"]["one"], "profiles": ["trial", "full"]}
    quick = study(data).experiments_in("quick")
    assert list(quick) == ["one"]
    assert (
        quick["one"].repeats,
        quick["one"].workload.file_size,
        quick["one"].workload.transfer_size,
    ) == (
        1,
        2**20,
        65536,
    )
    assert list(study(data).experiments_in("full")) == ["one", "two"]


def test_a_variant_shares_its_unchanged_parts() -> None:
    """And changes nothing of the study; a changed part is read again."""
    base = study(changed("experiments.one.quick", {"repeats": 1}))
    before = copy.deepcopy(base.source.data)
    variant = base.with_values(
        {"solution.export.threads": 4, "solution.mount.version": 3, "nodes.nas.link": "1Gbit/s"}
    )
    assert variant.solution.options() == {
        **base.solution.options(),
        "export": {"threads": 4},
        "mount": {"version": 3},
    }
    assert variant.node("nas").link == 125e6
    assert variant.experiments["one"] is base.experiments["one"]
    assert variant.experiments_in("quick")["one"] is base.experiments_in("quick")["one"]
    other = base.with_values({"experiments.one.repeats": 3})
    assert (other.experiments["one"].repeats, base.experiments["one"].repeats) == (3, 2)
    with pytest.raises(InputError, match=r"experiments\.one\.repeats: "):
        base.with_values({"experiments.one.repeats": 0})
    assert base.source.data == before


def test_a_profile_omits_nodes_that_exclude_it() -> None:
    """Neither they nor settings of rows on them exist; the study as written is the full one."""
    whole = changed(
        "nodes.c[5-6]", {"memory": "128MiB", "link": "1Gbit/s", "profiles": ["trial", "full"]}
    )
    built = study(whole)
    assert "c6" in built.node_names()
    assert built.in_profile("trial") is built
    quick = built.in_profile("quick")
    assert "c1" in quick.node_names()
    assert "c5" not in quick.node_names()
    slower = quick.with_values({"nodes.c[5-6].link": "100Mbit/s"})
    assert slower.node_names() == quick.node_names()


def test_a_profile_asks_nothing_of_the_streams_of_another() -> None:
    """A stream names nodes that the quick profile omits, and names other nodes for it."""
    data = changed("nodes.c[5-6]", {"memory": "128MiB", "profiles": ["trial", "full"]})
    stream = {
        "consistency_test": "locks",
        "arrivals_per_s": 1,
        "clients": "c[5-6]",
        "quick": {"clients": "c[1-2]"},
    }
    quick = study({**data, "background_load": {"small": stream}}).in_profile("quick")
    assert quick.background_load_in("quick")["small"].runs_on(()) == ("c1", "c2")
    del stream["quick"]
    with pytest.raises(
        InputError, match=r"background_load\.small\.clients: no node is called 'c5'"
    ):
        study({**data, "background_load": {"small": stream}}).in_profile("quick")


def test_a_fault_has_its_node_in_every_profile_that_has_it() -> None:
    """Checked before any profile runs: the quick profile may name another node, or omit the
    fault.
    """
    fault: dict[str, Any] = {"kind": "client-crash", "clients": "c6"}
    stream = {"consistency_test": "locks", "arrivals_per_s": 1, "clients": "c[1-2]"}
    data = changed("nodes.c[5-6]", {"memory": "128MiB", "profiles": ["trial", "full"]}) | {
        "background_load": {"locks": stream}
    }
    with pytest.raises(
        InputError, match=r"faults\.gone: 'c6' is not a client.*, in the quick profile$"
    ):
        prepare(study({**data, "faults": {"gone": fault}}))
    prepare(study({**data, "faults": {"gone": {**fault, "quick": {"clients": "c2"}}}}))
    prepare(study({**data, "faults": {"gone": {**fault, "profiles": ["trial", "full"]}}}))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_every_profile_of_every_study_holds_together(path: Path) -> None:
    """With its own nodes: a run of it begins with this check."""
    found = load_study(path)
    for profile in found.all_profiles:
        of_profile = found.in_profile(profile)
        site, _solution = prepare(of_profile)
        solutions_of(of_profile, site)


def test_a_row_has_its_number_of_clients() -> None:
    """As many as the profile has, with the row's settings; a row without a number has all."""
    data = copy.deepcopy(MINIMAL)
    experiment = data["experiments"]["one"]
    del experiment["sweep"]
    experiment["variants"] = {"few": {"clients": 2}, "all": {}}
    found = study(data)
    prepare(found)
    assert [item.clients for item in points(found.experiments["one"], 4)] == [2, 4]
    experiment["variants"]["few"]["clients"] = 5
    with pytest.raises(
        InputError, match=r"variants\.few\.clients: 5 clients are asked for, the variant has 4"
    ):
        prepare(study(data))


def test_a_profile_has_the_clients_that_it_asks_for() -> None:
    """A mistake in one profile is reported before any of them runs; the others may have more
    clients.
    """
    data = changed("nodes.c[5-8]", {"memory": "128MiB", "profiles": ["trial", "full"]})
    experiment = {**MINIMAL["experiments"]["one"], "sweep": {"clients": [8]}}
    good = {**data, "experiments": {"one": {**experiment, "quick": {"sweep": {"clients": [4]}}}}}
    for profile in COMMON_PROFILES:
        prepare(study(good).in_profile(profile))
    bad = {**data, "experiments": {"one": {**experiment, "quick": {"sweep": {"clients": [2, 6]}}}}}
    words = (
        r"experiments\.one\.quick\.sweep\.clients\[1\]: 6 clients are asked for, the quick profile"
        r" has 4"
    )
    with pytest.raises(InputError, match=words):
        prepare(study(bad))
    words = "8 clients are asked for, the quick profile has 4"
    with pytest.raises(InputError, match=words):
        prepare(study({**data, "experiments": {"one": experiment}}))
    left_out = study(
        {
            **data,
            "experiments": {
                "one": {**experiment, "profiles": ["trial", "full"]},
                "two": MINIMAL["experiments"]["one"],
            },
        }
    )
    prepare(left_out)
    # As written, and with four clients: not by its name.
    with pytest.raises(InputError, match=words):
        resolve(left_out.in_profile("quick"), "quick", ["one"])
    assert list(resolve(left_out, "full", ["one"]).experiments) == ["one"]
