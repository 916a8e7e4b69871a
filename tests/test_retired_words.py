"""Retired keys and names occur only where their replacements are listed (docs/glossary.md)."""

import re
import subprocess
from pathlib import Path

from tests.builders.places import ROOT

LISTS = re.compile(
    r"CHANGELOG\.md|docs/glossary\.md|docs/gallery/|docs/decisions/0043|src/seatrial/study/aliases\.py"
    r"|tests/test_retired_words\.py|tests/data/words/|scripts/words\.toml"
)
"""files that list old names, and reports of earlier runs"""
RETIRED = re.compile(
    r"\bfault_load\b|\bshares_with\b|\bload_line\b|\bname_phases\b|\brecovery_at_once\b|\bstops_for\b"
    r"|\brecord\.(jsonl|sha256)\b|\bkind: (uml|hang|disks|osd-disk)(?![\w-])|\b(unasked|retried):"
    r" told\b"
    r"|\b(record_bytes|(skip|next|working_set|hint_ahead)_records)\b"
    r"|\blost_locks: allowed\b|\bacceptance claims?\b|\bfsync: record\b|\brecord/1\b"
)


def text_files() -> list[Path]:
    """Every text file of the repository, without those that list old names."""
    listed = subprocess.run(
        ["git", "grep", "-zIl", ""], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = listed.stdout.split("\0")[:-1]
    return [ROOT / name for name in names if not LISTS.match(name)]


def test_retired_words_are_absent() -> None:
    """In code, studies, documents and fixtures."""
    found = []
    for path in text_files():
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if match := RETIRED.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {match[0]}")
    assert found == []
