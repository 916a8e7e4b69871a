"""fio's results of all versions, in all profiles in which people keep them."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.fio_job import Amount, Job, size_bytes
from seatrial.advice.foreign import Foreign, Reading
from seatrial.advice.importing import import_files, read_files, reading_of
from seatrial.basics.errors import InputError
from seatrial.result.result import read_result
from tests.builders.places import DATA

CASES = DATA / "import-cases"
MIB = 2**20


def reading(name: str) -> Reading:
    """The reading of a case's file."""
    return reading_of("fio", (CASES / f"fio-{name}.json").read_text())


def only(name: str) -> Foreign:
    """The one result of a case."""
    (found,) = reading(name).results
    return found


@pytest.mark.parametrize(
    ("name", "phase", "bytes_per_s", "transfer_bytes", "tasks"),
    [
        ("2.2.10-ubuntu1604", "write", 102400 * 1024, MIB, None),
        ("3.1-ubuntu1804", "read", 2048000 * 1024, None, None),
        ("client-array-339", "write", 3355443200, 256 * 1024, 4),
        ("client-two", "write", 3355443200, 256 * 1024, 4),
        ("client-same-host-ports", "write", 3355443200, 256 * 1024, 4),
        ("stragglers", "write", 8388608 / 1.876, 256 * 1024, 2),
        ("unified-mixed", "mixed", 95325091, 4096, 1),
        ("unified-both", "mixed", 93206755, 4096, 1),
        ("bsrange", "read", 419430400, None, 1),
        ("bssplit", "read", 2097152000, None, 1),
        ("bs-split-read-write", "mixed", 1040384000, None, 1),
        ("bs-MiB", "write", 1333333333, 1000000, 1),
        ("kb-base-1000", "write", 1397333333, 4000, 1),
        ("normal-and-json", "write", 2097152000, MIB, 1),
        ("brace-in-warning", "read", 419430400, 65536, 1),
        ("text-behind", "read", 419430400, 65536, 1),
        ("status-interval", "write", 20962521, MIB, 1),
    ],
)
def test_each_form(
    name: str, phase: str, bytes_per_s: float, transfer_bytes: int | None, tasks: int | None
) -> None:
    """The rate in bytes, over the slowest of all; the transfer size by fio's own units, or none."""
    found = only(name)
    assert (found.phase, found.transfer_bytes, found.tasks) == (phase, transfer_bytes, tasks)
    assert found.bytes_per_s == pytest.approx(bytes_per_s, rel=1e-3)
    assert found.problem is None


def test_latencies_in_the_units_and_places_of_each_version() -> None:
    """Microseconds under `clat` before 3.0; under `lat_ns` where lat_percentiles was asked for."""
    assert only("2.2.10-ubuntu1604").latency_ms == {"p50": 9.024, "p99": 14.528, "max": 15.0}
    assert only("lat-percentiles").latency_ms["p99"] == pytest.approx(0.171008)


@pytest.mark.parametrize(
    ("name", "words"), [("enospc", "No space left"), ("error-preamble", "Input/output error")]
)
def test_an_error_of_fio_marks_the_result(name: str, words: str, tmp_path: Path) -> None:
    """It stays in the result, as partial, with the reason in a note."""
    path = CASES / f"fio-{name}.json"
    imported = import_files([path], tmp_path / "out")
    assert any(words in message for message in imported.messages())
    result = read_result(imported.folder)
    assert [item.partial for item in result.phases] == [True]
    assert words in str(result.first("note")["text"])


def test_errors_in_the_text_alone_mark_all_results() -> None:
    """Fio may continue after an error (continue_on_error), and print it only as text."""
    text = (CASES / "fio-text-behind.json").read_text()
    bad = (
        f"fio: io_u error on file /dev/sdb: Input/output error: read offset=1, buflen=4096\n{text}"
    )
    (found,) = reading_of("fio", bad).results
    assert found.problem is not None
    assert "io_u error" in found.problem


def test_a_loop_over_a_setting_makes_points_and_not_repeats(tmp_path: Path) -> None:
    """Files of one name in two folders are two sources; another queue depth is another point."""
    paths = []
    for depth in ("1", "16"):
        folder = tmp_path / depth
        folder.mkdir()
        paths.append(folder / "fio.json")
        paths[-1].write_text((CASES / f"fio-iodepth-{depth}.json").read_text())
    result = read_result(import_files(paths, tmp_path / "out").folder)
    assert [(item.point["queue_depth"], item.repeat) for item in result.phases] == [(1, 1), (16, 1)]
    assert set(result.first("run")["sources"]) == {str(path) for path in paths}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("fsync", "1"),
        ("direct", "1"),
        ("ioengine", "libaio"),
        ("size", "8m"),
        ("rate", "1m"),
        ("rw", "randread:8"),
    ],
)
def test_every_setting_that_matters_is_part_of_the_point(key: str, value: str) -> None:
    """Where the program prints it."""
    data = json.loads((CASES / "fio-bssplit.json").read_text())
    (before,) = reading_of("fio", json.dumps(data)).results
    data["jobs"][0]["job options"][key] = value
    (after,) = reading_of("fio", json.dumps(data)).results
    assert before.point != after.point


def test_where_a_run_was_measured_is_not_part_of_the_point() -> None:
    """Or two clusters could never be compared."""
    data = json.loads((CASES / "fio-bssplit.json").read_text())
    (before,) = reading_of("fio", json.dumps(data)).results
    data["global options"]["directory"] = "/mnt/other"
    (after,) = reading_of("fio", json.dumps(data)).results
    assert before.point == after.point


def test_appended_runs_are_repeats_and_reports_of_one_run_are_one() -> None:
    """A later report of one run has run longer than the time since the one before it."""
    one = json.loads((CASES / "fio-bssplit.json").read_text())
    two = copy.deepcopy(one)
    two["timestamp_ms"] += 60_000
    two["timestamp"] += 60
    found = reading_of("fio", f"{json.dumps(one)}\n{json.dumps(two)}\n")
    assert [item.section for item in found.results] == [1, 2]
    assert len(reading("status-interval").results) == 1
    assert "the last of 4 reports" in reading("status-interval").notes[0]


def test_servers_with_other_options_have_results_of_their_own() -> None:
    """Since 3.39 each server has its global options."""
    data = json.loads((CASES / "fio-client-array-339.json").read_text())
    first, second = data["global options"]
    for options, job in ((first, 0), (second, 1)):
        options["hostname"] = data["client_stats"][job]["hostname"]
        options["port"] = data["client_stats"][job]["port"]
    second["rw"] = "randwrite"
    found = reading_of("fio", json.dumps(data)).results
    assert [item.pattern for item in found] == ["sequential", "random"]


def test_an_entry_of_several_sections_does_not_take_the_options_of_the_last() -> None:
    """group_reporting puts all sections of a group into one entry, with the first one's name."""
    data = json.loads((CASES / "fio-bs-MiB.json").read_text())
    data["jobs"][0]["job options"]["name"] = "another"
    (found,) = reading_of("fio", json.dumps(data)).results
    assert (found.pattern, found.tasks, found.transfer_bytes) == (None, None, 1000000)


def test_a_phase_without_data_is_left_out_with_a_sentence() -> None:
    """And a trim, which is not a phase here."""
    data = json.loads((CASES / "fio-bs-MiB.json").read_text())
    job = data["jobs"][0]
    job["write"].update(io_bytes=0, io_kbytes=0, bw=0, bw_bytes=0, total_ios=0, runtime=0)
    found = reading_of("fio", json.dumps(data))
    assert (found.results, "moved no bytes" in found.notes[0]) == ((), True)
    job["job options"]["rw"] = "randtrim"
    assert "trim" in reading_of("fio", json.dumps(data)).notes[0]


@pytest.mark.parametrize(
    ("text", "base", "size"),
    [
        ("4k", "1024", 4096),
        ("4k", "1000", 4000),
        ("1MiB", "1024", 1000000),
        ("1MiB", "1000", MIB),
        ("1mb", "1024", MIB),
        ("4096", "1024", 4096),
        ("0x1000", "1024", 4096),
        ("50%", "1024", None),
        ("", "1024", None),
    ],
)
def test_sizes_in_units_of_fio(text: str, base: str, size: int | None) -> None:
    """kb_base exchanges the meaning of `k` and `Ki`."""
    assert size_bytes(text, base) == size


@pytest.mark.parametrize(
    ("bs", "phase", "size"),
    [
        ("4k,64k", "read", 4096),
        ("4k,64k", "write", 65536),
        ("4k,64k", "mixed", None),
        ("8k", "write", 8192),
        ("8k,", "read", 8192),
        ("(4*1024)", "read", 4096),
    ],
)
def test_the_transfer_size_of_each_direction(bs: str, phase: str, size: int | None) -> None:
    """Where fio does not print it, the moved bytes decide."""
    job = Job({"bs": bs}, has_options=True)
    moved = Amount((size or 1000) * 10, 10)
    assert job.transfer_bytes(phase, moved) == size


_ODD: tuple[Any, ...] = (None, [], {}, "inf", -1, float("nan"), 10**400)


def _altered(value: Any) -> Iterator[Any]:
    """A copy without each key in turn, and with something else under it, at any depth."""
    if isinstance(value, dict):
        for key, item in value.items():
            rest = {other: it for other, it in value.items() if other != key}
            yield rest
            for odd in _ODD:
                yield {**value, key: odd}
            for changed in _altered(item):
                yield {**value, key: changed}
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield [*value[:index], *value[index + 1 :]]
            for changed in _altered(item):
                yield [*value[:index], changed, *value[index + 1 :]]


@pytest.mark.parametrize(
    "name", ["bs-MiB", "client-array-339", "2.2.10-ubuntu1604", "unified-both"]
)
def test_an_altered_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    """Never a traceback, and never a figure that is not a number above 0."""
    data = json.loads((CASES / f"fio-{name}.json").read_text())
    path = tmp_path / "fio.json"
    for changed in _altered(data):
        path.write_text(json.dumps(changed))
        try:
            _, (source,) = read_files([path])
        except InputError:
            continue
        for item in source.results:
            assert item.bytes_per_s or item.operations_per_s or item.problem
            assert (item.bytes_per_s or 0) < 1e12


@pytest.mark.parametrize("name", ["normal-and-json", "status-interval", "client-two"])
def test_a_file_that_is_cut_off_is_read_or_refused(name: str, tmp_path: Path) -> None:
    """With the line at which its JSON begins."""
    text = (CASES / f"fio-{name}.json").read_text()
    path = tmp_path / "fio.json"
    for end in range(1, len(text), 97):
        path.write_text(text[:end])
        try:
            _, (source,) = read_files([path])
        except InputError:
            continue
        assert source.results


def test_other_formats_are_refused_by_name(tmp_path: Path) -> None:
    """With a remedy."""
    path = tmp_path / "fio.txt"
    for text, word in (
        ("3;fio-3.33;w;0;0;0;0\n", "terse"),
        ("w: (g=0): rw=write\nw: (groupid=0, jobs=1): err= 0: pid=1\n", "normal output"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=f"{word}.*--output-format=json"):
            read_files([path])
