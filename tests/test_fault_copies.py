"""Copies by dd: the lines of the copying client, the findings of the check, and the verdict
on both.
"""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.faults.copies import Copied, Copies, PreparedCopy, add, read_log
from seatrial.judge.answer import failed
from seatrial.judge.checks.integrity import judge
from seatrial.judge.controls import judge_control
from seatrial.report.fault_tables import copies as table
from seatrial.result.fault_parts import CopyResult, Expectations
from seatrial.result.faults import copy_words
from seatrial.study.faults import Copy
from tests.builders.fault_results import fault
from tests.builders.fault_studies import broken
from tests.builders.strategies import study

ITEM = PreparedCopy(
    "dd",
    Copy.model_validate({"size": "1MiB", "part": "256KiB", "block": "64KiB"}),
    "c1",
    "c2",
    "/mnt/x",
    "/var/tmp/x",
    "",
)
VALID = {"class": "valid", "offset": 0, "length": 2**18, "detail": ""}
ZERO = {"class": "zero", "offset": 2**18, "length": 8192, "detail": ""}


def found(*extents: dict[str, Any], **more: Any) -> CopyResult:
    """The result of a stream with these findings."""
    copied = Copied("c1", "c2", parts=3, size_bytes=3 * 2**18)
    add(copied, "copy-0", {"blocks": 64, "extents": list(extents)})
    return replace(copied, **more).result()


def test_blocks_acknowledged_by_dd_are_a_prefix_of_each_file() -> None:
    """Files follow on each other; the slowest part counts; a line that is cut off does not."""
    copied, sizes = read_log("0 0 10.0 10.5\n0 1 11.5 25.5\n1 0 26.5 26.9\n1 1 2", ITEM)
    assert sizes == {"copy-0": 2**19, "copy-1": 2**18}
    assert (copied.parts, copied.size_bytes, copied.longest_s, copied.error) == (
        3,
        3 * 2**18,
        14.0,
        None,
    )
    assert (
        read_log("0 0 1.0 2.0\nerror 0 1 dd: fsync failed: Input/output error\n", ITEM)[0].error
        == "0 1 dd: fsync failed: Input/output error"
    )
    assert read_log("", ITEM)[1] == {}


def test_every_extent_is_counted_by_its_class() -> None:
    """Invalid data are stored with their place."""
    item = found(VALID, ZERO, {**ZERO, "offset": 2**19})
    assert item["extents"] == {
        "valid": {"number": 1, "size_bytes": 2**18},
        "zero": {"number": 2, "size_bytes": 16384},
    }
    assert [extent["file"] for extent in item["damage"]] == ["copy-0", "copy-0"]
    assert (
        copy_words(item)
        == "3 copies by dd, 64 blocks: 256 KiB valid in 1 extents, 16 KiB zero in 2 extents"
    )


def test_the_check_of_integrity_rests_on_copies_too() -> None:
    """Damage fails a fault, and a negative control requires it."""
    good = fault(copies={"dd": found(VALID)})
    bad = fault(copies={"dd": found(VALID, ZERO)})
    assert judge(good).verdict == "pass"
    assert judge(bad).verdict == "fail"
    assert "8 KiB zero" in judge(bad).evidence
    assert (
        judge(fault(copies={"dd": found(VALID, unknown="it was not there")})).verdict == "unknown"
    )
    control: Expectations = {"detected_by": ["integrity"]}
    assert judge_control(replace(bad, expect=control)).verdict == "pass"
    assert judge_control(replace(good, expect=control)) == failed(
        "integrity, negative control, not detected: 0 blocks read back, all valid; every block and"
        " name matches the operation logs; dd: 3 copies by dd, 64 blocks: 256 KiB valid in 1"
        " extents",
    )


def test_the_copying_client_is_no_witness() -> None:
    """With one able client there is no second reader: its reads may come from its own memory."""
    session = SimpleNamespace(transport=None, solution=SimpleNamespace(clients=("c1", "c2")))
    copies = Copies(session, "agent", "00", frozenset({"c2"}))  # type: ignore[arg-type]
    copies.prepared.append(replace(ITEM, checker="c1"))
    assert copies.check()["dd"]["unknown"] == "no other client was available for the check"
    assert judge(fault(copies=copies.check())).verdict == "unknown"


def test_the_report_has_a_row_for_each_stream() -> None:
    """With the damage; no row without a copy."""
    assert table([fault()]).rows == ()
    drawn = table([fault(copies={"dd": found(VALID, ZERO)})])
    assert any("8 KiB zero in 1 extents" in cell for cell in drawn.rows[0])


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (
            {"copy": {}, "consistency_test": "locks", "arrivals_per_s": 1},
            "one of workload, consistency_test and copy",
        ),
        ({"copy": {"part": "128KiB", "size": "1000KiB"}}, "size must be whole parts"),
        ({"copy": {}, "arrivals_per_s": 1}, "arrivals_per_s"),
    ],
)
def test_mistakes_are_reported(stream: dict[str, Any], message: str) -> None:
    """In terms of the study."""
    with pytest.raises(InputError, match=message):
        study(broken({"it": {"kind": "panic", "node": "nas"}}, {"dd": stream}))
