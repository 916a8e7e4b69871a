"""The faults that damaged data, for a run that repeats them."""

from collections.abc import Sequence

from seatrial.judge.checks import consistency, integrity
from seatrial.result.result import Result


def faults_with_damage(result: Result, names: Sequence[str]) -> list[str]:
    """The faults among `names` that lost or corrupted clients' data or broke their consistency."""
    checks = (integrity.judge, consistency.judge)
    faults = [fault for fault in result.faults if fault.name in names]
    return [
        fault.name for fault in faults if any(check(fault).verdict == "fail" for check in checks)
    ]
