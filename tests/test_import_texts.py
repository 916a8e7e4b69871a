"""Outputs of IOR, mdtest and IOzone of several versions and options, as public bug trackers show
them.
"""

import contextlib
import re
from pathlib import Path

import pytest

from seatrial.advice.foreign import Foreign, ReaderError, Reading
from seatrial.advice.importing import import_files
from seatrial.advice.imports import ior, iozone, mdtest
from seatrial.basics.errors import InputError
from seatrial.result.result import read_result
from tests.builders.places import DATA

IMPORTS = DATA / "imports"
READERS = {"ior": ior, "iozone": iozone, "mdtest": mdtest}
FILES = sorted(
    path.name
    for path in IMPORTS.iterdir()
    if path.name.partition("-")[0] in READERS and "-" in path.name
)


def read(name: str, text: str | None = None) -> Reading:
    """The reading of a file, or of another text, by the program's reader."""
    reader = READERS[name.partition("-")[0]]
    found: Reading = reader.read((IMPORTS / name).read_text() if text is None else text)
    return found


def rates(found: tuple[Foreign, ...], phase: str) -> list[float | None]:
    """The operations per second of a phase."""
    return [item.operations_per_s for item in found if item.phase == phase]


def test_repetitions_of_ior_3_3_as_json() -> None:
    """Each is a separate list there; a line that is no transfer is left out."""
    found = read("ior-3.3.0-json-nested.json").results
    assert [(item.phase, item.iteration) for item in found] == [
        ("write", 0),
        ("read", 0),
        ("write", 1),
        ("read", 1),
    ]
    assert found[0].bytes_per_s == pytest.approx(2056.6615 * 2**20)
    assert found[0].file_bytes == 8 * 2**20


def test_ior_as_csv() -> None:
    """With its tasks."""
    (found,) = read("ior-csv.csv").results
    assert (found.phase, found.tasks, found.transfer_bytes) == ("write", 4, 256 * 2**10)
    assert found.bytes_per_s == pytest.approx(900.1 * 2**20)


def test_wrong_data_is_no_good_result_of_ior() -> None:
    """Every result of the test is marked."""
    found = read("ior-data-errors.txt").results
    assert len(found) == 6
    assert all("12 errors found" in (item.problem or "") for item in found)


def test_a_text_that_is_no_number_is_left_out(tmp_path: Path) -> None:
    """And the import reports it."""
    imported = import_files([IMPORTS / "ior-text-inf.txt"], tmp_path / "out")
    assert len(read_result(imported.folder).phases) == 5


@pytest.mark.parametrize("difference", ["api", "type", "blocksize"])
def test_another_api_type_or_size_is_another_point(difference: str) -> None:
    """Never a repeat."""
    text = (IMPORTS / "ior.txt").read_text()
    values = {"api": "MPIIO", "type": "collective", "blocksize": "8 MiB"}
    changed = re.sub(
        rf"^({difference} +:).*$", rf"\1 {values[difference]}", text, flags=re.MULTILINE
    )
    assert changed != text
    assert read("ior-text", text).results[0].point != read("ior-text", changed).results[0].point


def test_the_times_of_mdtest_are_no_repeat() -> None:
    """With -P, a table of times follows; tests that did not run are left out."""
    found = read("mdtest-rate-and-time.txt")
    assert rates(found.results, "create") == [52318.441]
    assert len(found.results) == 1


def test_times_alone_are_refused() -> None:
    """With the line."""
    with pytest.raises(ReaderError, match="times alone") as caught:
        read("mdtest-time-only.txt")
    assert caught.value.line == 10


def test_columns_per_rank_are_not_those_per_iteration() -> None:
    """Three iterations follow from the last columns."""
    found = read("mdtest-per-rank.txt").results
    assert rates(found, "create") == pytest.approx([104202.5, 61433.6, 86644.4])


def test_runs_of_one_log_are_points_of_their_own() -> None:
    """Of mdtest and of IOzone."""
    names = read("mdtest-two-runs-one-log.txt").results
    assert [(item.tasks, item.clients) for item in names if item.phase == "create"] == [
        (4, 1),
        (64, 8),
        (64, 8),
        (64, 8),
    ]
    data = read("iozone-two-runs-one-log.txt").results
    assert [(item.transfer_bytes, item.bytes_per_s) for item in data] == [
        (4 * 2**10, 19400 * 2**10),
        (2**20, 388000 * 2**10),
    ]


def test_a_stride_of_tasks_is_a_point_each() -> None:
    """As many tasks as the line before the summary has."""
    found = read("mdtest-stride-of-tasks.txt").results
    created = [item for item in found if item.phase == "create"]
    assert [item.tasks for item in created] == [8, 16, 24, 32]
    assert len({repr(item.point) for item in created}) == 4


def test_operations_of_iozone_are_no_kilobytes() -> None:
    """The unit is next to each figure."""
    found = read("iozone-ops-throughput.txt").results
    assert (found[0].operations_per_s, found[0].bytes_per_s) == (522.25, 522.25 * 2**20)
    assert found[0].direct is True


def test_microseconds_of_iozone_are_refused() -> None:
    """They are no rate."""
    with pytest.raises(ReaderError, match="microseconds per operation"):
        read("iozone-microseconds.txt")


def test_the_heads_of_old_tables_are_known() -> None:
    """`KB  reclen`, with cells that are empty."""
    found = {item.test: item.bytes_per_s for item in read("iozone-old-KB-table.txt").results}
    assert found == {
        "initial writers": 31782 * 2**10,
        "rewriters": 22524 * 2**10,
        "random readers": 816017 * 2**10,
        "random writers": 10411 * 2**10,
        "stride readers": 3779260 * 2**10,
    }


def test_a_range_of_processes_is_a_point_each() -> None:
    """The parent's figure of each."""
    found = read("iozone-range-of-processes.txt").results
    writers = [(it.tasks, it.bytes_per_s) for it in found if it.test == "initial writers"]
    assert writers == [(count, 95000 * count * 2**10) for count in (1, 2, 3, 4)]


def tried(name: str, text: str) -> Reading | None:
    """The reading of a damaged text; None for a refusal. No other result is possible."""
    try:
        return read(name, text)
    except (ReaderError, KeyError, ValueError):
        return None


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(".json")])
def test_a_text_that_is_cut_off_has_no_other_figures(name: str) -> None:
    """At any line: each figure that is left is one of the whole text."""
    text = (IMPORTS / name).read_text()
    whole = tried(name, text)
    known = (
        set()
        if whole is None
        else {(it.phase, it.bytes_per_s, it.operations_per_s) for it in whole.results}
    )
    lines = text.split("\n")
    for end in range(len(lines)):
        found = tried(name, "\n".join(lines[:end]))
        if found is not None and whole is not None and not name.startswith("iozone"):
            assert {
                (it.phase, it.bytes_per_s, it.operations_per_s) for it in found.results
            } <= known


@pytest.mark.parametrize("name", FILES)
def test_no_damage_ends_in_a_traceback(name: str, tmp_path: Path) -> None:
    """A line that is missing: the import reads the rest, or refuses the file."""
    lines = (IMPORTS / name).read_text().split("\n")
    path = tmp_path / name
    for number in range(0, len(lines), 3):
        path.write_text("\n".join(lines[:number] + lines[number + 1 :]))
        # InputError is exit code 2; any other exception fails the test.
        with contextlib.suppress(InputError):
            import_files([path], tmp_path / f"out{number}")
