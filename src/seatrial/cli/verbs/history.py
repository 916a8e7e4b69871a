"""The verb `history`."""

from __future__ import annotations

from dataclasses import asdict

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, RecordsFolder, StudyPath
from seatrial.cli.studies import results_folder


def history(
    study_path: StudyPath,
    out: RecordsFolder = None,
    as_json: JsonOption = False,
) -> None:
    """Show each figure of a study over all results, and the run that changed its level."""
    from seatrial.advice.history import broken_seals, history_table, unrecovered_faults
    from seatrial.advice.history import history as over_runs
    from seatrial.record.opened import opened
    from seatrial.study.study import load_study

    records = results_folder(out)
    if not records.is_dir():
        raise InputError(f"{records}: there is no such folder", "--out names the folder of the records")
    name = load_study(study_path).id
    with opened(say_aside) as results:
        broken = broken_seals(records, name)
        for run, seal in broken.items():
            results.note(records / run, seal)
        found = over_runs(records, name, without=broken)
        if as_json:
            output.print_json({"study": name, "figures": [asdict(item) for item in found]})
        else:
            print(history_table(found, unrecovered_faults(records, name)))
