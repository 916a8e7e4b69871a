"""Common rules for the results of all programs: possible figures, labels, encodings, sources,
problems.
"""

import gzip
import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seatrial.advice.compare import compare, comparison_table
from seatrial.advice.foreign import Foreign, Reading, json_objects, sections
from seatrial.advice.importing import PROGRAMS, import_files, read_files
from seatrial.advice.launchers import parts
from seatrial.advice.sound import sound
from seatrial.advice.together import CannotCombine, together
from seatrial.basics.errors import InputError
from seatrial.basics.finite import json_text
from seatrial.basics.units import plain
from seatrial.cli import app
from seatrial.result.result import read_result
from seatrial.result.writer import Writer
from seatrial.summary.point_results import Flag
from seatrial.summary.summarise import json_document, summary_of
from seatrial.writers.base import writer
from tests.builders.places import DATA
from tests.builders.plugins import forget_modules
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL

CASES = DATA / "import-cases"
IO500 = (CASES / "io500-extended.txt").read_text()


def wrote(path: Path, text: str | bytes) -> Path:
    """The file, with this in it."""
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_only_figures_that_can_be_enter_a_record() -> None:
    """A figure that is not finite or negative is left out with a sentence; so is one without
    a rate.
    """
    odd: list[Any] = [float("inf"), float("nan"), -1.0, 10**400, "inf" * 1000]
    for value in odd:
        item = Foreign(
            "write", "w", bytes_per_s=value, operations_per_s=5.0, latency_ms={"max": value}
        )
        found = sound([item])
        assert (found.results[0].bytes_per_s, found.results[0].operations_per_s) == (None, 5.0)
        assert found.results[0].latency_ms == {}
        assert len(found.notes) == 2
        assert all(len(note) < 200 for note in found.notes)
    assert sound([Foreign("write", "w", bytes_per_s=0.0), Foreign("write", "w")]).results == ()


def test_json_is_json_whatever_was_measured(tmp_path: Path) -> None:
    """NaN and Infinity are null: in a result, in exports and in comparisons."""
    assert json.loads(json_text({"a": [float("nan"), 1.0, {"b": float("inf")}]})) == {
        "a": [None, 1.0, {"b": None}]
    }
    writer = Writer(tmp_path / "record")
    writer.line("run", value=float("inf"))
    assert "Infinity" not in (tmp_path / "record" / "result.jsonl").read_text()
    result = result_of(tmp_path / "own", MINIMAL, phase(1e6, fairness=1.0))
    assert json.loads(json_document(summary_of(result)))["points"]


@pytest.mark.parametrize(
    ("label", "end"),
    [
        ("0: ", "0:"),
        ("12: ", "12: "),
        ("[1,0]<stdout>: ", "[1,0]<stdout>: "),
        ("[1,0]<stdout>:", "[1,0]<stdout>:"),
        ("[prterun-n1-77@1,0]<stdout>: ", "[prterun-n1-77@1,0]<stdout>: "),
        ("[0] ", "[0] "),
        ("node-01.cluster: ", "node-01.cluster:"),
        ("10.0.0.7: ", "10.0.0.7: "),
    ],
)
def test_labels_of_launchers_are_removed(label: str, end: str, tmp_path: Path) -> None:
    """With the launcher's own messages between them, and line feeds of any system."""
    lines = [f"{label}{line}" if line else end for line in IO500.split("\n")]
    lines.insert(1, "srun: job 77 has been allocated resources")
    path = wrote(tmp_path / "log", "\r\n".join(lines))
    _, (source,) = read_files([path])
    assert [item.test for item in source.results] == [
        "ior-easy",
        "ior-rnd4K-easy",
        "mdworkbench-bench",
    ]
    assert source.results[0].line == 3
    plain_path = wrote(tmp_path / "plain", IO500)
    _, (without,) = read_files([plain_path])
    assert [item.point for item in source.results] == [item.point for item in without.results]


def test_a_text_without_labels_is_unchanged() -> None:
    """One line without a label is enough."""
    text = "a: 1\nb\n"
    assert [part.text for part in parts(text)] == [text]


def of_node(rate: float, **changes: object) -> Foreign:
    """A write of one node."""
    fields: dict[str, object] = {"tasks": 1, "bytes_per_s": rate, **changes}
    return Foreign("write", "w", **fields)  # type: ignore[arg-type]


def test_nodes_that_ran_together_are_all_bytes_over_the_slowest() -> None:
    """By bytes and time; by equal files; refused where neither is known, or the nodes did not do
    the same.
    """
    timed = {
        "a": [of_node(100, moved_bytes=1000, elapsed_s=10)],
        "b": [of_node(50, moved_bytes=1000, elapsed_s=20)],
    }
    (found,) = together(timed)
    assert (found.bytes_per_s, found.tasks, found.clients) == (100, 2, 2)
    (equal,) = together({"a": [of_node(100, file_bytes=8)], "b": [of_node(50, file_bytes=8)]})
    assert equal.bytes_per_s == 100
    with pytest.raises(CannotCombine, match="data and time are not printed"):
        together({"a": [of_node(100)], "b": [of_node(50)]})
    with pytest.raises(CannotCombine, match="have different results"):
        together({"a": [of_node(100, file_bytes=8)], "b": [of_node(50, file_bytes=16)]})
    marked = together(
        {"a": [of_node(1, file_bytes=8, problem="error 5")], "b": [of_node(1, file_bytes=8)]}
    )
    assert marked[0].problem == "error 5"


def test_the_log_of_several_nodes_is_one_result(tmp_path: Path) -> None:
    """Each node has its own fio, and its lines are mixed with those of the others."""
    one = json.loads((CASES / "fio-bs-MiB.json").read_text())
    two = json.loads((CASES / "fio-bs-MiB.json").read_text())
    two["jobs"][0]["write"]["runtime"] *= 10
    texts = [json.dumps(item, indent=1).split("\n") for item in (one, two)]
    lines = [
        f"n{node}: {line}" for pair in zip(*texts, strict=True) for node, line in enumerate(pair)
    ]
    imported = import_files([wrote(tmp_path / "log", "\n".join(lines))], tmp_path / "out")
    (found,) = imported.results
    job = one["jobs"][0]["write"]
    assert found.bytes_per_s == pytest.approx(2 * job["io_bytes"] / (job["runtime"] * 10 / 1000))
    assert (found.clients, found.tasks) == (2, 2)
    assert any("were combined" in message for message in imported.messages())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("text".encode("utf-16"), "UTF-16"),
        ("text in UTF-16 without a mark".encode("utf-16-le"), "UTF-16"),
        (gzip.compress(b"text", mtime=0), "compressed"),
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"text" * 2000 + b"\0", "zero bytes"),
        (b"hello", "not the output of"),
    ],
)
def test_other_files_are_refused_by_their_kind(content: bytes, words: str, tmp_path: Path) -> None:
    """With exit code 2 and without a result."""
    path = wrote(tmp_path / "file", content)
    done = CliRunner().invoke(app, ["import", str(path), "--out", str(tmp_path / "out")])
    assert isinstance(done.exception, InputError)
    assert words in str(done.exception)
    assert not (tmp_path / "out").exists()


def test_one_text_given_twice_is_not_two_repeats(tmp_path: Path) -> None:
    """A copy proves nothing."""
    first = wrote(tmp_path / "a", IO500)
    second = wrote(tmp_path / "b", IO500)
    with pytest.raises(InputError, match="are the same text"):
        read_files([first, second])


READER = """
from seatrial.advice.foreign import Foreign, Line, ReaderError, Reading
def recognises(text): return text.startswith("rain")
def version(text): return "7"
def read(text):
    if "cut" in text: raise ReaderError("the table is cut off", 2)
    if "odd" in text: return {}["write"]
    if "wrong" in text: return []
    first = Foreign("write", "w", bytes_per_s=1.0, problem="too wet")
    return Reading((first,), (Line(2, "?"),), ("a note",))
"""


@pytest.fixture
def rain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a reader of another program."""
    folder = tmp_path / "readers"
    folder.mkdir()
    (folder / "rain.py").write_text(READER)
    package = importlib.import_module(PROGRAMS.folder)
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(folder)])
    forget_modules("rain")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rain\ncut\n", r"file:2: rain 7: the table is cut off"),
        (
            "rain\nodd\n",
            r"file: this output of rain 7 is not as its reader expects: KeyError: 'write'",
        ),
        ("rain\nwrong\n", r"'rain': read\(text\) gives a list"),
    ],
)
def test_a_reader_that_fails_names_program_version_and_file(
    text: str, words: str, rain: Path
) -> None:
    """It is never a defect of Seatrial."""
    with pytest.raises(InputError, match=words):
        read_files([wrote(rain / "file", text)])


def test_a_problem_is_marked_everywhere_and_compared_nowhere(rain: Path) -> None:
    """Results that the program itself calls bad; lines that were not understood are counted."""
    done = CliRunner().invoke(
        app, ["import", str(wrote(rain / "file", "rain\n?\n")), "--out", str(rain / "out")]
    )
    assert done.exit_code == 0
    for words in (
        "w write is not a good result: too wet",
        "1 line was not understood; the first is line 2",
        "a note",
    ):
        assert words in done.stderr
    result = read_result(rain / "out")
    assert result.first("run")["not_understood"] == {str(rain / "file"): 1}
    assert [item.partial for item in result.phases] == [True]
    assert Flag.PARTIAL in summary_of(result).points[0].flags
    with pytest.raises(InputError, match="partial in the first result"):
        compare(result, result)


def test_an_export_leaves_out_missing_figures(tmp_path: Path) -> None:
    """IO500 prints neither the operations of IOR's parts nor the bytes of mdtest's, nor their
    start times.
    """
    result = read_result(import_files([CASES / "io500-extended.txt"], tmp_path / "out").folder)
    summary = summary_of(result)
    operations = [item.operations_per_s and item.operations_per_s.mean for item in summary.points]
    assert operations == [None, None, 12000.0]
    assert summary.points[2].rate_bytes_per_s is None
    assert ",0.0," not in str(writer("csv").write(summary))
    assert " 0.0" not in str(writer("openmetrics").write(summary))


def two_points(folder: Path, depths: dict[int, float]) -> Path:
    """An import of fio with these rates at these queue depths."""
    data = json.loads((CASES / "fio-iodepth-1.json").read_text())
    paths = []
    for depth, rate in depths.items():
        data["jobs"][0]["job options"]["iodepth"] = str(depth)
        data["jobs"][0]["read"]["bw_bytes"] = rate
        paths.append(wrote(folder.with_name(f"{folder.name}-{depth}.json"), json.dumps(data)))
    return import_files(paths, folder).folder


def test_imports_are_compared_where_their_common_settings_agree(tmp_path: Path) -> None:
    """Another queue depth is another point, and the reason is shown."""
    both = read_result(two_points(tmp_path / "both", {1: 10e6, 16: 20e6}))
    one = read_result(two_points(tmp_path / "one", {16: 30e6}))
    comparison = compare(both, one)
    (row,) = comparison.rows
    assert row.point["queue_depth"] == 16
    assert row.ratio == pytest.approx(1.5)
    assert "queue_depth 1 and 16" in comparison.left_out[0]


def test_columns_of_a_comparison_never_meet(tmp_path: Path) -> None:
    """Rates of any size, without an exponent."""
    values = {1: 52316.4e6, 2: 1234567.0e6, 4: 0.01e6, 8: 3.0}
    own = result_of(
        tmp_path / "a", MINIMAL, *(phase(rate, point={"clients": n}) for n, rate in values.items())
    )
    text = comparison_table(compare(own, own))
    assert "e+" not in text
    words = [line.split() for line in text.splitlines()[1:5]]
    assert [line[3:5] for line in words] == [
        ["52316", "52316"],
        ["1234567", "1234567"],
        ["0.01", "0.01"],
        ["0.000003", "0.000003"],
    ]
    assert [plain(value) for value in (9999.6, 10000, 0.0, 12.345)] == [
        "10000",
        "10000",
        "0",
        "12.35",
    ]


def test_helpers_for_readers() -> None:
    """Sections by a line that begins them, objects by their first brace."""
    found = sections("a\nRUN 1\nx\nRUN 2\ny", re.compile("^RUN"))
    assert [(item.first_line, item.text) for item in found] == [(1, "a\nRUN 1\nx"), (4, "RUN 2\ny")]
    assert [line.number for line in found[1].lines()] == [4, 5]
    objects = json_objects('warning ${X}\n{"a": 1}\nmore\n{"b": 2}\nbehind\n{"c":')
    assert [(item.value, item.line) for item in objects.objects] == [({"a": 1}, 2), ({"b": 2}, 4)]
    assert objects.cut_off_line == 6
    assert Reading(()).notes == ()
