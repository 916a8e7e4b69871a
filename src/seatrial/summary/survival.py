"""The faults of a run as a sentence: survived faults, outages of clients, and lost data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from seatrial.judge.answer import Answer, Verdict, worst_verdict
from seatrial.judge.checks import integrity
from seatrial.judge.controls import judge_control
from seatrial.judge.effects import judge_course
from seatrial.judge.happened import only_if_shown
from seatrial.judge.outages import judge_outage
from seatrial.result.faults import FaultResult
from seatrial.result.result import Result
from seatrial.summary.notation import seconds


def fault_verdict(fault: FaultResult) -> Answer:
    """The one verdict on a fault: its course, its longest outage, and its data; the worst decides.

    A negative control passes when its named checks have detected it.
    """
    if fault.controls:
        return judge_control(fault)
    goal_s = fault.expect.get("outage")
    outage = [judge_outage(fault, goal_s)] if goal_s is not None else []
    answers = [judge_course(fault), *outage, only_if_shown(fault, integrity.judge(fault))]
    decisive = worst_verdict(item.verdict for item in answers)
    return next(item for item in answers if item.verdict == decisive)


@dataclass(frozen=True)
class Blocks:
    """Blocks read back or compared with the operation logs, in all phases and all faults except
    controls.
    """

    checked: int
    """blocks and directory entries"""
    verdict: str
    """pass: all valid; fail; unknown: nothing was checked, or a part of the evidence is missing"""
    evidence: str

    @property
    def words(self) -> str:
        """`8 972 blocks and directory entries checked, none lost or wrong`."""
        if self.verdict == "pass":
            number = thousands(self.checked)
            return f"{number} blocks and directory entries checked, none lost or wrong"
        if self.verdict == "fail":
            return f"data were lost or wrong: {self.evidence}"
        if not self.checked:
            return "no data were read back, so data loss is unknown"
        return f"data loss is unknown: {self.evidence}"


def blocks(result: Result) -> Blocks:
    """All evidence of the data, as judged by `check: integrity`."""
    faults = [fault for fault in result.faults if not fault.controls]
    names = {fault.name for fault in result.faults if fault.controls}
    checked = sum(client.blocks_checked for phase in result.phases for client in phase.clients)
    checked += sum(stream.blocks_checked for fault in faults for stream in fault.streams)
    compared = (line for line in result.comparisons if line.get("fault") not in names)
    checked += sum(int(line["must"] + line["names_checked"]) for line in compared)
    answer = integrity.check(result, integrity.Options())
    return Blocks(checked, answer.verdict, answer.evidence)


def thousands(number: int) -> str:
    """A count in groups of three digits."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


class LongestOutage(NamedTuple):
    """The longest outage of a client in a run."""

    fault: str
    length_s: float
    limit_s: float | None
    """sum of the fault's timers"""


@dataclass(frozen=True)
class Survival:
    """Every fault of a run by its outcome; negative controls separately."""

    answers: dict[str, Answer]
    """of faults that were not skipped, by name"""
    controls: dict[str, Answer]
    planned: int
    """number of faults in the study, negative controls included; at least those in the result"""
    longest: LongestOutage | None
    unrecovered: tuple[str, ...] = ()
    """the faults after which some stream never got an answer"""

    @property
    def injected(self) -> int:
        """Faults and controls that were not skipped."""
        return len(self.answers) + len(self.controls)

    def with_verdict(self, verdict: Verdict) -> list[str]:
        """The faults and controls with this verdict."""
        return _with_verdict({**self.answers, **self.controls}, verdict)

    @property
    def words(self) -> str:
        """`4 of the study's 56 faults were injected, and all were survived; the longest outage was
        9.1 s`.
        """
        caught = len(_with_verdict(self.controls, "pass"))
        controls = (
            f"{caught} of {len(self.controls)} negative controls caught" if self.controls else ""
        )
        return "; ".join(part for part in (self._survived(), controls, self._outage()) if part)

    def _survived(self) -> str:
        many = len(self.answers)
        if not many:
            return ""
        passed = len(_with_verdict(self.answers, "pass"))
        if self.injected < self.planned:
            sentence = f"{many} of the study’s {self.planned} faults {_were(many)} injected, and "
            whole = "it" if many == 1 else "all"
            sentence += f"{whole if passed == many else passed or 'none'} {_were(passed)} survived"
        else:
            sentence = f"{passed} of {many} faults survived"
        lost = _with_verdict(self.answers, "fail")
        unknown = _with_verdict(self.answers, "unknown")
        sentence += f"; not survived: {', '.join(lost)}" if lost else ""
        return sentence + (f"; unknown: {', '.join(unknown)}" if unknown else "")

    def _outage(self) -> str:
        if self.longest is None:
            return ""
        if self.unrecovered:
            return f"not recovered: {', '.join(self.unrecovered)}"
        if not self.longest.length_s:
            return "no client had an outage above the threshold"
        return f"the longest outage was {seconds(self.longest.length_s)} ({self.longest.fault})"


def _with_verdict(answers: Mapping[str, Answer], verdict: Verdict) -> list[str]:
    """The names of the faults with this verdict."""
    return [name for name, answer in answers.items() if answer.verdict == verdict]


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def survival(faults: Sequence[FaultResult], planned: int) -> Survival | None:
    """The survival of a run; None where the profile has no fault. `planned`: see
    `Survival.planned`.
    """
    if not faults:
        return None
    done = [fault for fault in faults if fault.skipped is None]
    plain = [fault for fault in done if not fault.controls]
    # Streams that did nothing show no outage.
    timed = [
        fault
        for fault in plain
        if fault.failed is None and not all(item.did_nothing for item in fault.judged)
    ]
    worst = max(
        timed, key=lambda fault: (fault.unrecovered is not None, fault.longest_s), default=None
    )
    return Survival(
        {fault.name: fault_verdict(fault) for fault in plain},
        {fault.name: fault_verdict(fault) for fault in done if fault.controls},
        max(planned, len(faults)),
        LongestOutage(worst.name, worst.longest_s, worst.expect.get("outage")) if worst else None,
        tuple(fault.name for fault in timed if fault.unrecovered),
    )
