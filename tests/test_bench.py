"""`make bench`: the figures of each peer's output, the ratios and their spread, the JSON's keys."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from bench import agent, fio, others
from bench.__main__ import as_json, main
from bench.contest import Contest, Failed, orders, rows_of
from bench.contests import Places, Scale, accuracy, contests
from bench.processes import finished
from bench.ratios import Figures, Row, Spec, as_text, row_of

from seatrial.advice.imports import elbencho, ior, iozone, mdtest

DATA = Path(__file__).parent / "data"
BENCH = DATA / "bench"
RATE = Spec("reads", "rate", "operations/s", "ours", ("a", "b"), 1.05)


def rounds(**series: list[float]) -> list[Mapping[str, Figures]]:
    """Rounds with the quantity `rate` of each contestant."""
    length = len(next(iter(series.values())))
    return [{name: {"rate": series[name][index]} for name in series} for index in range(length)]


def done(name: str) -> dict[str, object]:
    """A line that the agent printed."""
    line: dict[str, object] = json.loads((BENCH / f"{name}.json").read_text())
    return line


def test_a_ratio_is_the_median_of_the_ratios_of_the_rounds() -> None:
    """And not the ratio of the medians: a round in which the machine is slow is slow for both."""
    row = row_of(RATE, rounds(ours=[10, 40, 12], a=[10, 20, 4]), {"b": "b is not on the PATH"})
    assert (row.ours, row.peer, row.rounds, row.against) == (12, 10, 3, "a")
    assert (row.ratio, row.ratio_min, row.ratio_max) == (2, 1, 3)
    assert row.reason is None


def test_the_best_peer_counts() -> None:
    """By its median; above 1 means that ours is better, also where less is better."""
    found = rounds(ours=[10, 10, 10], a=[4, 4, 400], b=[5, 5, 5])
    assert (row_of(RATE, found, {}).against, row_of(RATE, found, {}).ratio) == ("b", 2)
    time = Spec("run", "rate", "ms", "ours", ("a", "b"), 1.0, lower_is_better=True)
    found = rounds(ours=[2, 2, 2], a=[4, 4, 0], b=[5, 5, 5])
    row = row_of(time, found, {})
    assert (row.against, row.ratio, row.ratio_min, row.ratio_max) == ("a", 2, 0, 2)


def test_a_peer_that_is_not_installed_gives_a_row_with_the_reason() -> None:
    """It has our own figure and no ratio."""
    absent = {"a": "a is not on the PATH", "b": "b is not on the PATH"}
    row = row_of(RATE, rounds(ours=[1, 3, 2]), absent)
    assert (row.ours, row.peer, row.ratio) == (2, None, None)
    assert row.reason == "a is not on the PATH; b is not on the PATH"
    assert row.reason in as_text([row])


def test_a_contestant_that_fails_once_leaves_its_rows() -> None:
    """Its earlier rounds do not make a ratio of fewer rounds than those of the row."""
    turns = iter([2.0, 2.0])

    def fails_later() -> Figures:
        rate = next(turns, None)
        if rate is None:
            raise Failed("exit code 1: no room")
        return {"rate": rate}

    said: list[str] = []
    contest = Contest("reads", {"ours": lambda: {"rate": 4.0}, "a": fails_later}, (RATE,))
    (row,) = rows_of(contest, 3, said.append)
    assert (row.ours, row.peer, row.ratio) == (4, None, None)
    assert row.reason == "a: exit code 1: no room; b: not measured"
    assert said[0] == "reads: a: exit code 1: no room"


def test_each_contestant_is_first_equally_often() -> None:
    """A contestant does not always meet the state that one other left."""
    found = orders(["x", "y", "z"], 9)
    assert sorted(order[0] for order in found) == ["x"] * 3 + ["y"] * 3 + ["z"] * 3
    assert all(sorted(order) == ["x", "y", "z"] for order in found)


def test_the_json_has_the_agreed_keys() -> None:
    """The keys of the first line are those that other programs read."""
    rows = [
        row_of(RATE, rounds(ours=[2, 2], a=[1, 1]), {"b": "absent"}),
        row_of(RATE, rounds(ours=[2, 2]), {"a": "absent", "b": "absent"}),
    ]
    written = json.loads(as_json(rows))
    agreed = ["name", "ours", "peer", "unit", "ratio", "ratio_min", "ratio_max", "target"]
    assert list(written) == ["rows"]
    for row in written["rows"]:
        assert list(row)[: len(agreed)] == agreed
    assert [row["ratio"] for row in written["rows"]] == [2, None]
    assert [row.get("reason") for row in written["rows"]] == [None, "absent"]


def test_the_text_marks_a_missed_target() -> None:
    """A ratio below the target, and no other one."""
    met = row_of(RATE, rounds(ours=[2, 2], a=[1, 1]), {"b": "absent"})
    missed = row_of(RATE, rounds(ours=[2.09, 2.09], a=[2, 2]), {"b": "absent"})
    assert [line.endswith("missed") for line in as_text([met, missed]).splitlines()[1:]] == [
        False,
        True,
    ]


def test_figures_of_the_agent() -> None:
    """They come from a real line `done`; a job with damage has none."""
    figures = agent.figures_of(done("agent-done"), 0.004)
    elapsed_s = 1170435e-9
    assert figures["operations_per_s"] == pytest.approx(1024 / elapsed_s)
    assert figures["bytes_per_s"] == pytest.approx(4194304 / elapsed_s)
    assert figures["operations_per_process_cpu_s"] == pytest.approx(256_000)
    with pytest.raises(Failed, match="1024 damaged blocks"):
        agent.figures_of(done("agent-damaged"), 0.004)


@pytest.mark.parametrize(
    ("name", "operations", "runtime_s", "cpu_s"),
    [
        ("randread", 33689, 0.206, 0.033),
        ("depth-32", 37888, 0.201, 0.045),
        ("filedelete", 500, 0.005, 0.002),
    ],
)
def test_figures_of_fio(name: str, operations: int, runtime_s: float, cpu_s: float) -> None:
    """They come from real output of fio 3.33; its engines of metadata count their operations as
    reads.
    """
    figures = fio.figures_of((BENCH / f"fio-{name}.json").read_text())
    assert figures["operations_per_s"] == pytest.approx(operations / runtime_s)
    assert figures["operations_per_cpu_s"] == pytest.approx(operations / cpu_s, rel=1e-4)


def test_an_error_of_fio_is_no_figure() -> None:
    """These are its own error, a text without JSON, and a job without an operation."""
    text = (BENCH / "fio-randread.json").read_text()
    with pytest.raises(Failed, match="fio's error 28"):
        fio.figures_of(text.replace('"error" : 0', '"error" : 28'))
    with pytest.raises(Failed, match="no JSON of fio: fio: no such engine"):
        fio.figures_of("fio: no such engine")
    with pytest.raises(Failed, match="fio did nothing"):
        fio.figures_of(text.replace('"total_ios" : 33689', '"total_ios" : 0'))


def test_figures_of_ior_and_iozone() -> None:
    """The best of several passes, by the readers of `seatrial import`."""
    found = ior.read((DATA / "imports/ior.txt").read_text()).results
    write = others.data_figures(found, "write", 262144)
    assert write["bytes_per_s"] == pytest.approx(1387.32 * 2**20)
    assert write["operations_per_s"] == pytest.approx(5591)
    table = iozone.read((DATA / "imports/iozone-throughput.txt").read_text()).results
    read = others.data_figures(table, "read", 65536)
    assert read["bytes_per_s"] == pytest.approx(3512617.14 * 1024)
    assert read["operations_per_s"] == pytest.approx(3512617.14 / 64)


def test_figures_of_metadata() -> None:
    """The phases of mdtest and elbencho have one name each."""
    tree = others.metadata_figures(mdtest.read((DATA / "imports/mdtest.txt").read_text()).results)
    assert tree == pytest.approx(
        {"create_per_s": 8447.359, "stat_per_s": 742354.690, "remove_per_s": 36734.139}
    )
    empty = (DATA / "import-cases/elbencho-empty-files.csv").read_text()
    names = others.metadata_figures(elbencho.read(empty).results)
    assert names == {"create_per_s": 52000, "stat_per_s": 210000, "remove_per_s": 61000}


def test_a_phase_that_is_missing_or_wrong_is_no_figure() -> None:
    """Of another program's output."""
    found = ior.read((DATA / "imports/ior-data-errors.txt").read_text()).results
    with pytest.raises(Failed):
        others.data_figures(found, "read", 262144)
    with pytest.raises(Failed, match="no rate of the phase mixed"):
        others.data_figures(ior.read((DATA / "imports/ior.txt").read_text()).results, "mixed", 1)


def test_accuracy_falls_on_both_sides_of_the_truth() -> None:
    """A delay that is invented is as wrong as one that is hidden."""
    assert accuracy(125.0, 125.0)["accuracy"] == 1
    assert accuracy(250.0, 125.0)["accuracy"] == accuracy(62.5, 125.0)["accuracy"] == 0.5
    assert accuracy(0.0, 125.0)["accuracy"] == 0


def test_a_program_that_fails_says_why() -> None:
    """The last line of its standard error."""
    assert finished(["sh", "-c", "cat; exit 0"], "text").stdout == "text"
    with pytest.raises(Failed, match="exit code 3: no room"):
        finished(["sh", "-c", "echo some; echo no room >&2; exit 3"])


def test_every_row_has_a_name_of_its_own_and_known_contestants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any peer, too: each row then has its reason, or compares two forms of ours."""
    monkeypatch.setenv("PATH", str(tmp_path))
    every = contests(Places(tmp_path, tmp_path), Scale())
    names = [spec.name for contest in every for spec in contest.specs]
    assert len(set(names)) == len(names) >= 20
    for contest in every:
        absent = {name for name in contest.contestants if name not in contest.missing}
        assert absent.isdisjoint({"fio", "fio io_uring", "elbencho", "ior", "mdtest", "iozone"})
        for spec in contest.specs:
            assert {spec.ours, *spec.peers} <= set(contest.contestants)


def test_the_benchmark_runs_and_leaves_nothing(tmp_path: Path) -> None:
    """One contest of the agent alone, on folders that are empty again afterwards."""
    places = tmp_path / "memory", tmp_path / "disk"
    for place in places:
        place.mkdir()
    out = tmp_path / "build/bench.json"
    where = ["--memory", str(places[0]), "--disk", str(places[1]), "--out", str(out)]
    assert main(["--quick", "--rounds", "2", "--only", "trivial", *where]) == 0
    rows = {
        row["name"]: Row(**{"reason": None, **row}) for row in json.loads(out.read_text())["rows"]
    }
    limit = rows["trivial-run-limit"]
    assert (limit.peer, limit.rounds, limit.against) == (4.0, 2, "limit of 4 ms")
    assert limit.ours is not None
    assert limit.ours > 0
    assert [list(place.iterdir()) for place in places] == [[], []]
