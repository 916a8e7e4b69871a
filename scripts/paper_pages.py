"""Make docs/papers.md and docs/papers/ID.md: `python scripts/paper_pages.py`; `--check` only
compares.

A page has every item of a paper (`published/ID.yaml`), its row (`studies/ID/paper.yaml`), and the
verdict of the newest report in `docs/gallery`. Each place that a row names is looked up in the
study and in its plan: an experiment, fault, option or step that does not exist is an error.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from seatrial.basics.errors import InputError
from seatrial.study.paper import SECTIONS, Row, identity_of

sys.path.insert(0, str(Path(__file__).parent))
from paper_lines import line_rows
from paper_places import places_text
from paper_rows import DOCS, Covered, answer_places, covered, papers, problem, problems
from paper_text import cell, lines_of, text_of

__all__ = ["covered", "pages", "problem", "problems"]
EVIDENCE_WORDS_MAX = 40
"""words of evidence in a cell"""
INDEX = DOCS / "papers.md"
HEAD = (
    "<!-- Made by scripts/paper_pages.py from published/{name}.yaml, studies/{name}/paper.yaml and"
    " docs/gallery/{name}.html; do not edit. -->"
)
LINES_HEAD = ("| line | printed | in Seatrial | note |", "|---|---|---|---|")
NEWER = "The study answers it. The newest report is older than this answer."
TITLES = {
    "experiments": "Figures, tables and measured sentences",
    "faults": "Faults",
    "hardware": "Hardware and software",
    "settings": "Settings",
    "deployment": "Deployment steps",
    "workloads": "Benchmarks and command lines",
    "limits": "Numbers that were not measured",
    "advice": "Recommendations",
}


def _of_claims(coverage: Covered, name: str) -> str:
    """The newest verdicts of the claims that rest on an item."""
    resting = [
        claim["id"]
        for claim in coverage.facts["claims"]
        if _rests_on(str(claim.get("evidence")), name)
    ]
    if name in coverage.verdicts:
        resting.insert(0, name)
    verdicts_of_claims = [(claim, coverage.verdicts.get(claim)) for claim in resting]
    return (
        ", ".join(f"{claim} {verdict.word}" for claim, verdict in verdicts_of_claims if verdict)
        or "–"
    )


def _rests_on(evidence: str, name: str) -> bool:
    """Whether the evidence of a claim names a figure, table or fault: `F7 and F9`, `F10-F13`."""
    for first, last in re.findall(r"\b([A-Z]\d+[a-z]?)(?:-([A-Z]\d+))?", evidence):
        if name == first or (last and name[0] == first[0] and _between(name, first, last)):
            return True
    return False


def _between(name: str, first: str, last: str) -> bool:
    numbers = [re.sub(r"\D", "", text) for text in (first, name, last)]
    return int(numbers[0]) <= int(numbers[1]) <= int(numbers[2])


def table(coverage: Covered, section: str) -> Iterator[str]:
    """The table of one list of a paper."""
    judged = section in ("experiments", "faults")
    yield (
        "| item | in the paper | status | in Seatrial |"
        + (" verdicts |" if judged else "")
        + (" difference or reason |")
    )
    yield "|---|---|---|---|---|" + ("---|" if judged else "")
    for item in coverage.items(section):
        name = identity_of(section, item)
        row = coverage.row(section, name)
        cells = [name, _stated(section, item), row.status, places_text(row.where, coverage.name)]
        cells += [_of_claims(coverage, name)] if judged else []
        cells.append(cell(_difference(coverage, name, row) or "–"))
        yield f"| {' | '.join(cells)} |"


def _difference(coverage: Covered, name: str, row: Row) -> str:
    """The reason of a row, and that of the report where it judges the item, as for faults."""
    verdict = coverage.verdicts.get(name)
    reported = f"Report: {shortened(verdict.reason)}" if verdict else ""
    return ". ".join(part.rstrip(".") for part in (row.reason or "", reported) if part)


def shortened(evidence: str) -> str:
    """The first rows of evidence, which are joined by `; `.

    They have at most EVIDENCE_WORDS_MAX words; the first row may have more.
    """
    rows = evidence.split("; ")
    words = 0
    for count, row in enumerate(rows):
        words += len(row.split())
        if count and words > EVIDENCE_WORDS_MAX:
            return f"{'; '.join(rows[:count])}; the report has the other rows"
    return evidence


def _stated(section: str, item: Mapping[str, Any]) -> str:
    lines = lines_of(item)
    return cell(text_of(section, item)) + (f" ({lines})" if lines else "")


def claims(coverage: Covered) -> Iterator[str]:
    """The table of conclusions."""
    yield "| claim | in the paper | in Seatrial | newest verdict | evidence, or why undecided |"
    yield "|---|---|---|---|---|"
    for item in coverage.items("claims"):
        name = item["id"]
        answer = coverage.study.published_claims[name]
        own_row = coverage.paper.claims.get(name)
        where = places_text(own_row.where if own_row else answer_places(answer), coverage.name)
        verdict = coverage.verdicts.get(name)
        reasons = [f"{own_row.status}: {own_row.reason}"] if own_row else []
        # A report repeats the reason of a study that gives no answer; the row has it in more
        # detail.
        if verdict and (verdict.word != "inconclusive" or not own_row):
            reasons.append(shortened(verdict.reason))
        if name in coverage.paper.answered_after_report:
            reasons.append(NEWER)
        if not reasons:
            reasons.append(answer.inconclusive or "–")
        text = ". Report: ".join(reasons)
        word = verdict.word if verdict else "–"
        yield f"| {name} | {_stated('claims', item)} | {where} | {word} | {cell(text)} |"


def errata(coverage: Covered) -> Iterator[str]:
    """The table of inconsistencies, and what the study uses instead."""
    yield "| erratum | printed | contradicted by | use |"
    yield "|---|---|---|---|"
    for item in coverage.facts.get("errata") or []:
        texts = [cell(str(item[key])) for key in ("says", "conflicts_with", "resolution")]
        yield f"| {item['id']} ({lines_of(item)}) | {' | '.join(texts)} |"


def counts(coverage: Covered) -> Counter[str]:
    """How many items of a paper have each status."""
    return Counter(
        coverage.row(section, identity_of(section, item)).status
        for section in SECTIONS
        for item in coverage.items(section)
    )


def words_counted(coverage: Covered) -> str:
    """`4 agrees, 20 inconclusive`: the newest verdicts on the claims."""
    numbers = Counter(verdict.word for verdict in coverage.verdicts.values())
    return ", ".join(f"{count} {word}" for word, count in sorted(numbers.items())) or "–"


def page(coverage: Covered) -> str:
    """The page of one paper."""
    facts = coverage.facts
    authors = ", ".join(facts["authors"])
    date = facts["date"]["value"] or facts["date"].get("inferred")
    total = counts(coverage)
    reports = f"[newest report](../gallery/{coverage.name}.html)"
    if (DOCS / "gallery" / f"{coverage.name}-paper.html").is_file():
        reports += f" · [report at the size of the paper](../gallery/{coverage.name}-paper.html)"
    parts = [
        HEAD.format(name=coverage.name),
        f"# {coverage.name}: every item of the paper",
        f"{authors}: {facts['title']} ({date}).",
        f"[Study](../../studies/{coverage.name}/README.md) ·"
        f" [published facts](../../published/{coverage.name}.yaml) ·"
        f" {reports} · [all papers](../papers.md)",
        f"{sum(total.values())} items: {total['done']} done, {total['differs']} differ,"
        f" {total['not done']} not done, {total['not in a lab']} not in a lab. Verdicts on"
        f" the claims: {words_counted(coverage)}.",
    ]
    parts += [f"## {note.title}\n\n{note.text.strip()}" for note in coverage.paper.notes]
    for section in SECTIONS:
        if coverage.items(section):
            parts.append(f"## {TITLES[section]}\n\n" + "\n".join(table(coverage, section)))
    lines = list(line_rows(coverage))
    if lines:
        parts.append("## Lines of the tables\n\n" + "\n".join((*LINES_HEAD, *lines)))
    parts.append("## Claims\n\n" + "\n".join(claims(coverage)))
    parts.append("## Errata\n\n" + "\n".join(errata(coverage)))
    parts.append(
        "## Gaps\n\nThe paper does not give:\n\n"
        + "\n".join(f"- {_sentence(gap)}" for gap in facts.get("gaps") or [])
    )
    return "\n\n".join(parts) + "\n"


def _sentence(text: str) -> str:
    return cell(str(text)).rstrip(".")


def index(all_of: Iterable[Covered]) -> str:
    """The page that leads to the papers."""
    text = (Path(__file__).parent / "papers.md").read_text()
    lines = ["| paper | items | done | differ | not done | not in a lab | newest verdicts |"]
    lines.append("|---|---:|---:|---:|---:|---:|---|")
    for coverage in all_of:
        total = counts(coverage)
        numbers = [total[status] for status in ("done", "differs", "not done", "not in a lab")]
        cells = " | ".join(str(number) for number in (sum(numbers), *numbers))
        lines.append(
            f"| [{coverage.name}](papers/{coverage.name}.md) | {cells} |"
            f" {words_counted(coverage)} |"
        )
    return text.replace("<!-- papers -->", "\n".join(lines))


def pages() -> dict[Path, str]:
    """Path -> text of each page; InputError names every row that is wrong."""
    all_of = [covered(name) for name in papers()]
    wrong = [line for coverage in all_of for line in problems(coverage)]
    if wrong:
        raise InputError("\n".join(wrong))
    texts = {DOCS / "papers" / f"{coverage.name}.md": page(coverage) for coverage in all_of}
    return {INDEX: index(all_of), **texts}


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them; the exit code."""
    try:
        texts = pages()
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    stale = [path for path, text in texts.items() if not path.is_file() or path.read_text() != text]
    if "--check" in arguments:
        for path in stale:
            sys.stderr.write(f"{path.name} is not up to date; run scripts/paper_pages.py\n")
        return 1 if stale else 0
    (DOCS / "papers").mkdir(exist_ok=True)
    for path in stale:
        path.write_text(texts[path])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
