"""The lines about the boot of a lab."""

from seatrial.labs.emulation.boot_report import NAMED_MAX, PROGRESS_S, BootReport


def test_each_node_of_a_small_lab_has_a_line() -> None:
    """Its time helps to find a slow node."""
    lines: list[str] = []
    report = BootReport(2, lines.append, lambda: 0.0)
    report.answered("nas", 5.61)
    report.answered("c1", 2.0)
    assert lines == ["nas answers ssh after 5.6 s", "c1 answers ssh after 2.0 s"]


def test_a_large_lab_has_a_line_every_few_seconds_and_one_at_the_end() -> None:
    """64 lines would hide the others."""
    lines: list[str] = []
    count = NAMED_MAX + 1
    now_s = iter(number * PROGRESS_S / 6 for number in range(2 * count))
    report = BootReport(count, lines.append, lambda: next(now_s))
    for number in range(count):
        report.answered(f"c{number}", 1.0 + number)
    assert lines[0] == f"6 of {count} nodes answer ssh"
    assert lines[-1] == f"{count} nodes answer ssh after 1.0 to {float(count):.1f} s (slowest: c12)"
    assert len(lines) == 3
