"""Make docs/results.schema.json from the dataclasses of a result summary: `python
scripts/results_schema.py`; `--check` only compares.
"""

import json
import sys
from pathlib import Path

from seatrial.summary.summarise import results_schema

FILE = Path(__file__).parent.parent / "docs" / "results.schema.json"


def main(arguments: list[str]) -> int:
    """Write the schema, or compare it; the exit code."""
    text = json.dumps(results_schema(), indent=2) + "\n"
    if "--check" in arguments:
        if FILE.is_file() and FILE.read_text() == text:
            return 0
        sys.stderr.write(f"{FILE.name} is not up to date; run scripts/results_schema.py\n")
        return 1
    FILE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
