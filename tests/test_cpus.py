"""The guard of a scale model."""

from pathlib import Path

from seatrial.load.cpus import BusyMeter

BEFORE = """\
cpu  100 0 100 800 0 0 0 0 0 0
cpu0 50 0 50 400 0 0 0 0 0 0
cpu1 50 0 50 400 0 0 0 0 0 0
intr 5
"""


def test_the_busiest_processor_counts(tmp_path: Path) -> None:
    """Its nodes cannot go to another; waiting for a disk is not being busy, and time that a host
    took is.
    """
    stat = tmp_path / "stat"
    stat.write_text(BEFORE)
    meter = BusyMeter(stat, {0, 1, 2})
    assert meter.share() == 0.0
    stat.write_text(
        "cpu  250 0 100 850 0 0 0 0 0 0\ncpu0 50 0 50 450 50 0 0 0 0 0\ncpu1 100 0 60 410 0 0 0 30"
        " 9 9\n"
    )
    assert meter.share() == 0.9


def test_a_processor_that_came_later_is_left_out(tmp_path: Path) -> None:
    """Nothing is known of its time before."""
    stat = tmp_path / "stat"
    stat.write_text(BEFORE)
    meter = BusyMeter(stat, {0, 1, 2})
    stat.write_text(BEFORE + "cpu2 900 0 0 0 0 0 0 0 0 0\n")
    assert meter.share() == 0.0


def test_processors_that_the_lab_may_not_use_are_left_out(tmp_path: Path) -> None:
    """Another program saturates processor 1, and the lab runs on processor 0."""
    stat = tmp_path / "stat"
    stat.write_text(BEFORE)
    meter = BusyMeter(stat, {0})
    stat.write_text("cpu0 60 0 50 490 0 0 0 0 0 0\ncpu1 150 0 50 400 0 0 0 50 0 0\n")
    assert meter.share() == 0.1
    assert meter.busy_processors() == 0.1
    assert meter.stolen_share() == 0.0
