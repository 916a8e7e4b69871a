"""The faults that damaged data, for a run that repeats them."""

from collections.abc import Sequence

from seatrial.judge.controls import finds_damage, judged_by, names_of_judges
from seatrial.result.result import Result


def faults_with_damage(result: Result, names: Sequence[str]) -> list[str]:
    """The faults among `names` that lost or corrupted clients' data or broke their consistency."""
    checks = [check for check in names_of_judges() if finds_damage(check)]
    faults = [fault for fault in result.faults if fault.name in names]
    return [
        fault.name
        for fault in faults
        if any(judged_by(check, fault).verdict == "fail" for check in checks)
    ]
