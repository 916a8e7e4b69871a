"""The report of the outages and the seconds of a phase."""

import re
from pathlib import Path

from seatrial.report import outages, seconds
from seatrial.summary.points import measured
from tests.builders.reports import outage, shown, silent, ticking
from tests.builders.results import phase


def test_without_outages_the_threshold_is_named(tmp_path: Path) -> None:
    """One sentence; nothing where an older result does not say."""
    printed = "No client and no task had an outage of more than 200 ms."
    text = shown(tmp_path / "a", silent())
    assert printed in text
    assert 'class="outage"' not in text
    assert printed not in shown(tmp_path / "b", phase())
    assert outages.in_words([], 1.0) == "No client and no task had an outage of more than 1 s."


def test_outages_have_bars_and_times(tmp_path: Path) -> None:
    """Relative to the phase, in UTC to the millisecond; tasks that were silent together are one
    row.
    """
    start_s = 1_700_000_000.0
    items = (
        outage("c1", 0, start_s + 2, start_s + 4.5),
        outage("c1", 1, start_s + 2, start_s + 4.5),
        outage("c1", 0, start_s + 9, start_s + 10, is_open=True),
        outage("c1", None, start_s + 9, start_s + 10, is_open=True),
    )
    text = shown(tmp_path / "r", silent(*items, started_unix_s=start_s))
    assert (
        "In one phase something had an outage of more than 200 ms; the longest one lasted 2.50 s"
        in text
    )
    assert text.count('class="outage"') == 1
    assert "4, longest 2.50 s, one to the end" in text
    table = outages.listed(outages.outages(measured([silent(*items, started_unix_s=start_s)])))
    assert table.rows == (
        ("c1", "tasks 0-1", "2.000 – 4.500", "2.500", "22:13:22.000 – 22:13:24.500", "closed"),
        (
            "c1",
            "whole client",
            "9.000 – 10.000",
            "1.000",
            "22:13:29.000 – 22:13:30.000",
            "to the end",
        ),
    )
    assert table.groups == (
        (0, "clients 1, read, repeat 1 (2023-11-14, clocks agree within 1.0 ms)"),
    )


def test_a_bar_is_as_high_as_the_share_of_silent_tasks() -> None:
    """Half height for one of two tasks, full height for both, and the whole client above them."""
    items = (outage("c1", 0, 1.0, 4.0), outage("c1", 1, 2.0, 3.0), outage("c1", None, 2.0, 3.0))
    assert outages.silent_tasks(items[:2], 0.0) == [(1.0, 2.0, 1), (2.0, 3.0, 2), (3.0, 4.0, 1)]
    drawn = outages.bar(silent(*items).clients[0], 0.0, 10.0)
    some, whole = (re.search(rf'd="([^"]*)" class="{css}"', drawn) for css in ("some", "whole"))
    assert some is not None
    assert whole is not None
    assert some[1] == "M100.0 20v-10.0H200.0V20zM200.0 20v-20.0H300.0V20zM300.0 20v-10.0H400.0V20z"
    assert whole[1] == "M200.0 20V0H300.0V20z"


def test_the_longest_outages_are_shown_and_the_rest_is_counted() -> None:
    """At most 8 phases and 10 rows of each; the longest first."""
    phases = [silent(outage("c1", 0, 1.0, 2.0 + number), repeat=number) for number in range(1, 10)]
    found = outages.outages(measured(phases))
    assert [item.phase.repeat for item in found] == list(range(9, 0, -1))
    assert len(outages.bars(found)) == 8
    assert "1 further phase had none longer than 2.00 s" in outages.caption(found)
    assert "further" not in outages.caption(found[:8])
    many = silent(
        *(outage("c1", 0, float(second), second + 0.5 + second / 100) for second in range(12))
    )
    table = outages.listed(outages.outages(measured([many])))
    assert len(table.rows) == 10
    assert table.rows[0][2] == "2.000 – 2.520", "the two shortest are left out, the others by time"
    assert "the 10 longest of 12" in table.groups[0][1]


def test_the_latency_of_each_second_is_drawn_to_a_logarithmic_scale() -> None:
    """A decade is a third of the height here; a second without a completion is a gap."""
    item = ticking((0.1, 10.0), (1.0, 100.0), None, (0.1, 0.1))
    assert seconds.latency_scale_of([item]) == seconds.LatencyScale(4, low=-1, high=2)
    drawn = seconds.latency_strip(item.seconds, 4, -1, 2)
    lines = dict(reversed(found) for found in re.findall(r'd="([^"]*)" class="(\w+)"', drawn))
    assert lines["median"] == "M0.0 30.0H33.0L33.0 20.0H66.0M99.0 30.0H132.0"
    assert lines["longest"] == "M0.0 10.0H33.0L33.0 0.0H66.0M99.0 30.0H132.0"
    assert 'aria-label="median 0.100 to 1.00 ms, longest 0.100 to 100 ms"' in drawn
    shown = seconds.latency(measured([item]))
    assert shown is not None
    assert "from 0.1 ms to 100 ms" in shown.caption
    assert seconds.power(3) == "1 s"


def test_seconds_without_figures_are_not_drawn() -> None:
    """Older results have none; and a phase of a single second is shown as its mean."""
    assert seconds.latency(measured([phase()])) is None
    assert seconds.latency(measured([ticking((1.0, 2.0))])) is None
    assert seconds.throughput(measured([ticking((1.0, 2.0))])) is None
    assert seconds.throughput(measured([ticking((1.0, 2.0), (1.0, 2.0))])) is not None
    words = seconds.in_words(ticking((1.0, 2.0), (1.0, 2.0)))
    assert words == "2 s: 0.00100 to 0.00100 MB/s, median 0.00100"
    # A part of a second has no rate.
    assert seconds.in_words(ticking((1.0, 2.0))) == "0.00100 MB, over within 1.5 s"
