"""The verb `check`."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.errors import InputError
from seatrial.basics.printable import printable, say_aside
from seatrial.cli.arguments import JsonOption
from seatrial.cli.studies import load


def check(
    record_path: Annotated[Path, typer.Argument(metavar="RECORD|STUDY", help="the folder of a run, or a study")],
    as_json: JsonOption = False,
) -> None:
    """Judge a record again, from its files alone; or say what is wrong with a study."""
    from seatrial.basics.shipped import is_study
    from seatrial.check import prepare
    from seatrial.judge.against_study import against_study
    from seatrial.judge.judge import check_claims, exit_code, exit_words, judge, save, study_of
    from seatrial.labs.emulation.capacity import cramped_links
    from seatrial.record.opened import Opened
    from seatrial.record.record import as_written, is_record

    if is_study(record_path) and not is_record(record_path):
        site, _ = prepare(study := load(record_path))
        check_claims(study)
        for warning in cramped_links(site, len(os.sched_getaffinity(0))):
            print(f"warning: {warning}", file=sys.stderr)
        print("[]" if as_json else f"{record_path}: nothing is wrong with this study")
        return
    if not is_record(record_path):
        reason = f"{record_path}: no record here, and no study"
        raise InputError(reason, "give the folder that `seatrial run` printed, or a study: `seatrial list` names them")
    record = Opened(say_aside).read(record_path)
    with as_written(record_path):
        judgements = judge(record)
    save(record, judgements)
    if as_json:
        print(json.dumps([asdict(item) for item in judgements]))
    else:
        for item in judgements:
            print(f"{item.kind:10s} {item.verdict:12s} {item.claim:24s} {item.evidence}")
        of_study = (item.words for item in against_study(study_of(record), record))
        for problem in [*record.problems, *of_study]:
            print(f"record: {printable(problem)}", file=sys.stderr)
        print(exit_words(record, judgements), file=sys.stderr)
    raise typer.Exit(exit_code(record, judgements))
