"""The figures that the report draws itself: scales, rows of bars, lines, and their tables."""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.report.faults import course
from seatrial.report.html import render
from seatrial.report.picture import Picture
from seatrial.report.plots import (
    client_spread,
    fault_rates,
    latencies,
    outage_bars,
    timeline,
    variant_bars,
)
from seatrial.report.plots.drawing import (
    LETTER,
    Scale,
    decades,
    rounded_up,
    shortened,
    tick_text,
    ticks,
)
from seatrial.report.plots.row_chart import Block, Panel, Row, RowChart, Whisker, drawn
from seatrial.report.tables import Numbers
from seatrial.result.phases import PhaseResult
from seatrial.summary.latency_results import LatencyDistribution, latency_distributions
from seatrial.summary.outage_parts import divided_outages
from seatrial.summary.points import measured
from tests.builders.fault_results import MOMENTS, fault, result
from tests.builders.figures import (
    clients,
    coded,
    going,
    open_stream,
    repeats_of_variants,
    timed,
    variants,
)
from tests.builders.html_tree import tree_of
from tests.builders.results import client, phase

TEXT = re.compile(
    r'<text x="(-?[\d.]+)" y="(-?[\d.]+)"'
    r'(?: class="[^"]*")?(?: text-anchor="(\w+)")?>([^<]*)</text>'
)
"""place, anchor and content of a text"""
VIEW = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')

# ---- scales


@given(st.integers(1, 60))
def test_a_text_fits_into_its_own_width(letters: int) -> None:
    """Also where the width is the rest of a sum, which is not exact."""
    text = "x" * letters
    assert shortened(text, letters * LETTER + 14 - 14) == text


def test_ticks_are_round() -> None:
    """Steps of 1, 2 and 5, with 0 where it is inside."""
    assert ticks(0.0, 9.0, 5) == [0, 2, 4, 6, 8]
    assert ticks(-7.0, 33.0, 8) == [-5, 0, 5, 10, 15, 20, 25, 30]
    assert ticks(3.0, 3.0, 5) == [3.0]
    assert decades(0.01, 100.0) == [0.01, 0.1, 1.0, 10.0, 100.0]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(3, 12))
def test_ticks_are_inside_and_few(low: float, width: float, most: int) -> None:
    """At most one more than the parts, and at least one."""
    found = ticks(low, low + width, most)
    assert 1 <= len(found) <= most + 1
    assert all(low - 1e-3 * width <= value <= low + width * 1.001 for value in found)


@given(st.floats(1e-6, 1e9), st.integers(3, 12))
def test_an_axis_reaches_above_its_highest_value(value: float, most: int) -> None:
    """By less than a step."""
    top = rounded_up(value, most)
    assert value * (1 - 1e-6) <= top <= 2 * value + 1e-6


def test_values_outside_of_a_scale_stay_inside_of_the_figure() -> None:
    """Also without a width, and on a logarithmic scale."""
    scale = Scale(0.0, 10.0, 100.0, 200.0)
    assert [scale.at(value) for value in (-5.0, 0.0, 5.0, 10.0, 99.0)] == [100, 100, 150, 200, 200]
    assert Scale(1.0, 1.0, 0.0, 10.0).at(1.0) == 0.0
    log = Scale(0.01, 100.0, 0.0, 4.0, is_log=True)
    assert [round(log.at(value), 6) for value in (0.0, 0.01, 1.0, 100.0)] == [0, 0, 2, 4]
    texts = [tick_text(value) for value in (0.0, -5.0, 0.5, 1000.0, 1e-4)]
    assert texts == ["0", "−5", "0.5", "1000", "0.0001"]
    assert shortened("a long name", 5 * LETTER) == "a lo…"
    for name in ("a" * letters for letters in range(1, 40)):
        assert shortened(name, LETTER * len(name)) == name, "it fits exactly"


# ---- every figure


def outages() -> Picture | None:
    """Faults with and without an end."""
    silent = open_stream(client="a-client-with-a-rather-long-name")
    lost = fault(name="cut", streams=(silent,), ended_unix_s=165.0)
    short = fault(0.0, name="x" * 60, expect={"outage": 9.0, "target": 5.0})
    items = [fault(moments=MOMENTS, name="panic"), lost, short, fault(name="c", skipped="none")]
    return outage_bars.picture(divided_outages(items, None))


def rates() -> Picture | None:
    """A fault with data and directory entries."""
    interrupted = going("c1", [100] * 5 + [0] * 8 + [95] * 12)
    streams = (interrupted, going("c2", [50] * 25), going("c1", [70] * 9, phase="stat"))
    return fault_rates.picture(fault(streams=streams))


def distributions(phases: Iterable[PhaseResult]) -> tuple[LatencyDistribution, ...]:
    """The latencies of some phases."""
    return latency_distributions(measured(phases))


def latency() -> Picture | None:
    """Eight points."""
    phases = [timed(*range(1, 99 * n), point={"clients": n}) for n in range(1, 9)]
    return latencies.picture(distributions(phases))


def spread() -> Picture | None:
    """Two points."""
    points = [phase(point={"clients": n}, clients=clients(*range(1, 5 * n))) for n in (1, 2)]
    return client_spread.picture(measured(points))


def of_variants(folder: Path) -> Picture | None:
    """One with an interval, one without, one that was not measured."""
    return variant_bars.picture(variants(folder, *repeats_of_variants()), "one")


@pytest.fixture(params=["outages", "rates", "latency", "spread", "variants"])
def picture(request: pytest.FixtureRequest, tmp_path: Path) -> Picture:
    """Every kind of figure."""
    made = {"outages": outages, "rates": rates, "latency": latency, "spread": spread}
    found = of_variants(tmp_path / "r") if request.param == "variants" else made[request.param]()
    assert found is not None
    return found


def test_every_text_is_inside_of_its_figure(picture: Picture) -> None:
    """In both forms, by the width of a letter."""
    for svg in (picture.wide, picture.narrow):
        assert_inside(svg)


def assert_inside(svg: str) -> None:
    """No text leaves the figure, if its letters are as wide as assumed."""
    view = VIEW.search(svg)
    assert view is not None
    width = float(view[1])
    height = float(view[2])
    texts = TEXT.findall(svg)
    assert texts
    for x, y, anchor, text in texts:
        length = LETTER * len(text)
        left = float(x) - {"": 0.0, "middle": length / 2, "end": length}[anchor]
        assert left >= -1, text
        assert left + length <= width + 1, text
        assert 0 < float(y) <= height, text


def test_colours_come_from_the_page_and_the_figure_has_a_text(picture: Picture) -> None:
    """There are no fixed colours and no references, but a text alternative; the forms differ."""
    for svg in (picture.wide, picture.narrow):
        assert not re.search(r"#[0-9a-f]{3,6}|style=|href|NaN|nan", svg)
        assert 'role="img" aria-label="' in svg
    assert picture.wide != picture.narrow
    assert picture.data is not None
    assert picture.data.rows
    assert all(len(row) == len(picture.data.columns) for row in picture.data.rows)


def test_long_titles_are_broken_into_lines() -> None:
    """The unit of operations in a lab is a sentence; a phone has 45 letters in a line."""
    axis_title = "rate of a client (operations/s, value of the lab, not of hardware)"
    panel = Panel("copy-from-storage " * 4, axis_title, (Row("a", "8"),))
    for narrow in (False, True):
        svg = drawn(RowChart((panel,), (), ""), narrow=narrow)
        assert_inside(svg)
    texts = [text for *_, text in TEXT.findall(svg)]
    assert axis_title not in texts
    assert axis_title in " ".join(texts)


def test_the_same_values_give_the_same_bytes() -> None:
    """Also where a figure is made from sets and mappings."""
    assert outages() == outages()
    assert latency() == latency()


# ---- rows


def test_an_axis_has_zero_and_a_bar_begins_there() -> None:
    """The left end of the bar is the place of 0."""
    panel = Panel("", "time (s)", (Row("a", "8 s", (Block(0.0, 8.0, "fill-1"),)),))
    svg = drawn(RowChart((panel,), (), ""))
    texts = [(x, text) for x, _, anchor, text in TEXT.findall(svg) if anchor == "middle"]
    zero = next(x for x, text in texts if text == "0")
    bar = re.search(r'd="M([\d.]+) [\d.]+H[\d.]+v15.0', svg)
    assert bar is not None
    assert bar[1] == zero


def test_a_wide_interval_does_not_stretch_the_axis() -> None:
    """It is cut with an arrow."""
    rows = (Row("a", "", (Block(0.0, 8.0, "fill-1"),), whisker=Whisker(1.0, 900.0)),)
    assert Panel("", "", rows).highest == 12.0
    narrow = (replace(rows[0], whisker=Whisker(7.0, 9.0)),)
    assert Panel("", "", narrow).highest == 9.0
    cut, whole = (drawn(RowChart((Panel("", "", it),), (), "")) for it in (rows, narrow))
    arrow = "l5.0 5.0l-5.0 5.0"
    assert arrow in cut
    assert arrow not in whole


def test_a_fault_without_recovery_is_marked_and_not_cut() -> None:
    """Its bar ends with an arrow inside of the axis, and its words say so."""
    found = outages()
    assert found is not None
    assert found.wide.count('class="open"') == 1
    assert "not recovered in 65.0 s" in found.wide
    assert "A bar with an arrow has no end" in found.caption
    assert found.data is not None
    cells = {row[0]: row[1] for row in found.data.rows}
    assert cells["cut"] == "> 65.0, not recovered"
    assert cells["c"] == "not injected"


def test_the_legend_has_the_parts_that_are_drawn() -> None:
    """And the marks; a fault without an event has the part `other` alone."""
    found = outage_bars.picture(divided_outages([fault()], None))
    assert found is not None
    texts = [text for *_, text in TEXT.findall(found.wide)]
    assert "other" in texts
    assert "limit" in texts
    assert not {"detect", "grace", "target"} & set(texts)
    assert outage_bars.picture(divided_outages([fault(skipped="none")], None)) is None


# ---- lines


def test_the_rate_has_a_line_at_the_injection_and_at_the_repair() -> None:
    """With names, on an axis from 0, with units."""
    found = rates()
    assert found is not None
    texts = [text for *_, text in TEXT.findall(found.wide)]
    wanted = ("injection", "end of the repair", "MB/s", "operations/s")
    assert {*wanted, "time from the injection (s)"} <= set(texts)
    assert texts.count("0") == 4, "each of two panels has 0 on both axes"
    assert "slowest client: c1" in texts
    assert found.data is not None
    assert found.data.rows[0][:2] == ("all clients, MB/s", "0.000150 (0.000150 to 0.000150)")


def test_few_operations_have_no_high_percentile() -> None:
    """The cell gives the reason, and the number of samples is next to it."""
    table = latencies.table("", distributions([timed(*range(1000, 1050))]))
    assert table is not None
    titles = [column.title.removesuffix(" †") for column in table.columns]
    row = dict(zip(titles, table.rows[0], strict=True))
    assert (row["samples"], row["p90"]) == ("50", "0.00104")
    assert (row["p99"], row["p99.9"]) == (latencies.TOO_FEW, latencies.TOO_FEW)
    assert latencies.table("", distributions([phase()])) is None
    assert latencies.picture(distributions([phase()])) is None


def test_the_caption_of_latencies_names_everything_merged() -> None:
    """Clients and repeats, only where there are several; points that are left out are counted."""
    two = (client(), client(client="c2"))
    repeats = [timed(10, clients=two), timed(20, clients=two, repeat=2)]
    both = latencies.picture(distributions(repeats))
    alone = latencies.picture(distributions([timed(10)]))
    many = latency()
    assert both is not None
    assert alone is not None
    assert many is not None
    assert "the histograms of all clients and the used repeats" in both.caption
    assert "nothing was merged" in alone.caption
    assert "6 of 8 points" in many.caption
    assert many.wide.count('class="line-6"') == 2, "the line and its sample"


def test_one_point_with_several_phases_is_one_panel() -> None:
    """The phases are its lines."""
    names = ("create", "stat", "remove")
    phases = [phase(phase=name, histograms={name: coded(10, 20)}) for name in names]
    found = latencies.picture(distributions(phases))
    assert found is not None
    texts = [text for *_, text in TEXT.findall(found.wide)]
    assert {"create (2)", "stat (2)", "remove (2)", "share of the operations (%)"} <= set(texts)


# ---- clients and variants


def test_the_extremes_have_the_names_of_their_clients() -> None:
    """In the figure and in the table."""
    three = clients(3_000_000, 1_000_000, 2_000_000)
    found = client_spread.picture(measured([phase(clients=three)]))
    assert found is not None
    assert "c2 1.00 to c1 3.00" in found.wide
    assert found.data is not None
    assert found.data.rows[0][4:6] == ("1.00", "c2")
    assert found.data.rows[0][-1] == "3.00"
    assert client_spread.picture(measured([phase()])) is None


def test_variants_have_bars_intervals_and_bounds(tmp_path: Path) -> None:
    """In the order of the study; one that was not measured has no bar."""
    found = of_variants(tmp_path / "r")
    assert found is not None
    names = [text for *_, text in TEXT.findall(found.wide) if text in ("z", "a", "m")]
    assert names == ["z", "a", "m"]
    assert found.wide.count('class="fill-1"') == 3, "two bars and the sample"
    assert found.wide.count('class="limit"') == 3
    assert found.wide.count('class="whisker"') == 2
    assert "not measured" in found.wide
    assert "An interval with an arrow is cut" in found.caption


# ---- timelines


def test_a_timeline_has_ticks_with_zero_at_the_injection() -> None:
    """From the start of the streams to their end, and a legend of the parts."""
    found = course(fault(moments=MOMENTS), Numbers())
    assert found is not None
    assert [tick.text for tick in found.ticks] == ["0", "20", "40", "60"]
    assert found.ticks[0].place_percent == pytest.approx(100 * 5 / 70, abs=0.01)
    assert 'class="zero"' in found.rows[0].drawn
    for name in ("detect", "fence", "start", "grace", "first completion"):
        assert f">{name}</text>" in found.legend.wide
        assert f">{name}</text>" in found.legend.narrow
    assert [tick.text for tick in timeline.time_ticks(0.0, 10.0)] == ["0", "2", "4", "6", "8", "10"]


def test_strips_of_the_same_unit_have_the_same_height() -> None:
    """The stream with half of the rate is half as high."""
    items = (going("c1", [100] * 10, stream="a"), going("c1", [50] * 10, stream="b"))
    found = course(fault(streams=items), Numbers())
    assert found is not None
    strips = [row for row in found.rows if row.name in ("a", "b")]
    heights = {row.name: re.findall(r"v-([\d.]+)H", row.drawn)[0] for row in strips}
    assert heights == {"a": "20.0", "b": "10.0"}


def test_the_axis_of_a_timeline_is_read_aloud(tmp_path: Path) -> None:
    """The page hides no axis, and the figures of faults are numbered in their order."""
    two = (fault(moments=MOMENTS), fault(9.0, name="other", published=None))
    page = render(result(tmp_path, *two), [])
    tree = tree_of(page)
    axes = [cell for cell in tree.all("td") if "axis" in cell.classes]
    assert len(axes) == 2
    assert all("0" in [item.text for item in cell.elements] for cell in axes)
    assert "<tfoot aria-hidden" not in page
    captions = [int(number) for number in re.findall(r"<figcaption><b>Figure (\d+)\.", page)]
    assert captions == sorted(captions)
    titles = [caption.text for caption in tree.all("figcaption")]
    assert sum("Rate through the fault" in title for title in titles) == 2
    # On the first page, and in the chapter.
    assert sum(outage_bars.TITLE in title for title in titles) == 2
