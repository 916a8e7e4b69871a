"""Put the reports of results into docs/gallery, without names of the site.

Usage: gallery.py RESULT... The report of each result replaces the report of the same study and
profile in the gallery. The index is then rewritten.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seatrial.advice.redact import redact
from seatrial.judge.judge import judge
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.predict.recorded import steps_of
from seatrial.report.html import write_report
from seatrial.result.result import Result, read_result

GALLERY = Path(__file__).parent.parent / "docs" / "gallery"
ACCEPTANCE = ("pass", PASS_WITH_WAIVERS, "fail", "unknown")
PUBLISHED = ("agrees", "better", "worse", "different", "inconclusive")
HEAD = """# Reports

These reports are from the lab, unchanged except for names of the site. `make gallery` writes them
again. Download one and open it in a browser: it needs no network. Begin with `md1200-nfs.html`: one
server, many clients ([how to read it](../tutorial.md#3-read-the-report)). The lab is a scale model:
its rates are not those of hardware ([when to trust it](../lab.md#when-to-trust-the-results)).

| study | profile | acceptance criteria | published claims | made on |
|---|---|---|---|---|
"""


def name_of(run: Mapping[str, Any]) -> str:
    """The name of a report: that of its study, and of its profile if that is not `trial`."""
    study = str(run["study"])
    return study if run["profile"] == "trial" else f"{study}-{run['profile']}"


def line_of(result: Result) -> str:
    """The line of a result on the page."""
    run = result.first("run")
    machine = result.first("machine")
    day = time.strftime("%Y-%m-%d", time.gmtime(run["unix_s"]))
    judged = json.loads(result.text("verdicts.json") or "[]")
    acceptance = _counts(judged, "acceptance", ACCEPTANCE)
    published = _counts(judged, "published", PUBLISHED)
    memory = f"{machine['memory_bytes'] / 2**30:.0f} GiB"
    where = f"{machine['processors']}, {memory}, Linux {machine['kernel'].split('-')[0]}"
    study = f"[{run['title']}]({name_of(run)}.html)"
    return f"| {study} | {run['profile']} | {acceptance} | {published} | {day}: {where} |"


def _counts(judged: list[dict[str, Any]], kind: str, verdicts: Sequence[str]) -> str:
    """`3 agrees, 2 inconclusive`: the verdicts of one kind; a dash for none."""
    of_kind = [item["verdict"] for item in judged if item["kind"] == kind]
    counts = [f"{of_kind.count(verdict)} {verdict}" for verdict in verdicts if verdict in of_kind]
    return ", ".join(counts) or "–"


def main(folders: list[str]) -> None:
    """Copy each report, and list all."""
    GALLERY.mkdir(exist_ok=True)
    index = GALLERY / "index.json"
    lines = json.loads(index.read_text()) if index.exists() else {}
    for folder in folders:
        result = read_result(Path(folder))
        with tempfile.TemporaryDirectory() as place:
            copy = Path(place) / result.folder.name
            redact(result, copy)
            name = name_of(result.first("run"))
            safe = read_result(copy)
            shutil.copy(write_report(safe, judge(safe), steps_of(safe)), GALLERY / f"{name}.html")
            lines[name] = line_of(result)
    index.write_text(json.dumps(lines, indent=1, sort_keys=True) + "\n")
    (GALLERY / "README.md").write_text(HEAD + "".join(f"{lines[name]}\n" for name in sorted(lines)))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
