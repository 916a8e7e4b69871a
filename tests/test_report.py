"""The report has the whole content of the result, is self-contained, and exists for any
readable result.
"""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.yamlfile import parse_yaml
from seatrial.judge.base import Judgement
from seatrial.report import figures
from seatrial.report.appendix import scripts
from seatrial.report.built import bit_rate
from seatrial.report.charts import caption_of, chart_of, published_values
from seatrial.report.diagram import diagram
from seatrial.report.html import TEMPLATES, render, write_report
from seatrial.report.paper import VERDICTS
from seatrial.report.points import flags, results
from seatrial.report.seconds import per_second
from seatrial.report.series import axis
from seatrial.report.tables import SYMBOLS, size
from seatrial.result.result import read_result
from seatrial.result.sealed import LINES
from seatrial.study.experiment import Figure
from seatrial.study.study import Study, parse_study
from seatrial.summary.points import measured
from seatrial.summary.system import built, ratio
from tests.builders.reports import JUDGEMENTS, SAMPLE, copied, sample_lines, sample_phases


class Page(HTMLParser):
    """The parts of a page that the tests ask for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.svg_texts: list[str] = []
        self.summaries: list[str] = []
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the tag refers to."""
        self.tags.append(tag)
        if tag not in {"meta", "path", "rect", "circle", "use"}:
            self._open.append(tag)
        for name, value in attrs:
            if name in {"src", "href", "xlink:href", "srcset", "data", "action", "poster"}:
                self.links.append(value or "")
            if name == "id":
                self.ids.append(value or "")
        if tag == "text":
            self.svg_texts.append("")
        if tag == "summary":
            self.summaries.append("")

    def handle_endtag(self, tag: str) -> None:
        """Leave it."""
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        """Store the text and its place."""
        if "style" not in self._open:
            self.text += data
        if "text" in self._open:
            self.svg_texts[-1] += data
        if "summary" in self._open:
            self.summaries[-1] += data


def sample_study() -> Study:
    """The study of the sample."""
    return parse_study((SAMPLE / "study.yaml").read_text(), Path("study.yaml"))


@pytest.fixture(scope="module")
def page() -> Page:
    """The sample's report."""
    return Page(render(read_result(SAMPLE), JUDGEMENTS))


def test_every_claim_is_listed_with_its_verdict_in_words(page: Page) -> None:
    """No judgement is left out, and no verdict has colour as its only sign."""
    for item in JUDGEMENTS:
        for part in (item.claim, item.verdict, item.statement, item.evidence):
            assert part in page.text, part
    assert "write: 2 → 20.4" in page.text
    assert re.search(r"Acceptance criteria\s+1\s+passed\s*1\s+failed\s*1\s+unknown", page.text)
    assert re.search(r"Published claims:\s+1 agree, 1 better, 1 inconclusive\.", page.text)


def test_it_is_self_contained(page: Page) -> None:
    """One file, no scripts, no download: every reference has its target in the page, at a
    unique id.
    """
    text = render(read_result(SAMPLE), JUDGEMENTS)
    assert not {"script", "link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    assert "@import" not in text
    references = [*page.links, *re.findall(r"url\(\s*['\"]?([^)'\"]+)", text)]
    assert references
    assert [link for link in references if not link.startswith("#")] == []
    assert {link.removeprefix("#") for link in references} <= set(page.ids)
    assert len(page.ids) == len(set(page.ids))


def test_the_same_result_gives_the_same_bytes() -> None:
    """No date of the rendering, no random ids: a report can be rendered again and compared."""
    result = read_result(SAMPLE)
    assert render(result, JUDGEMENTS) == render(result, JUDGEMENTS)


def test_it_is_written_next_to_the_result(tmp_path: Path) -> None:
    """`report.html` in the result's folder."""
    result = copied(tmp_path / "r")
    path = write_report(result, JUDGEMENTS)
    assert path == tmp_path / "r" / "report.html"
    assert path.read_text().startswith("<!doctype html>")


def test_figures_tables_and_axes_are_numbered_and_have_units(page: Page) -> None:
    """Figures and tables count from one without a gap; axes carry units."""
    for word in ("Figure", "Table"):
        numbers = list(
            dict.fromkeys(int(found) for found in re.findall(rf"{word} (\d+)\.", page.text))
        )
        assert numbers == list(range(1, len(numbers) + 1)), word
        assert len(numbers) >= 4
    assert {
        "MB/s in the lab",
        "share of the server link",
        "clients (number)",
        "nfsd threads (number)",
    } <= set(page.svg_texts)


def test_published_values_are_shares_and_never_rates_on_our_axis(page: Page) -> None:
    """600 MB/s of a link of 1250 MB/s is 48 %; the figure itself does not show 600 MB/s."""
    assert {"published write: 48 %", "published read: 36 %"} <= set(page.svg_texts)
    assert not [text for text in page.svg_texts if re.search(r"\b(600|450|1250)\b", text)]
    assert "L230" in page.text
    ticks = [float(text) for text in page.svg_texts if re.fullmatch(r"\d+(\.\d+)?", text)]
    assert max(ticks) <= 512, "threads; rates of the lab stay below its link of 31 MB/s"


def test_published_values_need_a_modelled_link() -> None:
    """Without the modelled link there is nothing that they could be a share of."""
    published = parse_yaml((SAMPLE / "published.yaml").read_text(), Path("published.yaml")).data
    system = read_result(SAMPLE).first("system")
    found = published_values(published, "F7", built(system, sample_study()))
    assert [(value.metric, value.share) for value in found] == [("write", 0.48), ("read", 0.36)]
    assert published_values(published, "F6", built(system, sample_study())) == []
    assert published_values(published, "F7", built(system, None)) == []


def test_lab_limited_points_are_hollow_and_named() -> None:
    """A point rests on its usable repeats; one that has none is hollow, flagged and named in the
    caption.
    """
    points = measured(sample_phases())
    system = built(read_result(SAMPLE).first("system"), sample_study())
    by_name = {(item.point["clients"], item.phase): item for item in points}
    mixed = by_name[2, "write"]
    limited = by_name[1, "write"]
    assert [phase.lab_limited for phase in mixed.repeats] == [False, True]
    assert mixed.mean == mixed.repeats[0].natural_bytes_per_s
    assert flags(mixed) == ["limited by the lab's CPUs 1/2"]
    assert limited.lab_limited
    chart = chart_of(points, Figure(number="F7"), system, [])
    assert chart is not None
    hollow = {(series.name, dot.x) for series in chart.series for dot in series.dots if dot.hollow}
    assert hollow == {("write", 1.0), ("read", 1.0), ("read", 2.0)}
    caption = " ".join(caption_of(points, chart, system, [], ""))
    assert "write at clients 1; read at clients 1, clients 2." in caption


def test_partial_repeats_have_no_part_in_a_mean() -> None:
    """A repeat that lost a client is listed and flagged, not averaged; without a whole repeat there
    is no point.
    """
    first, second = [
        phase
        for phase in sample_phases()
        if phase.point == {"clients": 2} and phase.phase == "read"
    ]
    lost = replace(first.clients[1], lost="agent killed", tasks=(), size_bytes=0)
    broken = replace(first, clients=(first.clients[0], lost), partial=True, natural_bytes_per_s=1.0)
    (item,) = measured([broken, replace(second, lab_limited=False)])
    assert item.mean == second.natural_bytes_per_s
    assert flags(item) == ["partial 1/2", "clients lost: 1"]
    late = replace(
        first, clients=(replace(first.clients[0], unserved=7), first.clients[1]), lab_limited=False
    )
    (item,) = measured([late])
    assert flags(item) == ["operations that never began and have no latency: 7"]
    (empty,) = measured([replace(broken, natural_bytes_per_s=0.0)])
    assert empty.mean is None
    assert chart_of([empty], None, None, []) is None
    row = results("", [empty]).rows[0]
    assert row[:4] == ("2", "read", "0/1", "–")


def test_lost_clients_failed_experiments_and_damage_are_shown(tmp_path: Path) -> None:
    """The report has each error with its reason."""
    lines = sample_lines()
    for line in lines:
        if (
            line["type"] == "phase"
            and line["experiment"] == "fig7"
            and line["point"] == {"clients": 2}
        ):
            line["partial"] = True
            line["clients"][1]["lost"] = "agent killed by signal 9"
            line["clients"][0]["damage"] = [{"class": "stale", "file": "f0000.000", "offset": 4096}]
    lines.insert(
        -1, {"type": "experiment-failed", "name": "fig6", "reason": "nas: no answer for 60 s"}
    )
    text = Page(render(copied(tmp_path / "r", lines), [])).text
    assert "nas: no answer for 60 s" in text
    assert "clients 2, repeat 1, write: c2: agent killed by signal 9" in text
    assert "class stale, file f0000.000, offset 4096" in text


@pytest.mark.parametrize("share", [0.02, 0.1, 0.35, 0.6, 0.9, 0.999])
def test_a_result_that_was_cut_off_gives_a_report(tmp_path: Path, share: float) -> None:
    """At any place in the middle: existing lines are shown, missing ones are named."""
    content = (SAMPLE / LINES).read_bytes()
    first = content.index(b"\n") + 1
    copied(tmp_path / "r")
    (tmp_path / "r" / LINES).write_bytes(content[: max(int(len(content) * share), first)])
    text = Page(render(read_result(tmp_path / "r"), JUDGEMENTS)).text
    assert "not ended: running, or interrupted" in text
    assert "every block is intact" in text


def test_an_empty_result_gives_a_report(tmp_path: Path) -> None:
    """Only the first line, and no other file."""
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / LINES).write_text(json.dumps(sample_lines()[0]) + "\n")
    text = Page(render(read_result(folder), [])).text
    for printed in (
        "study.yaml is missing",
        "No experiment was begun",
        "the run ended before the system was described",
    ):
        assert printed in text


def test_a_study_and_phases_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """A record of another version still gives its report, with the damage in a box."""
    lines = [line for line in sample_lines() if line["type"] != "phase"]
    lines.insert(-1, {"type": "phase", "experiment": "fig9", "clients": []})
    result = copied(tmp_path / "r", lines)
    (result.folder / "study.yaml").write_text("schema: study/9\n")
    (result.folder / "published.yaml").write_text("{")
    text = Page(render(result, [])).text
    for printed in (
        "phase 1 cannot be read",
        "study.yaml cannot be read",
        "published.yaml cannot be read",
    ):
        assert printed in text
    assert "Nothing was measured." in text


def test_text_of_the_result_is_escaped(tmp_path: Path) -> None:
    """Whatever nodes, scripts and studies say, it is text."""
    evil = "<script>alert('x')</script>"
    lines = sample_lines()
    for line in lines:
        if line["type"] == "run":
            line["title"] = evil
        if line["type"] == "system":
            line["parts"].append(["storage", evil])
            line["warnings"] = [evil]
            line["clients"] = ["c<b>1["]
            line["site"]["nodes"]["c<b>1["] = line["site"]["nodes"]["c1"]
        if line["type"] == "phase":
            line["bottleneck"] = line["bound"] = "<script>link"
            line["point"] = {"solution.<script>": "<script>"}
    result = copied(tmp_path / "r", lines)
    (result.folder / "scripts" / "09-x-nas.sh").write_text(f"echo {evil}")
    text = render(result, [Judgement("x", "published", evil, "inconclusive", evil, {evil: evil})])
    page = Page(text)
    assert "script" not in page.tags
    assert "<script" not in text
    assert page.text.count(evil) >= 7


def test_identical_scripts_are_shown_once(page: Page) -> None:
    """Scripts that differ in the name of the node alone are one entry with the folded node set."""
    assert sum("packages" in summary for summary in page.summaries) == 2
    assert any(
        re.search(r"packages\s+c\[1-3\]\s+\(3 nodes\)", summary) for summary in page.summaries
    )
    names = sorted(path.name for path in (SAMPLE / "scripts").iterdir())
    files = {name: (SAMPLE / "scripts" / name).read_text() for name in names}
    folded = scripts(files)
    assert sum(script.count for script in folded) == len(names)
    assert all(script.text == files[script.file] for script in folded)
    assert all(script.text in page.text for script in folded)
    header = "# stage 1 of 9: stop nfs-server; node srv-1"
    (hyphens,) = scripts({"07-stop_nfs-server-srv-1.sh": f"#!/bin/sh\n{header}\ntrue\n"})
    assert (hyphens.number, hyphens.stage, hyphens.nodes) == ("07", "stop nfs-server", "srv-1")
    same = {
        f"07-stop_nfs-server-{name}.sh": "#!/bin/sh\n# stage 1 of 9: stop nfs-server\ntrue\n"
        for name in ("s-1", "s-2")
    }
    (alike,) = scripts(same)
    assert (alike.stage, alike.nodes, alike.count) == ("stop nfs-server", "s-[1-2]", 2)
    (headless,) = scripts({"07-stop_nfs-server-srv-1.sh": "true\n"})
    assert (headless.stage, headless.nodes) == ("07-stop_nfs-server-srv-1.sh", "")
    changed = {**files, "01-packages-c2.sh": files["01-packages-c2.sh"] + "true\n"}
    assert len(scripts(changed)) == len(folded) + 1


def test_no_folder_of_the_machine_is_shown(page: Page) -> None:
    """The kernel and the image are named without their folders."""
    assert "image-0123456789abcdef/root.img" in page.text
    assert "linux.uml" in page.text
    assert "/var/cache" not in page.text
    assert "/usr/bin/linux.uml" not in page.text


@pytest.mark.parametrize(
    ("points", "places", "title"),
    [
        ([{}], [0.0], ""),
        (
            [{"transfer_size": "4KiB"}, {"transfer_size": "1MiB"}],
            [4096.0, 1048576.0],
            "transfer size",
        ),
        ([{"solution.export.mode": "sync"}, {"solution.export.mode": "async"}], [0.0, 1.0], "mode"),
    ],
)
def test_anything_can_vary(points: list[dict[str, Any]], places: list[float], title: str) -> None:
    """Nothing, sizes, or words: every point has its place, and the figure is drawn."""
    phases = [replace(sample_phases()[0], point=point, lab_limited=False) for point in points]
    items = measured(phases)
    across = axis(next(iter(points[0]), None), True, items)
    assert [across.place(point) for point in points] == places
    assert across.title == title
    chart = chart_of(items, Figure(x="clients", log=True), None, [])
    assert chart is not None
    for narrow in (False, True):
        assert "<svg" in figures.throughput(chart, "f", narrow=narrow)


def test_further_variables_make_separate_lines() -> None:
    """Two keys vary: one is the axis, each value of the other is a line."""
    phase = replace(sample_phases()[0], lab_limited=False)
    phases = [
        replace(phase, point={"clients": n, "transfer_size": result})
        for n in (1, 2)
        for result in ("4KiB", "1MiB")
    ]
    chart = chart_of(measured(phases), Figure(), None, [])
    assert chart is not None
    assert [(series.name, len(series.dots)) for series in chart.series] == [
        ("write, transfer_size 4KiB", 2),
        ("write, transfer_size 1MiB", 2),
    ]


def test_a_figure_is_small_and_takes_its_colours_from_the_page() -> None:
    """Below 60 kB, no colour other than the page's variables, no prologue."""
    chart = chart_of(measured(sample_phases()), Figure(number="F7"), None, [])
    assert chart is not None
    svg = figures.throughput(chart, "figure-1-w")
    assert len(svg) < 60_000
    assert re.findall(r"#[0-9a-fA-F]{6}\b", svg) == []
    assert "var(--series-1)" in svg
    assert svg.startswith("<svg viewBox=")
    assert "http" not in svg


def test_labels_do_not_overlap() -> None:
    """Names of lines are at least one step apart, and stay inside the figure."""
    placed = figures.spread([5.0, 5.1, 5.2, 9.9, 10.0], 1.0, 10.0)
    ordered = sorted(placed)
    assert all(after - before >= 0.999 for before, after in pairwise(ordered))
    assert ordered[-1] <= 9.5


def test_the_diagram_shows_both_sides_of_the_scale() -> None:
    """Node sets, modelled and scaled link rates, memory, and every disk in its span."""
    system = built(read_result(SAMPLE).first("system"), sample_study())
    assert system is not None
    for narrow in (False, True):
        drawn = diagram(system, narrow=narrow)
        for printed in (
            "c[1-8] (8 clients)",
            "8 × 4 Gbit/s",
            "lab 12.5 MB/s each",
            "10 Gbit/s",
            "MTU 9000 B",
            "512 MiB",
        ):
            assert printed in drawn
        assert drawn.count('class="disk"') == 12
        assert drawn.count('class="span"') == 4


def test_real_hosts_are_no_scale_model(tmp_path: Path) -> None:
    """At scale 1 the report does not mention a model, and rates are not printed twice."""
    lines = sample_lines()
    for line in lines:
        if line["type"] == "system":
            line["site"].update(kind="hosts", scale=1.0)
    text = Page(render(copied(tmp_path / "r", lines), [])).text
    assert "1.1 Scale model" in Page(render(read_result(SAMPLE), [])).text
    assert "1.1 Scale model" not in text
    assert "MB/s in the lab" not in text
    assert "modelled above" not in text


def test_seconds_are_summed_over_the_clients() -> None:
    """The strip of a phase holds every byte that the agents reported, second by second."""
    for phase in sample_phases():
        reported = sum(
            size_bytes for client in phase.clients for _, size_bytes, _ in client.seconds
        )
        assert sum(per_second(phase)) == reported
        assert len(per_second(phase)) <= max(client.elapsed_s for client in phase.clients) + 2


def test_numbers_are_written_for_people() -> None:
    """Units, and digits that mean something."""
    assert [size(value) for value in (64 * 1024, 25276502016, 0, None)] == [
        "64 KiB",
        "23.5 GiB",
        "0 B",
        "–",
    ]
    assert [bit_rate(value) for value in (1.25e9, 31.25e6, None)] == [
        "10 Gbit/s",
        "250 Mbit/s",
        "–",
    ]
    assert [ratio(value) for value in (0.025, 1.0)] == ["1/40", "1"]


def test_a_difference_from_the_publication_has_not_the_colour_of_a_failure() -> None:
    """On the page and on paper; a better result must not be red."""
    css = (TEMPLATES / "report.css").read_text()
    colours: dict[str, str] = {}
    for names, rule in re.findall(r"^(\.v-[^{]*)\{([^}]*)\}", css, re.MULTILINE):
        colours |= {name.strip().removeprefix(".v-"): rule.strip() for name in names.split(",")}
    assert colours["fail"] == "color: var(--bad);"
    for verdict in ("better", "worse", "different"):
        assert colours[verdict] not in (colours["fail"], colours["pass"])
        assert VERDICTS[f"v-{verdict}"] not in ("bad", "good")
        assert SYMBOLS[verdict] != SYMBOLS["fail"]
