"""`predict` and `calibrate`: of studies, against the published results, and against records."""

import copy
import json
import re
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seatrial.basics.errors import InputError
from seatrial.cases import vary
from seatrial.cli import app
from seatrial.matrix.resolve import resolve
from seatrial.plan.data_path import ReadAhead
from seatrial.predict import measured
from seatrial.predict.costs import SERVER_PROCESSOR
from seatrial.predict.measured import calibrate, measured_points, validate_results
from seatrial.predict.outages import outages
from seatrial.predict.output import prediction, prediction_text
from seatrial.predict.study import COMMIT_S, LAB_ROUND_TRIP_S, LAB_TURN_S, Expectation, expectations
from seatrial.result.result import read_result
from seatrial.solutions.parts import ceph_path
from seatrial.solutions.parts.ceph_options import Data
from seatrial.study.study import load_study
from seatrial_research import validate
from seatrial_research.markdown import rows_page, with_generated
from seatrial_research.rows import Row
from seatrial_research.text import validation_text
from seatrial_research.validate import USED_OF, Validation, paper_rows, validate_papers
from tests.builders.mounts import mounted
from tests.builders.places import ROOT
from tests.builders.results import phase as measured_phase
from tests.builders.results import result_of
from tests.builders.strategies import MINIMAL, study

STUDIES = sorted(path.parent.name for path in (ROOT / "studies").glob("*/study.yaml"))
KEPT = ROOT / "tests" / "data" / "nss-ha-quick"


@pytest.fixture(scope="module")
def validation() -> Validation:
    """The five papers."""
    return validate_papers()


def run(*words: str) -> str:
    """The output of a verb; InputError as it raises."""
    done = CliRunner().invoke(app, list(words), catch_exceptions=True)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


# ---- the published results


def test_no_published_figure_is_above_the_bound_unexplained(validation: Validation) -> None:
    """One is above it, and an erratum names why: the paper's own doubt of 4058 MB/s."""
    above = [line for line in validation.table if line.exceeded]
    assert validation.bound_exceeded == 0
    assert [(line.workload, line.explanation.split(":")[0]) for line in above] == [
        ("sequential read, NSS4-HA", "erratum E18")
    ]


def test_the_goals_of_the_medians(validation: Validation) -> None:
    """Cold within a factor of 1.5, calibrated within 15 % of the rows kept out."""
    assert validation.cold_median_factor <= 1.5
    assert validation.median_error <= 0.15


def test_rows_are_kept_out_by_a_rule(validation: Validation) -> None:
    """For each paper every third normal row is used, beginning with the first."""
    for paper in {line.paper for line in validation.table}:
        usable = [
            line for line in validation.table if line.paper == paper and line.use != "anomaly"
        ]
        assert [line.use == "used" for line in usable] == [
            index % USED_OF == 0 for index in range(len(usable))
        ]


def test_every_outlier_is_explained_and_no_estimate_exceeds_its_bound(
    validation: Validation,
) -> None:
    """An explanation names an erratum, a cache, or a fact that the paper does not state."""
    for line in validation.table:
        assert max(line.cold, line.calibrated) <= line.bound * (1 + 1e-9)
        if line.factor > 1.5 or abs(line.error) > 0.3 or line.exceeded:
            assert line.explanation
            assert "unexplained" not in line.explanation, line


def test_a_cold_estimate_knows_nothing_of_its_own_paper(
    monkeypatch: pytest.MonkeyPatch, validation: Validation
) -> None:
    """With all its figures ten times as high, its cold estimates stay the same, and those of
    the others change.
    """

    def changed() -> list[list[Row]]:
        return [
            [replace(row, value=row.value * 10) if row.paper == "nss-ha" else row for row in rows]
            for rows in paper_rows()
        ]

    monkeypatch.setattr(validate, "paper_rows", changed)
    cold = {
        (line.paper, line.workload, line.clients): line.cold
        for line in validate.validate_papers().table
    }
    before = {(line.paper, line.workload, line.clients): line.cold for line in validation.table}
    assert {key: value for key, value in cold.items() if key[0] == "nss-ha"} == {
        key: value for key, value in before.items() if key[0] == "nss-ha"
    }
    assert cold != before


def test_kept_out_rows_teach_nothing(
    monkeypatch: pytest.MonkeyPatch, validation: Validation
) -> None:
    """A figure that is kept out may have any value: no calibrated estimate of its paper changes."""

    def changed() -> list[list[Row]]:
        papers = paper_rows()
        index = next(
            index for index, rows in enumerate(papers) if rows[0].paper == "gfs-equallogic"
        )
        papers[index][1] = replace(papers[index][1], value=1.0)
        return papers

    def of(found: Validation) -> list[float]:
        return [line.calibrated for line in found.table if line.paper == "gfs-equallogic"]

    monkeypatch.setattr(validate, "paper_rows", changed)
    assert of(validate.validate_papers()) == of(validation)


def test_the_page_has_the_figures_of_today(validation: Validation) -> None:
    """Otherwise: python -m seatrial_research.markdown docs."""
    page = (ROOT / "docs" / "prediction.md").read_text()
    assert with_generated(page, validation) == page
    rows = (ROOT / "docs" / "prediction-rows.md").read_text()
    assert rows_page(validation) == rows
    assert (
        sum(line.startswith("| ") for line in rows.split("| paper |", 1)[1].splitlines())
        == validation.rows + 1
    )
    with pytest.raises(ValueError, match="lacks"):
        with_generated("# no place", validation)


def test_validate_prints_exactly_these_keys() -> None:
    """Programs read them."""
    found = json.loads(run("predict", "--validate", "--json"))
    assert set(found) == {"rows", "bound_exceeded", "cold_median_factor", "median_error", "table"}
    assert found["rows"] == len(found["table"]) == 172
    first = found["table"][0]
    assert {"paper", "workload", "clients", "published", "unit", "bound", "cold", "factor"} <= set(
        first
    )
    assert {"calibrated", "error", "use", "layer", "explanation"} <= set(first)


def test_validation_in_words(validation: Validation) -> None:
    """The four figures come first."""
    text = validation_text(validation)
    assert text.startswith(
        "172 published figures; 0 above the bound and unexplained\ncold: median factor 1.30\n"
    )


# ---- studies


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_can_be_predicted(name: str) -> None:
    """Each point has an estimate that is above 0 and not above its bound, and every layer has a
    source.
    """
    study = load_study(ROOT / "studies" / name / "study.yaml")
    for item in expectations(resolve(study, "full").planned_experiments):
        assert 0 < item.estimate <= item.bound * (1 + 1e-9), item
        assert all(layer.source for layer in item.layers)
    assert prediction_text(prediction(resolve(study, "full")))


def _copy_of(phase: str, changes: dict[str, Any], **workload: Any) -> Expectation:
    """The copy in the minimal study, with changed keys of its parts and of the workload."""
    data = copy.deepcopy(MINIMAL)
    for key, value in changes.items():
        data[key] = {**data[key], **value}
    load = {
        "phases": [phase],
        "sizes": [{"file_size": "1MiB", "files": 2}, {"file_size": "4KiB", "files": 9}],
        **workload,
    }
    data["experiments"] = {"copies": {"workload": load, "sweep": {"clients": [1]}}}
    return next(iter(expectations(resolve(study(data), "full").planned_experiments)))


def test_a_copys_figure_is_of_its_whole_mix() -> None:
    """Discarded parts are included in the rate: all bytes over all time; tables omit them."""
    found = _copy_of("copy-to-storage", {}, discard=3).demand
    assert (found.files_bytes, found.files) == ((2.0**20, 2.0**12), (5, 12))


def test_the_end_of_a_file_depends_on_its_disks_and_its_export() -> None:
    """Round trips and a commit, which on a lab's disks is no access of rotating ones; async waits
    for no disk.
    """
    lab = 3 * LAB_ROUND_TRIP_S
    sync = _copy_of("copy-to-storage", {}).demand
    assert lab < sync.per_file_s < lab + COMMIT_S
    assert sync.commits
    waiting = _copy_of(
        "copy-to-storage", {"solution": {**MINIMAL["solution"], "export": {"mode": "async"}}}
    ).demand
    assert (waiting.per_file_s, waiting.commits) == (lab, False)
    reading = _copy_of("copy-from-storage", {}).demand
    assert (reading.per_file_s, reading.commits) == (2 * LAB_ROUND_TRIP_S, False)
    busy = {
        load: _copy_of("copy-from-storage", {}, server_load=load).demand.per_file_s
        for load in (0.75, 1)
    }
    assert busy == {0.75: reading.per_file_s, 1: pytest.approx(2 * (LAB_ROUND_TRIP_S + LAB_TURN_S))}


def test_a_servers_processor_is_a_layer_and_no_bound() -> None:
    """A share of one, other work on it, and the packets of the network's MTU."""
    nas = {"nas": {**MINIMAL["nodes"]["nas"], "processor": 0.05}}
    found = [
        _copy_of("copy-from-storage", {"nodes": nodes, "networks": {"data": {"mtu": mtu}}}, **load)
        for nodes, mtu, load in [
            ({}, 9000, {}),
            (nas, 9000, {}),
            (nas, 1500, {}),
            (nas, 1500, {"server_load": 0.75}),
        ]
    ]
    layers = [
        next(layer for layer in item.layers if layer.name == SERVER_PROCESSOR) for item in found
    ]
    assert [layer.share for layer in layers] == [1, 0.05, 0.05, 0.025]
    assert [layer.packet_bytes for layer in layers] == [8948, 8948, 1448, 1448]
    assert found[0].bound == found[1].bound
    assert found[2].bound == found[3].bound
    estimates = [item.estimate for item in found]
    assert estimates == sorted(estimates, reverse=True)
    assert found[3].forecast.layer == SERVER_PROCESSOR


def test_additional_reads_of_cephs_clients() -> None:
    """Whole objects for a smaller part, unless reads are random; and a read-ahead after a part.

    For the trial's 2 MiB per client, another 1 MiB by `rasize`. For 1 MiB, which one miss fetches,
    none that delays others. For 256 KiB at random, an object of 1 MiB.
    """
    trial = load_study(ROOT / "studies/gpfs-nsd/study.yaml")
    found = {
        (item.experiment, item.point, item.phase): item.demand
        for item in expectations(resolve(trial, "trial").planned_experiments)
    }

    def shares(experiment: str, point: str, phase: str) -> tuple[float, float]:
        demand = found[experiment, point, phase]
        return demand.fetched_share, demand.ahead_share

    assert shares("large", "variant=gbe,clients=16", "read") == (1, 1 + 15 / 32)
    assert shares("large", "variant=gbe,clients=1", "read") == (1, 1)
    assert shares("large", "variant=gbe,clients=16", "write") == (1, 1)
    assert shares("large", "variant=fast-ethernet,clients=16", "read") == (1, 1)
    assert shares("small", "variant=random,clients=16", "read") == (4, 1)
    assert shares("small", "variant=hinted,clients=16", "read") == (1, 1)


def test_figures_of_the_kernel_client_apply_to_no_other() -> None:
    """Clients by NFS, and by ceph-fuse on storage servers, and tasks on the servers themselves."""
    full = load_study(ROOT / "studies/gpfs-nsd/study.yaml")
    rows = (
        full.experiments["nfs-beside"].variants["nfs-alone"].overrides,
        full.experiments["client-on-server"].variants["mixed"].overrides,
    )
    by_nfs, by_fuse = (vary(full, row).solution for row in rows)
    kernel = vary(full).solution
    assert kernel.data_path(4).read_ahead == ReadAhead(2**20, 2**20)
    assert [
        path.read_ahead
        for path in (by_nfs.data_path(4), by_fuse.data_path(4), kernel.data_path(4, local=True))
    ] == [
        None,
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("mount", "ahead"),
    [
        ((), (2**23, 2**20)),
        (("noatime", "rasize=524288"), (2**19, 0)),
        (("rasize=2097152",), (2**21, 2**20)),
        (("rasize=2M",), (2**23, 2**20)),
    ],
)
def test_how_far_cephs_clients_read_ahead(mount: tuple[str, ...], ahead: tuple[int, int]) -> None:
    """The value of the mount, or the kernel's 8 MiB; a larger object is not fetched completely."""
    assert ceph_path.read_ahead(mount, Data.model_validate({"object_size": "1MiB"})) == ReadAhead(
        *ahead
    )


def test_what_if_raises_the_bound_to_the_next_layer() -> None:
    """A faster server link: then eight clients' own links bind."""
    study = str(ROOT / "studies" / "md1200-nfs")

    def bounds(*words: str) -> set[tuple[str, float]]:
        points = json.loads(run("predict", study, "--json", *words))["points"]
        return {
            (item["bound_layer"], round(item["bound"]))
            for item in points
            if item["experiment"] == "fig7" and item["clients"] == 8 and item["phase"] == "read"
        }

    assert bounds() == {("server link", 31032203)}
    assert bounds("--set", "nodes.nas.link=100Gbit/s") == {("client links", 99439002)}


def test_a_sweep_goes_beyond_the_clients_of_the_study() -> None:
    """Doubling up to the last; the bound never falls, except for the content of a link's
    token bucket.
    """
    found = json.loads(
        run(
            "predict", str(ROOT / "studies" / "md1200-nfs"), "--sweep", "clients=1..10000", "--json"
        )
    )
    points = [
        item for item in found["points"] if (item["experiment"], item["phase"]) == ("fig7", "read")
    ]
    assert [item["clients"] for item in points] == [2**power for power in range(14)] + [10_000]
    bounds = [item["bound"] for item in points]
    assert all(later > 0.999 * before for before, later in pairwise(bounds))


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--set", "nodes.nas"),
        ("--set", "nodes.absent.link=1Gbit/s"),
        ("--set", "nodes.nas.link=fast"),
        ("--sweep", "threads=1..4"),
        ("--sweep", "clients=4..1"),
        ("--sweep", "clients=0..4"),
        ("--calibration", "absent.json"),
    ],
)
def test_an_unpredictable_study_is_a_mistake_of_the_user(words: tuple[str, ...]) -> None:
    """Named, not a traceback."""
    study = [str(ROOT / "studies" / "md1200-nfs")] if words else []
    with pytest.raises(InputError):
        run("predict", *study, *words)


def test_outages_are_sums_of_the_solutions_timers() -> None:
    """Every fault of a study; a limit's terms add up to it."""
    study = load_study(ROOT / "studies" / "nss-ha" / "study.yaml")
    found = {
        item.fault: item for item in outages(resolve(study, "full").planned_faults, work_ms={})
    }
    assert set(found) == set(study.faults)
    path = found["storage-path"]
    # Probe 2 s, replacement 1 s.
    assert path.total_s == sum(seconds for _, seconds in path.parts) == 3.0
    assert "open-iscsi" in path.words
    assert found["lying-bmc"].total_s is None
    assert found["lying-bmc"].words == "no limit is stated"


# ---- records


def test_a_stored_result_against_its_cold_prediction() -> None:
    """One point of three repeats: 9.5 MB/s measured, 25.2 MB/s the bound of two clients' links."""
    found = validate_results([read_result(KEPT)])
    assert (found.rows, found.bound_exceeded) == (1, 0)
    line = found.table[0]
    assert (line.experiment, line.point, line.phase, line.repeats) == (
        "seq",
        "clients=2",
        "write",
        3,
    )
    assert line.measured == pytest.approx(9533351, rel=1e-6)
    assert line.bound == pytest.approx(25163528, rel=1e-6)  # 16 MiB; two buckets pass immediately
    # Links, then paths, then disks: 16 MiB wait for the commit.
    assert line.estimate == pytest.approx(12.6e6, rel=0.01)
    assert json.loads(run("predict", "--validate", str(KEPT), "--json"))["rows"] == 1
    assert "1 measured points; 0 above the bound" in run("predict", "--validate", str(KEPT))


@pytest.mark.parametrize(("factor", "exceeded"), [(1.0004, 0), (1.0006, 1)])
def test_above_the_bound_excludes_the_error_of_clocks(
    tmp_path: Path, factor: float, exceeded: int
) -> None:
    """Half a millisecond in a second: a rate is known to 0.05 %."""
    data = copy.deepcopy(MINIMAL)
    data["experiments"] = {
        "one": {
            "workload": {"transfer_size": "64KiB", "file_size": "1GiB"},
            "sweep": {"clients": [1]},
        }
    }
    bound = validate_results([result_of(tmp_path / "a", data, measured_phase())]).table[0].bound
    item = measured_phase(factor * bound, clock_error_s=0.0005, last_done_s=1.0)
    assert validate_results([result_of(tmp_path / "b", data, item)]).bound_exceeded == exceeded


def test_the_interval_of_a_calibration_is_of_points_that_no_fit_has_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fit can memorise its points: the error of each point is that of a fit without it, and
    each has one.
    """

    class Point:
        def error(self, costs: Any) -> float:
            return 0.0 if self in costs else 1.0

    monkeypatch.setattr(measured, "_fit", lambda used: used)
    found: list[Any] = [Point() for _ in range(13)]
    assert measured.left_out_errors(found) == [1.0] * 13


def test_a_calibration_fits_the_used_points_and_can_be_read_again(tmp_path: Path) -> None:
    """Two points used, one kept out, which is the same point: nearly exact; its costs predict
    a study.
    """
    result = read_result(KEPT)
    found = calibrate([result, result, result])
    assert (found.used, found.kept_out) == (2, 1)
    assert (found.costs.write_s_per_byte or 0.0) > 0
    assert found.cold_median_error is not None
    assert found.cold_median_error > 0.2
    assert found.median_error is not None
    assert found.median_error < 0.01
    assert found.interval_factor is None  # two points are too few for a 90 % interval
    assert found.noise_floor is not None
    assert found.noise_floor > 0.05
    file = tmp_path / "costs.json"
    file.write_text(json.dumps(asdict(found)))
    study = str(ROOT / "studies" / "nss-ha")
    cold, warm = (
        json.loads(run("predict", study, "--json", *words))["points"][0]["estimate"]
        for words in ((), ("--calibration", str(file)))
    )
    assert warm < cold
    assert "kept out" in run("calibrate", str(KEPT))


def test_cached_and_partial_points_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """They show nothing about the storage."""
    result = read_result(KEPT)
    result.phases[:] = [replace(phase, cached="the server's") for phase in result.phases]
    assert measured_points([result]) == []
    assert validate_results([result]).median_error is None


def test_without_a_rate_there_is_no_estimate() -> None:
    """Assumptions alone give no figure; the message names the missing keys, and none of a lab."""
    data = {**mounted(), "nodes": {"localhost": {}}}
    data["experiments"] = {"streams": {"workload": {"transfer_size": "1MiB", "file_size": "1GiB"}}}
    found = prediction(resolve(study(data), "full"))
    text = prediction_text(found)
    assert {item.estimate for item in found.points} == {float("inf")}
    assert re.search(r"streams +only +write +1 +unknown +unknown$", text, re.MULTILINE)
    assert list(found.unsaid) == ["nodes.localhost.link", "solution.rated"]
    assert "  solution.rated: {read: 3GB/s, write: 2GB/s}, the storage's nominal rate" in text
    assert "Sources" not in text
    assert "environment" not in text
    data["solution"] = {**data["solution"], "rated": {"read": "3GB/s", "write": "2GB/s"}}
    rated = prediction(resolve(study(data), "full"))
    assert all(item.estimate <= 3e9 for item in rated.points)
    assert list(rated.unsaid) == ["nodes.localhost.link"]  # which alone would make a bound
    assert prediction(resolve(study(), "full")).unsaid == {}
