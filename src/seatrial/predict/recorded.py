"""The layers that a recorded study should raise first, point by point: for the recommendations of
its report.
"""

from seatrial.basics.errors import SeatrialError
from seatrial.cases import Variants, experiment_cases
from seatrial.judge.judge import study_of
from seatrial.predict.layers import Step, balance
from seatrial.predict.study import expectations
from seatrial.result.result import Result
from seatrial.study.profiles import ALL_PROFILES, Profile


def steps_of(result: Result) -> dict[tuple[str, str, str], tuple[Step, ...]]:
    """(experiment, point, phase) -> the way to a balanced design; empty where the result's study is
    unreadable.
    """
    recorded = result.first("run").get("profile")
    profile: Profile = recorded if recorded in ALL_PROFILES else "full"
    try:
        study = study_of(result)
        # A rule that is newer than the result must not refuse it: its study is not checked.
        cases = experiment_cases(Variants(study), study.experiments_in(profile))
        expected = list(expectations(cases))
    except SeatrialError:
        return {}
    return {
        (item.experiment, item.point, item.phase): tuple(balance(item.layers, item.demand))
        for item in expected
    }
