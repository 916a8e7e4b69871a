"""The verb `audit`."""

from __future__ import annotations

import typer

from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, ResultsFolder, StudyPath
from seatrial.cli.studies import load, results_folder, running_of


def audit(
    study_path: StudyPath,
    out: ResultsFolder = None,
    as_json: JsonOption = False,
) -> None:
    """Compare a running system with its study and with best practice. Changes nothing."""
    from seatrial.advice.advice import newest_advice
    from seatrial.advice.audit import audit as audit_of
    from seatrial.advice.audit import audit_text
    from seatrial.judge.published import published_data

    study = load(study_path)
    inspected = audit_of(
        running_of(study),
        newest_advice(results_folder(out), study),
        published_data("network-storage-clusters"),
    )
    if as_json:
        output.print_json(inspected.to_json())
    else:
        print(audit_text(inspected))
    raise typer.Exit(inspected.exit_code)
