"""The parts of a study that a run did not test, and the evidence of its faults."""

from dataclasses import replace

from seatrial.judge.judge import study_of
from seatrial.report.tested import OTHER_PROFILE, evidence_of_faults, not_tested
from seatrial.result.evidence import Evidence, Sign
from seatrial.result.result import read_result
from seatrial.summary.coverage import NotDone, coverage
from tests.builders.fault_results import fault
from tests.builders.places import DATA

QUICK = read_result(DATA / "nss-ha-quick")


def test_every_part_without_a_measurement_is_named() -> None:
    """A quick run lists the faults and experiments of the longer profiles."""
    study = study_of(QUICK)
    found = coverage(QUICK, study)
    table = not_tested(found)
    assert table is not None
    listed = {row[0]: row[1] for row in table.rows}
    injected = {item.name for item in QUICK.faults if item.skipped is None}
    assert injected
    for name in study.faults:
        assert (f"fault {name}" in listed) == (name not in injected), name
    assert listed["fault power-bus"] == OTHER_PROFILE
    assert listed["experiment random"] == OTHER_PROFILE


def test_skipped_faults_have_their_reason() -> None:
    """It is not the profile that left them out."""
    found = coverage(QUICK, study_of(QUICK))
    skipped = replace(found, faults_skipped=(NotDone("local-disk", "the node has one disk"),))
    table = not_tested(skipped)
    assert table is not None
    assert table.rows[0] == ("fault local-disk", "skipped: the node has one disk")


def test_the_evidence_of_each_action_is_shown() -> None:
    """Observed and required signs; an action without its sign did not happen for the judge."""
    actions = (
        Evidence("unplug a link", 1.0, (Sign.LINK_DOWN,), (Sign.LINK_DOWN,)),
        Evidence("cut the power", 2.0, (Sign.POWER_OFF, Sign.PROCESS_GONE), ()),
    )
    table = evidence_of_faults([fault(name="cut", evidence=actions)])
    assert table is not None
    assert table.rows == (
        ("cut", "unplug a link", "link-down", "link-down", "yes"),
        ("cut", "cut the power", "none", "power-off or process-gone", "no"),
    )
    assert evidence_of_faults([fault(name="old", evidence=None)]) is None
