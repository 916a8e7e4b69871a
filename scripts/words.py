"""Report banned words and long sentences: `python scripts/words.py [FILE...]`, run by `make lint`.

Without files it reads all prose of the repository (`SOURCES`) and compares the number of findings
of each file with `words-baseline.txt`: files that are not rewritten yet. With files it prints every
finding of these files. The rules and the exemptions from them are in `words.toml`. Exit code 1: a
file has more findings than its baseline allows.

    --renew         write the smaller numbers into the baseline; it never raises one
    --begin REASON  write the baseline from the present numbers, and why: after a new rule, or after
    a merge
"""

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from prose import Prose, pieces_of

ROOT = Path(__file__).parent.parent
RULES = Path(__file__).parent / "words.toml"
BASELINE = Path(__file__).parent / "words-baseline.txt"
PAGES = (
    ":(glob)docs/*.md",
    ":(glob)docs/decisions/*.md",
    ":(glob)docs/cephfs-fsync/*.md",
    ":(glob)docs/nfs3-reader/*.md",
    ":(glob)docs/gallery/*.md",
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    ":(glob)examples/**/*.md",
    ":(glob)published/*.md",
    ":(glob)scripts/*.md",
    ":(glob)studies/*/README.md",
    ":(glob)tests/**/*.md",
)
SOURCES = (
    *PAGES,
    "src/*.py",
    "scripts/*.py",
    "tests/*.py",
    "hatch_build.py",
    "src/*.j2",
    "src/*.sh",
    ":(glob)src/**/agents/*",
    ":(glob)src/**/image_files/lab-*",
    "docs/*.py",
    "research/*.py",
    "scripts/*.sh",
    "studies/*.sh",
    ":(glob)studies/*/study.yaml",
    ":(glob)studies/*/paper.yaml",
    ":(glob)examples/**/*.yaml",
    "crates/*.rs",
)
REASON_MIN = 10
"""letters of the reason of an exemption"""
_SENTENCE_END = re.compile(r"""(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)["')]*\s+(?=["'(A-Z0-9])""")
_HEAD = (
    "# Findings of scripts/words.py in files that are not rewritten yet.\n"
    "# `make words` renews the numbers, which may only shrink.\n"
)


class WordsError(Exception):
    """A mistake in the rules or in the baseline, or a baseline that would grow."""


@dataclass(frozen=True)
class Rule:
    """A pattern that prose must not contain, why, and what to write."""

    name: str
    pattern: re.Pattern[str]
    reason: str
    use: str
    example: str
    """a sentence that breaks the rule"""


@dataclass(frozen=True)
class Exemption:
    """A line that may break a rule, and why."""

    file: str
    rule: str
    text: str
    reason: str

    def covers(self, finding: "Finding") -> bool:
        """Whether it is about this finding: the file (a pattern), the rule, a part of the line."""
        return (
            fnmatch(finding.file, self.file)
            and finding.rule == self.rule
            and self.text in finding.context
        )


@dataclass(frozen=True)
class Rules:
    """All of `words.toml`."""

    rules: tuple[Rule, ...]
    exemptions: tuple[Exemption, ...]
    words_max: int
    """of a sentence of a page"""


@dataclass(frozen=True)
class Finding:
    """What breaks a rule, and where."""

    file: str
    line: int
    rule: str
    words: str
    advice: str
    context: str
    """the piece of prose, on one line"""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.words!r}: {self.advice}"


def load_rules(path: Path = RULES) -> Rules:
    """Read the rules; WordsError for an exemption without a reason and for a rule that is
    incomplete.
    """
    data = tomllib.loads(path.read_text())
    rules = []
    for item in data["rule"]:
        if missing := {"name", "pattern", "reason", "use", "example"} - set(item):
            raise WordsError(f"{path.name}: a rule has no {', '.join(sorted(missing))}: {item}")
        flags = re.NOFLAG if item.get("case") else re.IGNORECASE
        pattern = re.compile(item["pattern"].replace(" ", r"\s+"), flags)
        rules.append(Rule(item["name"], pattern, item["reason"], item["use"], item["example"]))
    exemptions = [Exemption(**item) for item in data.get("allow", ())]
    for exemption in exemptions:
        if len(exemption.reason.strip()) < REASON_MIN:
            raise WordsError(f"{path.name}: the exemption for {exemption.text!r} needs a reason")
    return Rules(tuple(rules), tuple(exemptions), data["sentences"]["words_max"])


def _long_sentences(piece: Prose, words_max: int) -> Iterator[tuple[int, str, int]]:
    """(offset, beginning, number of words) of each sentence that has more words."""
    offset = 0
    for end in [*_SENTENCE_END.finditer(piece.text), None]:
        sentence = piece.text[offset : end.start() if end else len(piece.text)]
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > words_max:
            yield offset, " ".join(words[:6]), len(words)
        offset = end.end() if end else offset


def all_findings(name: str, text: str, rules: Rules) -> list[Finding]:
    """Every finding of a file, in order of its lines; `name` is its path from the root."""
    findings = []
    for piece in pieces_of(name, text):
        context = " ".join(piece.text.split())
        for rule in rules.rules:
            for match in rule.pattern.finditer(piece.text):
                words = " ".join(match[0].split())
                advice = f"{rule.reason}; write: {rule.use}"
                findings.append(
                    Finding(name, piece.line_of(match.start()), rule.name, words, advice, context)
                )
        for offset, words, number in (
            _long_sentences(piece, rules.words_max) if name.endswith(".md") else ()
        ):
            advice = (
                f"the sentence has {number} words; write at most {rules.words_max}, one claim per"
                " sentence"
            )
            findings.append(
                Finding(
                    name, piece.line_of(offset), "long sentence", f"{words} ...", advice, context
                )
            )
    return sorted(findings, key=lambda item: item.line)


def without_exempt(findings: Iterable[Finding], rules: Rules) -> list[Finding]:
    """The findings that no exemption covers."""

    def is_exempt(finding: Finding) -> bool:
        return any(exemption.covers(finding) for exemption in rules.exemptions)

    return [item for item in findings if not is_exempt(item)]


def findings_of(name: str, text: str, rules: Rules) -> list[Finding]:
    """`all_findings` without those that are exempt."""
    return without_exempt(all_findings(name, text, rules), rules)


def unused(rules: Rules, findings: Iterable[Finding]) -> list[str]:
    """A line for each exemption that covers nothing any more."""
    all_of_them = list(findings)
    idle = [
        exemption for exemption in rules.exemptions if not any(map(exemption.covers, all_of_them))
    ]
    return [
        f"{RULES.name}: the exemption for {item.text!r} covers nothing; remove it" for item in idle
    ]


def files() -> list[str]:
    """Every file with prose, from the root; new ones that git does not know yet, too."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *SOURCES]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in set(listed.splitlines()) if (ROOT / name).is_file())


def read_baseline(text: str) -> tuple[str, dict[str, int]]:
    """(why the list was begun, file -> findings that it may have)."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    if not lines or not lines[0].startswith("begun: "):
        raise WordsError("the baseline has no line `begun: REASON`")
    numbers = {
        name: int(number) for name, _, number in (line.rpartition(" ") for line in lines[1:])
    }
    return lines[0].removeprefix("begun: "), numbers


def written_baseline(reason: str, numbers: Mapping[str, int]) -> str:
    """The text of the baseline; files without findings are left out."""
    lines = [f"{name} {number}" for name, number in sorted(numbers.items()) if number]
    return "\n".join([f"{_HEAD}begun: {reason}", *lines, ""])


def grown(
    before: Mapping[str, int], after: Mapping[str, int], removed: Iterable[str] = ()
) -> list[str]:
    """The files that may have more findings than before.

    A file that is new may have as many as the files that are `gone` had together: it was one of
    them, moved.
    """
    moved = sum(before.get(name, 0) for name in removed)
    new = [name for name in after if name not in before]
    larger = [name for name in after if name in before and after[name] > before[name]]
    return larger + (new if sum(after[name] for name in new) > moved else [])


def counted(rules: Rules) -> tuple[dict[str, list[Finding]], list[str]]:
    """(file -> its findings, of all files; a line for each exemption without use)."""
    by_file = {name: all_findings(name, (ROOT / name).read_text(), rules) for name in files()}
    idle = unused(rules, chain.from_iterable(by_file.values()))
    counted_findings = {name: without_exempt(findings, rules) for name, findings in by_file.items()}
    return counted_findings, idle


def renew(before: Mapping[str, int], counts: Mapping[str, int]) -> dict[str, int]:
    """The baseline with the smaller numbers of today; WordsError when a number would grow."""
    after = {name: number for name, number in counts.items() if number}
    larger = grown(before, after, [name for name in before if name not in counts])
    if larger:
        raise WordsError(f"these files have more findings than before: {', '.join(sorted(larger))}")
    return after


def check(by_file: Mapping[str, list[Finding]], limits: Mapping[str, int]) -> list[str]:
    """The lines of the report: every finding of each file that has more than its limit, then the
    number.
    """
    lines = []
    for name, findings in by_file.items():
        if len(findings) > limits.get(name, 0):
            lines += map(str, findings)
            lines.append(f"{name}: {len(findings)} findings, and {limits.get(name, 0)} are allowed")
    return lines


def files_below(paths: Iterable[str]) -> list[str]:
    """The checked files among these files and folders, as names relative to the repository."""
    names = [str(Path(path).resolve().relative_to(ROOT)) for path in paths]
    return [
        file
        for file in files()
        if any(name in {file, "."} or file.startswith(f"{name}/") for name in names)
    ]


def _arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Report banned words and long sentences.")
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="print every finding of these files and folders"
    )
    parser.add_argument(
        "--renew", action="store_true", help="write the smaller numbers into the baseline"
    )
    parser.add_argument(
        "--begin", metavar="REASON", help="write the baseline from the present findings"
    )
    return parser.parse_args(arguments)


def _write_baseline(options: argparse.Namespace, by_file: Mapping[str, list[Finding]]) -> None:
    counts = {name: len(findings) for name, findings in by_file.items()}
    if options.begin:
        BASELINE.write_text(written_baseline(options.begin, counts))
        return
    reason, before = read_baseline(BASELINE.read_text())
    BASELINE.write_text(written_baseline(reason, renew(before, counts)))


def main(arguments: list[str] | None = None) -> int:
    """Run; the exit code."""
    options = _arguments(arguments)
    rules = load_rules()
    if options.paths:
        lines = []
        for name in files_below(options.paths):
            lines += map(str, findings_of(name, (ROOT / name).read_text(), rules))
    else:
        by_file, idle = counted(rules)
        try:
            if options.renew or options.begin:
                _write_baseline(options, by_file)
            _, limits = read_baseline(BASELINE.read_text())
        except WordsError as error:
            sys.stderr.write(f"{error}\n")
            return 1
        lines = check(by_file, limits) + idle
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
