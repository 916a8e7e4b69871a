"""`python -m bench`: run the contests, print the rows, and write them as JSON."""

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.contest import rows_of
from bench.contests import Places, Scale, contests
from bench.ratios import Row, as_text

ROUNDS = 9
QUICK = Scale(
    seconds=0.2, memory_file_bytes=4 * 2**20, disk_file_bytes=8 * 2**20, items=500, agents=20
)
"""for tests of the benchmark: its figures mean nothing"""


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="turns of each contestant")
    parser.add_argument("--only", default="", help="contests whose names contain this text")
    parser.add_argument("--quick", action="store_true", help="try the benchmark itself")
    parser.add_argument("--out", type=Path, default=Path("build/bench.json"))
    parser.add_argument("--memory", type=Path, default=Path("/dev/shm"))
    parser.add_argument("--disk", type=Path, default=Path(os.environ.get("TMPDIR", "/var/tmp")))
    return parser.parse_args(arguments)


@contextmanager
def places(memory: Path, disk: Path) -> Iterator[Places]:
    """New folders on both file systems, removed at the end."""
    made = [Path(tempfile.mkdtemp(prefix="seatrial-bench.", dir=base)) for base in (memory, disk)]
    try:
        yield Places(*made)
    finally:
        for folder in made:
            shutil.rmtree(folder, ignore_errors=True)


def as_json(rows: Sequence[Row]) -> str:
    """The text of `bench.json`."""
    return json.dumps({"rows": [row.as_json for row in rows]}, indent=2) + "\n"


def say(text: str) -> None:
    """Report progress."""
    print(text, file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for. A missed target is a finding, and no error."""
    chosen = options(arguments)
    rows: list[Row] = []
    with places(chosen.memory, chosen.disk) as folders:
        for contest in contests(folders, QUICK if chosen.quick else Scale()):
            if chosen.only in contest.name:
                rows += rows_of(contest, chosen.rounds, say)
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(as_json(rows))
    print(as_text(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
