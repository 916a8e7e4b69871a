"""Experiments with rows: their points, the permitted differences of a row, and runs that
resume after an interruption.
"""

from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.basics.schema import validate
from seatrial.check import prepare
from seatrial.load.resume import before, matching_line, measured
from seatrial.matrix.checks import _reason
from seatrial.result.result import read_result
from seatrial.result.sealed import LINES
from seatrial.result.writer import Writer
from seatrial.study.experiment import is_path
from seatrial.study.points import points
from seatrial.study.workload import Workload
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL, changed, study

SYNC = {"solution.export.mode": "sync"}
SMALL = {"solution.mount.options": ["hard", "wsize=8192"]}
ROWS = {
    "default": {},
    "sync": {"overrides": SYNC},
    "udp": {"skip": "no such thing"},
    "two": {"workload": {"tasks": 2}},
}


def with_rows(**more: Any) -> dict[str, Any]:
    """The small study with rows in place of client counts."""
    return changed(
        "experiments.one",
        {"workload": {"transfer_size": "64KiB", "file_size": "8MiB"}, "variants": ROWS, **more},
    )


def test_each_row_is_a_point_with_its_differences() -> None:
    """Rows that are skipped are none; the experiment's own changes hold in all."""
    experiment = study(with_rows(overrides=SMALL)).experiments["one"]
    found = points(experiment, 4)
    assert [point.values for point in found] == [
        {"variant": "default"},
        {"variant": "sync"},
        {"variant": "two"},
    ]
    assert [point.solution for point in found] == [SMALL, {**SMALL, **SYNC}, SMALL]
    assert [point.workload.tasks for point in found] == [1, 1, 2]


def test_rows_are_crossed_with_the_sweep() -> None:
    """The last key varies fastest; a profile may measure some rows only."""
    experiment = study(
        with_rows(sweep={"clients": [1, 2]}, quick={"variants_run": ["sync"]})
    ).experiments_in("quick")["one"]
    assert [point.values for point in points(experiment, 4)] == [
        {"variant": "sync", "clients": 1},
        {"variant": "sync", "clients": 2},
    ]


def test_a_row_may_change_the_whole_solution_and_the_topology() -> None:
    """Links, MTUs and processors are the lab's; the solution is the plan's."""
    rows = {
        "slow": {
            "overrides": {
                "nodes.nas.link": "100Mbit/s",
                "networks.data.mtu": 1500,
                "solution": {"kind": "nfs"},
            }
        }
    }
    point = points(study(with_rows(variants=rows)).experiments["one"], 4)[0]
    assert point.site == {"nodes.nas.link": "100Mbit/s", "networks.data.mtu": 1500}
    assert point.solution == {"solution": {"kind": "nfs"}}
    assert study().with_values({**point.solution, **point.site}).networks["data"].mtu == 1500


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"variants": {"a": {"overrides": {"nodes.nas.memory": "1GiB"}}}}, "cannot be set"),
        ({"variants": {"a": {"workload": {"speed": 2}}}}, "is not a key of a workload"),
        ({"variants_run": ["async"]}, "no variant is called 'async'; one of default"),
        ({"variants": {}, "table": "T1"}, "a table has rows"),
    ],
)
def test_a_mistake_in_rows_is_reported(more: dict[str, Any], message: str) -> None:
    """With its place, before any run."""
    with pytest.raises(InputError, match=message):
        study(with_rows(**more))


def test_a_row_that_the_solution_refuses_is_reported_before_the_run() -> None:
    """Every row is built once."""
    wrong = study(with_rows(variants={"deep": {"overrides": {"solution.raid.spans": 4}}}))
    with pytest.raises(InputError, match=r"variants\.deep.*cannot be divided"):
        prepare(wrong)


def test_a_refusal_is_printed_whole() -> None:
    """Also a part of it before a colon."""
    named = "study.fencing: srv1 is on no pdu: add power: [pdu-a, pdu-b]"
    error = InputError(named, reason="srv1 is on no pdu: add power: [pdu-a, pdu-b]")
    assert _reason(error) == "srv1 is on no pdu: add power: [pdu-a, pdu-b]"
    with pytest.raises(InputError) as caught:
        validate(Workload, {"transfer_size": "none: such"}, study().source)
    assert caught.value.reason.startswith("'none: such' is not a valid size")


@pytest.mark.parametrize(
    "key", ["solution", "solution.mount", "nodes.nas.link", "nodes.nas.processor", "networks.d.mtu"]
)
def test_settings_that_change_in_service(key: str) -> None:
    """Everything of the solution, and what a lab can change from outside."""
    assert is_path(key)
    assert not is_path("nodes.nas.memory")


def test_a_cable_has_two_ends() -> None:
    """A network without a switch joins two nodes."""
    with pytest.raises(InputError, match="5 nodes are attached"):
        study(changed("networks", {"data": {"mtu": 9000, "switch": False}}))


# ---- resume


def test_an_interrupted_run_reports_its_repeats(tmp_path: Path) -> None:
    """Whole repeats only: a repeat with a missing phase is measured again."""
    done = [phase(point={"variant": "sync"}, repeat=1, phase=name) for name in ("write", "read")]
    data = with_rows(repeats=2)
    result_of(
        tmp_path / "r",
        data,
        *done,
        phase(point={"variant": "sync"}, repeat=2, phase="write"),
        complete=False,
    )
    writer = Writer(tmp_path / "r", append=True)
    writer.close()
    whole = study(data)
    (tmp_path / "r" / "study.yaml").write_text(whole.source.text)
    selected = before(tmp_path / "r", whole)
    found = selected.done
    assert found is not None
    sync = points(whole.experiments["one"], 1)[1]
    assert (selected.profile, selected.only) == ("quick", ())
    assert found.has("one", sync, 1)
    assert not found.has("one", sync, 2)
    assert not found.has("two", sync, 1)


def test_a_point_with_a_list_of_mappings_is_found_again(tmp_path: Path) -> None:
    """A sweep may vary a whole part of the solution."""
    levels = [{"level": 5}, {"level": 6}]
    data = changed("experiments.one.sweep", {"solution.raid": levels})
    five, six = points(study(data).experiments["one"], 1)
    done = [phase(point=five.values, phase=name) for name in five.workload.phases]
    found = measured(result_of(tmp_path / "r", data, *done, complete=False))
    assert found.has("one", five, 1)
    assert not found.has("one", six, 1)


def test_only_an_interrupted_run_of_the_same_study_resumes(tmp_path: Path) -> None:
    """A complete run and a run of another study cannot be resumed."""
    result_of(tmp_path / "r", MINIMAL, phase())
    (tmp_path / "r" / "study.yaml").write_text(study().source.text)
    with pytest.raises(InputError, match="this run is complete"):
        before(tmp_path / "r", study())
    with pytest.raises(InputError, match="its study differs from"):
        before(tmp_path / "r", study(with_rows()))


def test_a_repeat_that_was_measured_again_counts_once(tmp_path: Path) -> None:
    """Measurements after the resume count; a line that was cut off is reported, and affects
    no other.
    """
    result_of(tmp_path / "r", MINIMAL, phase(1e6, repeat=1), phase(2e6, repeat=2), complete=False)
    with (tmp_path / "r" / LINES).open("a") as file:
        file.write('{"type": "pha')
    writer = Writer(tmp_path / "r", append=True)
    writer.line("resumed")
    writer.phase(phase(3e6, repeat=2))
    writer.line("end", complete=True)
    writer.close()
    result = read_result(tmp_path / "r")
    assert [item.natural_bytes_per_s for item in result.phases] == [1e6, 3e6]
    assert result.complete
    assert result.cut_off == ("line 7: cut off",)


def test_a_kernel_message_is_the_reason() -> None:
    """The line with the words, not the whole failure."""
    error = "c1: stage 'mount': step 'mount it' failed:\n    mount.nfs: Protocol not supported"
    assert matching_line(error, "not supported") == "mount.nfs: Protocol not supported"
