"""The verb `history`."""

from __future__ import annotations

from dataclasses import asdict

from seatrial.basics.errors import InputError
from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, ResultsFolder, StudyPath
from seatrial.cli.studies import results_folder


def history(
    study_path: StudyPath,
    out: ResultsFolder = None,
    as_json: JsonOption = False,
) -> None:
    """Show each figure of a study over all results, and the run that changed its level."""
    from seatrial.advice.history import broken_seals, history_table, unrecovered_faults
    from seatrial.advice.history import history as over_runs
    from seatrial.result.opened import opened
    from seatrial.study.study import load_study

    run_results = results_folder(out)
    if not run_results.is_dir():
        raise InputError(f"{run_results}: there is no such folder", "--out names the folder of the results")
    name = load_study(study_path).id
    with opened(say_aside) as results:
        broken = broken_seals(run_results, name)
        for run, seal in broken.items():
            results.note(run_results / run, seal)
        found = over_runs(run_results, name, without=broken)
        if as_json:
            output.print_json({"study": name, "figures": [asdict(item) for item in found]})
        else:
            print(history_table(found, unrecovered_faults(run_results, name)))
