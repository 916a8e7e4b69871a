"""The layers that a recorded study should raise first, point by point: for the recommendations of
its report.
"""

from seatrial.basics.errors import SeatrialError
from seatrial.judge.judge import study_of
from seatrial.predict.layers import Step, balance
from seatrial.predict.study import expectations
from seatrial.record.record import Record
from seatrial.study.forms import FORMS


def steps_of(record: Record) -> dict[tuple[str, str, str], tuple[Step, ...]]:
    """(experiment, point, phase) -> the way to a balanced design; empty where the result's study is
    unreadable.
    """
    form = record.first("run").get("form")
    try:
        found = list(expectations(study_of(record), form if form in FORMS else "full"))
    except SeatrialError:
        return {}
    return {(item.experiment, item.point, item.phase): tuple(balance(item.layers, item.demand)) for item in found}
