"""A result survives crashes of its writer."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.result.file_names import safe_name
from seatrial.result.phases import PhaseResult, Second
from seatrial.result.result import new_folder, read_result, whole_results
from seatrial.result.sealed import LINES
from seatrial.result.writer import Writer
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import MINIMAL


def test_written_lines_are_read_back(tmp_path: Path) -> None:
    """Phases are equal and in order, and the end is present."""
    phases = [
        phase(1e6),
        phase(2e6, repeat=2, clients=(client(damage=({"class": "zero"},), lost="gone"),)),
    ]
    result = result_of(tmp_path / "r", MINIMAL, *phases)
    assert phases == result.phases
    assert result.complete
    assert result.damage == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(cut=st.integers(min_value=1))
def test_cut_off_anywhere_it_stays_readable(tmp_path: Path, cut: int) -> None:
    """Every whole line before the cut is present; the torn one is named; nothing is invented."""
    folder = tmp_path / "r"
    whole = result_of(folder, MINIMAL, phase(), phase(), phase()) if not folder.exists() else None
    path = folder / LINES
    content = (tmp_path / "whole").read_bytes() if whole is None else path.read_bytes()
    (tmp_path / "whole").write_bytes(content)
    length = cut % len(content)
    path.write_bytes(content[:length])
    lines = content[:length].split(b"\n")
    if len(lines) == 1 and content[length : length + 1] != b"\n":
        with pytest.raises(InputError):
            read_result(folder)
        return
    result = read_result(folder)
    torn = bool(lines[-1]) and length < len(content) and content[length : length + 1] != b"\n"
    assert len(result.lines) == len([line for line in lines if line]) - torn
    assert (result.damage, result.cut_off) == ((), (f"line {len(lines)}: cut off",) if torn else ())


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    """The rest is still read."""
    result_of(tmp_path / "r", MINIMAL, phase(), phase())
    path = tmp_path / "r" / LINES
    lines = path.read_bytes().split(b"\n")
    lines[3] = b"\x00\xff garbage"
    path.write_bytes(b"\n".join(lines))
    result = read_result(tmp_path / "r")
    assert result.damage == ("line 4: not readable",)
    assert len(result.phases) == 1


def test_other_folders_are_no_results(tmp_path: Path) -> None:
    """A folder without one, and a file with other content."""
    with pytest.raises(InputError, match="no result here"):
        read_result(tmp_path)
    (tmp_path / LINES).write_text('{"type": "run", "schema": "other/1"}\n')
    with pytest.raises(InputError, match="not a result of the format result/1"):
        read_result(tmp_path)


def test_two_runs_of_one_second_have_two_folders(tmp_path: Path) -> None:
    """A result is never written into another's folder."""
    first = new_folder(tmp_path, "x")
    first.mkdir()
    assert new_folder(tmp_path, "x") != first
    assert safe_name("fig7 clients=4/x") == "fig7_clients=4_x"


def test_stored_evidence_has_its_folder(tmp_path: Path) -> None:
    """With any name of its kind; evidence that cannot be written would end a run."""
    writer = Writer(tmp_path / "r")
    writer.keep("histories/it-append-c1.jsonl", "{}\n")
    writer.keep("histories/it-append-c2.jsonl", "{}\n")
    writer.keep("study.yaml", "id: x\n")
    writer.close()
    assert (tmp_path / "r" / "histories" / "it-append-c2.jsonl").read_text() == "{}\n"


def test_a_second_of_an_older_result_is_read() -> None:
    """It knows the latency of all operations together, and not that of each kind."""
    line = asdict(
        replace(phase(), seconds=(Second(0, 10, 1, {"p50": 1.0}, {"read": {"p50": 1.0}}),))
    )
    assert PhaseResult.from_json(line).seconds[0].latency_by_operation_ms == {"read": {"p50": 1.0}}
    del line["seconds"][0]["latency_by_operation_ms"]
    assert PhaseResult.from_json(line).seconds == (Second(0, 10, 1, {"p50": 1.0}),)


def test_a_result_without_a_time_is_no_other_results_reference(tmp_path: Path) -> None:
    """Another program may write a line of a run, also one of the same study."""
    result_of(tmp_path / "whole", MINIMAL, phase())
    (tmp_path / "foreign").mkdir()
    line = {"type": "run", "study": MINIMAL["id"], "unix_s": None}
    (tmp_path / "foreign" / LINES).write_text(json.dumps(line))
    found = whole_results(tmp_path, str(MINIMAL["id"]))
    assert [result.folder.name for result in found] == ["whole"]
