"""The layers that a recorded study should raise first, point by point: for the recommendations of
its report.
"""

from seatrial.basics.errors import SeatrialError
from seatrial.judge.judge import study_of
from seatrial.predict.layers import Step, balance
from seatrial.predict.study import expectations
from seatrial.result.result import Result
from seatrial.study.profiles import ALL_PROFILES


def steps_of(result: Result) -> dict[tuple[str, str, str], tuple[Step, ...]]:
    """(experiment, point, phase) -> the way to a balanced design; empty where the result's study is
    unreadable.
    """
    profile = result.first("run").get("profile")
    try:
        expected = list(expectations(study_of(result), profile if profile in ALL_PROFILES else "full"))
    except SeatrialError:
        return {}
    return {(item.experiment, item.point, item.phase): tuple(balance(item.layers, item.demand)) for item in expected}
