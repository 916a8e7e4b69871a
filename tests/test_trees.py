"""Clients with different trees at the same time: their work, and the refusals."""

import copy
from pathlib import Path
from typing import Any, get_args

import pytest

from seatrial.basics.errors import InputError
from seatrial.cases import groups_of, vary
from seatrial.check import prepare
from seatrial.judge.published_claims import judge_published
from seatrial.judge.series import series
from seatrial.labs.kinds import emulated
from seatrial.load.jobs import JobContext, jobs_of, prepared_by
from seatrial.load.phases import expected_s
from seatrial.report.words import FSYNCS, in_words
from seatrial.solutions.base import SeparateTrees, client_groups_of, kinds_alone
from seatrial.study.points import Point, points
from seatrial.study.published import SeriesRef
from seatrial.study.study import Study, load_study
from seatrial.study.workload import Workload
from tests.builders.places import PUBLISHED, STUDIES
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import MINIMAL, study
from tests.builders.yaml_texts import loaded

SHIPPED = STUDIES / "gpfs-nsd" / "study.yaml"
NFS = {"servers": "s[1-2]", "clients": "n[1-3]", "mount": {"version": 3}}
ROWS = {
    "nfs-alone": {"clients": 3, "overrides": {"solution.nfs": NFS}},
    "ceph-alone": {"clients": 2},
    "mixed": {"clients": 5, "overrides": {"solution.nfs": NFS}},
}


def beside(**changes: Any) -> Study:
    """Three storage servers, two clients of the Ceph file system, three of NFS, and the
    experiment's differences.
    """
    data = loaded(SHIPPED.read_text())
    data = {key: data[key] for key in ("schema", "id", "environment", "networks")}
    data["nodes"] = {
        "s[1-3]": {"memory": "704MiB", "link": "1Gbit/s", "disks": {"count": 1, "size": "1GiB"}},
        "c[1-2]": {"memory": "256MiB", "link": "1Gbit/s"},
        "n[1-3]": {"memory": "160MiB", "link": "100Mbit/s"},
    }
    data["solution"] = {"kind": "cephfs"}
    workload = {"layout": "n-1-segmented", "transfer_size": "1MiB", "file_size": "8MiB"}
    experiment = {
        "workload": workload,
        "kinds": {"nfs": {"file_size": "2MiB"}},
        "variants": ROWS,
        **changes,
    }
    data["experiments"] = {"beside": experiment}
    return study(copy.deepcopy(data))


def at(row: str) -> tuple[Any, Point]:
    """The solution and the point of a row."""
    found = beside()
    point = next(it for it in points(found.experiments["beside"], 5) if it.values["variant"] == row)
    return vary(found, point.solution).solution, point


def test_clients_of_each_tree_are_distinguished() -> None:
    """Those of NFS come first; the second server has one client, the first has two."""
    solution, _ = at("mixed")
    assert solution.clients == ("n1", "n2", "n3", "c1", "c2")
    assert client_groups_of(solution, solution.clients) == [("n1", "n3"), ("n2",), ("c1", "c2")]
    assert client_groups_of(solution, solution.clients[:2]) == [("n1",), ("n2",)]
    assert kinds_alone(solution) == {"nfs", "client"}
    assert isinstance(solution, SeparateTrees)


def test_a_client_reads_data_of_another_client_of_its_tree() -> None:
    """And each shared file is as long as the clients of its tree make it."""
    solution, point = at("mixed")
    groups = groups_of(solution, point, solution.clients)
    context = JobContext("run", "/mnt/x/seatrial/y", 1, None)
    read = jobs_of(groups, "read", context)
    assert {name: job.writer_client_indexes for name, job in read.items()} == {
        "n1": (1,), "n3": (0,), "n2": (0,), "c1": (1,), "c2": (0,),
    }  # fmt: skip
    sizes = {name: job.file_bytes >> 20 for name, job in read.items()}
    assert sizes == {"n1": 4, "n3": 4, "n2": 2, "c1": 16, "c2": 16}
    assert set(prepared_by(groups, context)) == set(solution.clients)


def test_an_estimate_of_the_time_counts_the_data_of_each_kind() -> None:
    """For three NFS clients 6 MiB, and not 24."""
    solution, point = at("nfs-alone")
    each_s = expected_s(solution, point, "read") - 5
    slowest = solution.data_path(3).bottleneck("read")
    assert slowest is not None
    assert each_s == pytest.approx(6 * 2**20 / slowest.rate_bytes_per_s("read"))


def test_the_bound_of_both_is_at_most_the_sum_of_both() -> None:
    """By NFS alone the clients' links bind."""
    solution, _ = at("mixed")
    alone = solution.data_path(3)
    both = solution.data_path(5)
    ceph = vary(beside()).solution.data_path(2)
    links = alone.resources[0]
    assert links.name == "client links"
    for one, all_of in zip(ceph.resources, both.resources, strict=True):
        assert all_of.read_bytes_per_s == pytest.approx(
            one.read_bytes_per_s + links.read_bytes_per_s
        )
    assert both.resources[0].burst_bytes > ceph.resources[0].burst_bytes


def test_nothing_bounds_both_where_a_rate_is_not_known() -> None:
    """Least of all the links with a known rate."""
    for group in ("c[1-2]", "n[1-3]"):
        found = beside()
        solution = vary(found, {"solution.nfs": NFS, f"nodes.{group}.link": None}).solution
        names = [item.name for item in solution.data_path(5).resources]
        assert names == (["server links"] if group == "c[1-2]" else [])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kinds": {"nfs": {"speed": 1}}}, "is not a key of a workload"),
        (
            {"kinds": {"nfs": {"phases": ["read"]}}},
            "is of all clients together; say it in the workload",
        ),
        (
            {"kinds": {"smb": {"file_size": "1MiB"}}},
            "no clients of a kind 'smb' have a tree for themselves",
        ),
        (
            {"kinds": {"nfs": {"file_size": "1536KiB"}}},
            "beside.kinds.nfs: file_size (1572864 B) is not a multiple of transfer_size",
        ),
        (
            {"workload": {"transfer_size": "1MiB", "file_size": "8MiB", "verify_tree": True}},
            "compares one tree with the logs of all clients",
        ),
    ],
)
def test_a_mismatch_is_reported_with_its_place(changes: dict[str, Any], words: str) -> None:
    """Before any node exists, with file, line and column."""
    with pytest.raises(InputError, match=r"study\.yaml:\d+:\d+: ") as caught:
        prepare(beside(**changes))
    assert words in str(caught.value)


def test_the_report_has_the_work_of_a_kind() -> None:
    """After that of all others."""
    experiment = beside().experiments["beside"]
    assert in_words(experiment.workload, experiment).endswith("; nfs clients: file_size 2MiB.")


def test_faults_need_clients_that_see_one_tree() -> None:
    """Their streams would look for each other's files."""
    data = loaded(SHIPPED.read_text())
    data["solution"]["nfs"] = {"servers": "s1", "clients": "c4"}
    with pytest.raises(
        InputError,
        match=r"study\.yaml:\d+:\d+: faults\.server-power: .* clients that all see one tree",
    ):
        prepare(study(data))


def test_a_series_may_be_of_one_kind_of_clients(tmp_path: Path) -> None:
    """Over their own time, and only where some took part."""
    nfs = client(client="n1", kind="nfs", tasks=((4 * 10**6, 8.0, 4),))
    ceph = client(client="c1", kind="client", tasks=((30 * 10**6, 3.0, 30),))
    rows = {"mixed": (nfs, ceph), "ceph-alone": (ceph,)}
    phases = [phase(clients=who, point={"variant": row}) for row, who in rows.items()]
    found = result_of(tmp_path / "r", MINIMAL, *phases)
    rates = series(found, SeriesRef(experiment="one", phase="read", kind="nfs"), "variant")
    assert {row: sample.values for row, sample in rates.samples.items()} == {"mixed": (0.5e6,)}
    assert rates.title == "one read by nfs clients"
    rates = series(found, SeriesRef(experiment="one", phase="read", kind="client"), "variant")
    assert {row: sample.values for row, sample in rates.samples.items()} == {
        "mixed": (10e6,),
        "ceph-alone": (10e6,),
    }


def test_the_study_is_valid() -> None:
    """In every profile."""
    found = beside()
    prepare(found)
    assert emulated.site(found).nodes["n1"].memory_bytes == 160 * 2**20


def test_the_claims_of_test_4b_are_judged_by_kind(tmp_path: Path) -> None:
    """C18: the clients of the Ceph file system keep their rate; C19: those of NFS have 23 %
    less.
    """
    found = load_study(SHIPPED)
    rows = {
        "nfs-alone": {"nfs": 0.40e6},
        "ceph-alone": {"client": 5e6},
        "both": {"nfs": 0.308e6, "client": 5e6},
    }
    phases = [
        phase(
            experiment="nfs-beside",
            point={"variant": row},
            repeat=repeat,
            clients=tuple(
                client(client=kind, kind=kind, tasks=((int(rate * (1 + repeat / 100)), 1.0, 1),))
                for kind, rate in rates.items()
            ),
        )
        for row, rates in rows.items()
        for repeat in (1, 2, 3)
    ]
    text = (PUBLISHED / "gpfs-nsd.yaml").read_text()
    result = result_of(tmp_path / "r", loaded(SHIPPED.read_text()), *phases, published=text)
    verdicts = {item.claim: item.verdict for item in judge_published(found, result)}
    assert (verdicts["C18"], verdicts["C19"]) == ("agrees", "agrees")


def test_the_report_has_words_for_every_fsync() -> None:
    """A value of a workload without its words would crash the report."""
    assert set(FSYNCS) == set(get_args(Workload.model_fields["fsync"].annotation))
