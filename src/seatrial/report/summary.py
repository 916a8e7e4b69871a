"""The first screen: the study's question answered in a sentence, by what was measured, and never by more.

`summary` decides from results and from acceptance claims: a claim that failed or has no evidence is named first.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from seatrial.basics.units import counted
from seatrial.judge.base import Judgement
from seatrial.judge.waivers import PASS_WITH_WAIVERS, number_words, whole_words
from seatrial.report.peaks import Throughput
from seatrial.report.survival import Blocks, Survival, thousands

FIGURES_MAX = 3
EVIDENCE_MAX = 320
"""letters of one piece of evidence on the first screen; the tables have all of it"""
_YES_OR_NO = re.compile(r"(does|do|is|are|can|will|has|have)\b", re.IGNORECASE)


@dataclass(frozen=True)
class KeyFigure:
    """One of the figures that matter."""

    value: str
    meaning: str


@dataclass(frozen=True)
class Summary:
    """The first screen."""

    state: str
    """pass, pass with waivers, fail, unknown, or nothing where the question asks for figures and no claim is open"""
    lead: str
    """its first words, where claims or faults decide: `Yes`, `No`, `Not decided`"""
    answer: str
    """the sentence, without the first words"""
    more: str
    """what was measured besides; may be empty"""
    figures: tuple[KeyFigure, ...]
    failed: tuple[str, ...]
    """what failed, with its evidence"""
    unknown: tuple[str, ...]
    """what has no evidence, with the reason"""
    waived: tuple[str, ...] = ()
    """what the study lets pass: what was found, who waived it, and why"""


@dataclass(frozen=True)
class Findings:
    """What a summary is made from."""

    question: str
    judgements: Sequence[Judgement]
    survival: Survival | None
    blocks: Blocks
    throughput: Throughput
    outcome: str
    """`complete`, or why it is not"""
    broken: dict[str, str]
    """experiments that could not be completed, and why"""
    left_out: str = ""
    """which part of the study this form has not"""
    edited: str = ""
    """why no verdict rests on the result, where its seal is broken"""

    def claims(self, verdict: str) -> list[Judgement]:
        """The acceptance claims with this verdict."""
        return [item for item in self.judgements if item.kind == "acceptance" and item.verdict == verdict]


def summary(found: Findings) -> Summary:
    """The answer, the figures behind it, and what it leaves open."""
    state, lead, reason = _lead(found)
    rates = found.throughput
    told = [part for part in (reason, _faults(found), rates.words, _read_back(found), rates.reserve) if part]
    if not told:
        told, state, lead = ["nothing was measured"], "unknown", "No answer"
    told += [found.left_out] if found.left_out else []
    first, *rest = (_sentence(part) for part in told)
    answer = _sentence(told[0], capital=False) if lead else first
    figures = tuple(_figures(found))[:FIGURES_MAX]
    failed, unknown = (tuple(_claim(item) for item in found.claims(verdict)) for verdict in ("fail", "unknown"))
    broken = (f"{name} could not be completed: {_short(why)}" for name, why in found.broken.items())
    waived = tuple(f"{item.claim}: {whole_words(item.waivers)}" for item in found.judgements if item.waivers)
    return Summary(state, lead, answer, " ".join(rest), figures, (*failed, *broken), unknown, waived)


def _lead(found: Findings) -> tuple[str, str, str]:
    """(state, first words, why they are these)."""
    survival = found.survival
    if found.edited:
        return "unknown", "Not decided", found.edited
    asked = bool(_YES_OR_NO.match(found.question))
    if survival and (survival.named("fail") or found.blocks.verdict == "fail"):
        return "fail", "No" if asked else "Not accepted", ""
    failed, unknown = found.claims("fail"), found.claims("unknown")
    every = sum(item.kind == "acceptance" for item in found.judgements)
    if failed:
        return "fail", "Not accepted", _of_claims(failed, every, "failed")
    if found.outcome != "complete":
        return "unknown", "Not decided", f"the run is {found.outcome}" if found.outcome else "the run did not end"
    if unknown:
        return "unknown", "Not decided", _of_claims(unknown, every, "undecided")
    if survival and not survival.injected:
        return "unknown", "Not decided", "every fault was skipped"
    if (survival and survival.named("unknown")) or _silent(found):
        return "unknown", "Not decided", ""
    if not every:
        return "unknown", "Not judged", "the study makes no claim that could be judged"
    yes = "Yes, as far as was tried" if survival and survival.injected < survival.planned else "Yes"
    waived = found.claims(PASS_WITH_WAIVERS)
    if waived:
        told = number_words(tuple(waiver for item in waived for waiver in item.waivers))
        lead = f"{yes}, with waivers" if asked and survival else "Passed with waivers"
        return PASS_WITH_WAIVERS, lead, f"{told} ({', '.join(item.claim for item in waived)})"
    return "pass", yes if asked and survival else "", ""


def _silent(found: Findings) -> bool:
    """Whether what was done does not tell what was asked: no data were read back, or no rate is usable."""
    if found.survival is None:
        return bool(found.throughput.points) and not found.throughput.peaks
    return bool(found.survival.answers) and found.blocks.verdict == "unknown"


def _of_claims(items: Sequence[Judgement], every: int, what: str) -> str:
    return f"{len(items)} of {counted(every, 'claim')} {what} ({', '.join(item.claim for item in items)})"


def _faults(found: Findings) -> str:
    survival = found.survival
    if survival is None or not survival.injected:
        return ""
    return "; ".join([survival.words, *([found.blocks.words] if survival.answers else [])])


def _read_back(found: Findings) -> str:
    """Where no fault says it: what was read was what had been written."""
    if found.survival and found.survival.injected:
        return ""
    return found.blocks.words if found.blocks.checked and found.blocks.verdict == "pass" else ""


def _figures(found: Findings) -> list[KeyFigure]:
    survival, told = found.survival, []
    if survival and (judged := survival.answers or survival.controls):
        passed = sum(answer.verdict == "pass" for answer in judged.values())
        what = "injected faults survived" if survival.answers else "negative controls caught"
        told.append(KeyFigure(f"{passed} of {len(judged)}", what))
    if survival and survival.unrecovered:
        names = ", ".join(survival.unrecovered)
        told.append(KeyFigure("not recovered", f"a client never got an answer again ({names})"))
    elif survival and survival.longest and survival.longest[1]:
        name, longest_s, limit_s = survival.longest
        most = f"; its timers add up to {limit_s:.1f} s" if limit_s else ""
        told.append(KeyFigure(f"{longest_s:.1f} s", f"longest outage of a client ({name}{most})"))
    if survival and survival.answers and found.blocks.verdict == "pass":
        told.append(KeyFigure(thousands(found.blocks.checked), "blocks and names checked, none lost or wrong"))
    peaks, scale = found.throughput.peaks, f", at a scale of {found.throughput.scale}" if found.throughput.scale else ""
    told += [
        KeyFigure(peak.value, f"highest {peak.phase} ({peak.where}){'' if peak.is_of_lab else scale}") for peak in peaks
    ]
    best = next((peak for peak in peaks if peak.bound), None)
    if best and best.bound:
        told.append(KeyFigure(best.bound[0], f"of what bounds the highest {best.phase}: {best.bound[1]}"))
    return told


def _claim(item: Judgement) -> str:
    return f"{item.claim}: {item.statement}. {_short(item.evidence)}"


def _short(text: str) -> str:
    return text if len(text) <= EVIDENCE_MAX else f"{text[:EVIDENCE_MAX].rsplit(' ', 1)[0]} …"


def _sentence(text: str, *, capital: bool = True) -> str:
    """A sentence whose units never part from their figures."""
    text = re.sub(r"(?<=\d) (?=%|s\b|MB/s)", "\N{NO-BREAK SPACE}", text)
    return f"{text[:1].upper() if capital else text[:1]}{text[1:]}."
