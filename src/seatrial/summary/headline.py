"""The first screen: the answer to the study's question, from measurements only.

`summary` decides from results and acceptance criteria. A criterion that failed or has no evidence
comes first.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from seatrial.basics.units import counted
from seatrial.judge.base import Judgement
from seatrial.judge.waivers import PASS_WITH_WAIVERS, number_words, whole_words
from seatrial.summary.briefs import brief, shortened
from seatrial.summary.choices import Choice
from seatrial.summary.notation import percent, seconds
from seatrial.summary.peaks import Throughput
from seatrial.summary.survival import Blocks, Survival, thousands

FIGURES_MAX = 3
_YES_OR_NO = re.compile(r"(does|do|is|are|can|will|has|have)\b", re.IGNORECASE)


@dataclass(frozen=True)
class KeyFigure:
    """One key figure."""

    value: str
    meaning: str


@dataclass(frozen=True)
class Summary:
    """The first screen."""

    state: str
    """pass, pass with waivers, fail, unknown, or empty where the question asks for figures and no
    criterion is open
    """
    lead: str
    """first words where criteria or faults decide: `Yes`, `No`, `Not decided`"""
    answer: str
    """the sentence, without the first words"""
    more: str
    """further measurements; may be empty"""
    figures: tuple[KeyFigure, ...]
    failed: tuple[str, ...]
    """failures with their evidence"""
    unknown: tuple[str, ...]
    """criteria without evidence, with the reason"""
    waived: tuple[str, ...] = ()
    """waived deviations: the deviation, who waived it, and why"""
    is_yes_or_no: bool = False
    """the question asks for yes or no"""


@dataclass(frozen=True)
class Findings:
    """The inputs of a summary."""

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
    """the part of the study that this profile omits"""
    edited: str = ""
    """why no verdict rests on the result, where its seal is broken"""
    choice: Choice | None = None
    """the comparison of settings, where the study is about settings"""
    has_warnings: bool = False
    """the plan warns of the settings of the study"""

    @property
    def is_recommending(self) -> bool:
        """Whether the question asks for a setting, and the run has one to recommend."""
        return self.asks_for_setting and self.choice is not None and self.choice.is_answered

    @property
    def asks_for_setting(self) -> bool:
        """Whether the answer is a setting, and not yes or no."""
        return self.choice is not None and not _YES_OR_NO.match(self.question)

    def claims(self, verdict: str) -> list[Judgement]:
        """The acceptance criteria with this verdict."""
        return [
            item
            for item in self.judgements
            if item.kind == "acceptance" and item.verdict == verdict
        ]


def summary(findings: Findings) -> Summary:
    """The answer, its key figures, and open points."""
    lead = _lead(findings)
    rates = findings.throughput
    measured = _settings(findings) if findings.is_recommending else [rates.words]
    candidates = (lead.reason, _faults(findings), *measured, _read_back(findings), rates.reserve)
    sentences = [sentence for sentence in candidates if sentence]
    if not sentences:
        sentences = ["nothing was measured"]
        lead = Lead("unknown", "No answer")
    sentences += [findings.left_out] if findings.left_out else []
    first, *rest = (_sentence(part) for part in sentences)
    answer = _sentence(sentences[0], capital=False) if lead.words else first
    figures = tuple(_figures(findings))[:FIGURES_MAX]
    failed, unknown = (
        tuple(_claim(item) for item in findings.claims(verdict)) for verdict in ("fail", "unknown")
    )
    broken = (
        f"{name} could not be completed: {shortened(why)}" for name, why in findings.broken.items()
    )
    waived = tuple(
        f"{item.claim}: {whole_words(item.waivers)}" for item in findings.judgements if item.waivers
    )
    return Summary(
        state=lead.state,
        lead=lead.words,
        answer=answer,
        more=" ".join(rest),
        figures=figures,
        failed=(*failed, *broken),
        unknown=unknown,
        waived=waived,
        is_yes_or_no=bool(_YES_OR_NO.match(findings.question)),
    )


@dataclass(frozen=True)
class Lead:
    """The first words of the answer."""

    state: str
    """a verdict"""
    words: str = ""
    reason: str = ""
    """why, as the first sentence of the answer"""


def _lead(findings: Findings) -> Lead:
    """The first reason that applies decides."""
    survival = findings.survival
    if findings.edited:
        return _not_decided(findings.edited)
    yes_or_no = bool(_YES_OR_NO.match(findings.question))
    if survival and (survival.with_verdict("fail") or findings.blocks.verdict == "fail"):
        return Lead("fail", "No" if yes_or_no else "Not accepted")
    failed = findings.claims("fail")
    unknown = findings.claims("unknown")
    total = sum(item.kind == "acceptance" for item in findings.judgements)
    if failed:
        return Lead("fail", "Not accepted", _of_claims(failed, total, "failed"))
    if findings.outcome != "complete":
        return _not_decided(
            f"the run is {findings.outcome}" if findings.outcome else "the run did not end"
        )
    if unknown:
        return _not_decided(_of_claims(unknown, total, "undecided"))
    if survival and not survival.injected:
        return _not_decided("every fault was skipped")
    if (survival and survival.with_verdict("unknown")) or _answers_nothing(findings):
        return _not_decided()
    if not total:
        return Lead("unknown", "Not judged", "the study has no criterion that could be judged")
    return _accepted(findings)


def _not_decided(reason: str = "") -> Lead:
    return Lead("unknown", "Not decided", reason)


def _accepted(findings: Findings) -> Lead:
    """The first words where nothing failed and nothing is open."""
    if findings.asks_for_setting and findings.choice and not findings.choice.is_answered:
        return Lead("unknown", "Not answered", findings.choice.why_not)
    survival = findings.survival
    is_partial = survival is not None and survival.injected < survival.planned
    yes = "Yes, as far as tested" if is_partial else "Yes"
    answers_yes = survival is not None and bool(_YES_OR_NO.match(findings.question))
    waived = findings.claims(PASS_WITH_WAIVERS)
    if waived:
        waiver_counts = number_words(tuple(waiver for item in waived for waiver in item.waivers))
        lead = f"{yes}, with waivers" if answers_yes else "Passed with waivers"
        lead = "Recommended, with waivers" if findings.is_recommending else lead
        names = ", ".join(item.claim for item in waived)
        return Lead(PASS_WITH_WAIVERS, lead, f"{waiver_counts} ({names})")
    if findings.is_recommending:
        is_partly = findings.choice is not None and bool(findings.choice.not_compared)
        lead = "Recommended among the compared settings" if is_partly else "Recommended"
        return Lead("pass", lead)
    return Lead("pass", yes if answers_yes else "")


def _settings(findings: Findings) -> list[str]:
    """The fastest setting, the cost of the others, and what the recommendation leaves open."""
    choice = findings.choice
    if choice is None:
        return []
    risk = (
        "the recommendation is by speed alone: mind the warnings" if findings.has_warnings else ""
    )
    return [
        choice.words,
        choice.cost_words,
        choice.rivals_words,
        choice.not_compared_words,
        risk,
    ]


def _answers_nothing(findings: Findings) -> bool:
    """Whether the measurements cannot answer the question: no data were read back, or no rate is
    usable.
    """
    if findings.survival is None:
        return bool(findings.throughput.points) and not findings.throughput.peaks
    return bool(findings.survival.answers) and findings.blocks.verdict == "unknown"


def _of_claims(items: Sequence[Judgement], total: int, what: str) -> str:
    names = ", ".join(item.claim for item in items)
    return f"{len(items)} of {counted(total, 'criterion', 'criteria')} {what} ({names})"


def _faults(findings: Findings) -> str:
    survival = findings.survival
    if survival is None or not survival.injected:
        return ""
    return "; ".join([survival.words, *([findings.blocks.words] if survival.answers else [])])


def _read_back(findings: Findings) -> str:
    """The result of reading back, where no fault reports it."""
    if findings.survival and findings.survival.injected:
        return ""
    return (
        findings.blocks.words
        if findings.blocks.checked and findings.blocks.verdict == "pass"
        else ""
    )


def _figures(findings: Findings) -> list[KeyFigure]:
    survival = findings.survival
    figures: list[KeyFigure] = []
    if survival and (judged := survival.answers or survival.controls):
        passed = sum(answer.verdict == "pass" for answer in judged.values())
        what = "injected faults survived" if survival.answers else "negative controls caught"
        figures.append(KeyFigure(f"{passed} of {len(judged)}", what))
    if survival and survival.unrecovered:
        names = ", ".join(survival.unrecovered)
        figures.append(KeyFigure("not recovered", f"a client never got an answer again ({names})"))
    elif survival and survival.longest and survival.longest.length_s:
        longest = survival.longest
        most = f"; its timers add up to {seconds(longest.limit_s)}" if longest.limit_s else ""
        what = f"longest outage of a client ({longest.fault}{most})"
        figures.append(KeyFigure(seconds(longest.length_s), what))
    if survival and survival.answers and findings.blocks.verdict == "pass":
        figures.append(
            KeyFigure(
                thousands(findings.blocks.checked), "blocks and names checked, none lost or wrong"
            )
        )
    if findings.is_recommending and findings.choice:
        return [*figures, *_setting_figures(findings.choice)]
    peaks = findings.throughput.peaks
    scale = f", at a scale of {findings.throughput.scale}" if findings.throughput.scale else ""
    figures += [
        KeyFigure(
            peak.value, f"highest {peak.phase} ({peak.where}){'' if peak.is_of_lab else scale}"
        )
        for peak in peaks
    ]
    best = next((peak for peak in peaks if peak.bound), None)
    if best and best.bound:
        share = best.bound.share
        layer = best.bound.layer
        figures.append(KeyFigure(share, f"of the bound of the highest {best.phase}: {layer}"))
    return figures


def _setting_figures(choice: Choice) -> list[KeyFigure]:
    """The fastest setting, the largest cost, and the number of settings compared."""
    best = choice.best[0].option
    figures = [KeyFigure(best.value, f"highest {best.phase} ({best.name})")]
    for cost in choice.costs[:1]:
        where = f"{cost.option.name}, {cost.option.phase}"
        lost = f"lost by the most expensive setting ({where})"
        figures.append(KeyFigure(percent(-cost.change.relative), lost))
    compared = len({item.name for item in choice.options})
    return [*figures, KeyFigure(str(compared), "settings compared")]


def _claim(item: Judgement) -> str:
    return f"{item.claim}: {item.statement}. {brief(item)}"


def _sentence(text: str, *, capital: bool = True) -> str:
    """A sentence with no-break spaces between figures and their units."""
    text = re.sub(r"(?<=\d) (?=%|s\b|MB/s)", "\N{NO-BREAK SPACE}", text)
    return f"{text[:1].upper() if capital else text[:1]}{text[1:]}."
