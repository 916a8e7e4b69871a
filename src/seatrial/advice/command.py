"""The read-only verbs, such as `compare`, `export` and `preflight`. Importing this file imports
little else.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.arguments import JsonOption, RecordPath, RecordsFolder, StudyPath, WipeOption
from seatrial.basics.errors import InputError, option
from seatrial.basics.printable import command, printable, say_aside


def register(app: typer.Typer) -> None:
    """Register these verbs."""
    for verb in (compare, advise, bench, redact, export, history, preflight):
        app.command()(verb)
    app.command("import")(import_results)


def compare(
    first: Annotated[Path, typer.Argument(metavar="FIRST", help="the folder of a run, or of an import")],
    others: Annotated[list[Path], typer.Argument(metavar="OTHER...", help="those that are compared with it")],
    as_json: JsonOption = False,
) -> None:
    """Compare results: ratios to the first, their intervals, and which differences are
    significant.
    """
    from seatrial.advice.compare import compare as compare_records
    from seatrial.advice.compare import comparison_table
    from seatrial.basics.finite import json_text
    from seatrial.record.opened import opened
    from seatrial.record.record import as_written

    with opened(say_aside) as results:
        base, *rest = [results.read(path) for path in (first, *others)]
        with as_written(first):
            compared = [compare_records(base, other) for other in rest]
        found = dict(zip(map(str, others), compared, strict=True))
        if as_json:
            rows = [{"record": other, **asdict(comparison)} for other, comparison in found.items()]
            print(json_text({"first": str(first), "others": rows}))
            return
        for number, (other, comparison) in enumerate(found.items()):
            print(("\n" if number else "") + f"A: {first}\nB: {other}\n{comparison_table(comparison)}")


def import_results(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="output or result file of a program"),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="the new folder of the result")],
) -> None:
    """Create a result from results of fio, IOR, mdtest, IOzone, elbencho or IO500, for compare and
    export.
    """
    from seatrial.advice.importing import import_files
    from seatrial.basics.units import counted

    imported = import_files(paths, out)
    for message in imported.messages():
        print(printable(message), file=sys.stderr)
    print(f"{imported.folder}: {counted(len(imported.results), 'result')} of {imported.program}")


def advise(
    path: Annotated[
        Path,
        typer.Argument(metavar="STUDY|RECORD", help="a study; its newest result is used"),
    ],
    out: RecordsFolder = Path("records"),
    as_json: JsonOption = False,
) -> None:
    """Recommend settings from the measurements, with the evidence for each."""
    from seatrial.advice.advice import advice_text, newest_record
    from seatrial.advice.advice import advise as advise_from
    from seatrial.judge.judge import study_of
    from seatrial.record.opened import opened
    from seatrial.record.record import is_record
    from seatrial.study.study import load_study

    folder = path if is_record(path) else newest_record(out, load_study(path))
    with opened(say_aside) as results:
        record = results.read(folder)
        found = advise_from(study_of(record), record)
        if not found:
            hint = "rows and vary of an experiment do that"
            raise InputError(f"{folder}: no setting varies in the measurements", hint)
        if as_json:
            print(json.dumps({"record": str(folder), "advice": [asdict(item) for item in found]}))
        else:
            print(f"{folder}\n{advice_text(found)}")


def bench(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="an empty directory on the storage")],
    size: Annotated[str, typer.Option(metavar="SIZE", help="bytes of each file")] = "256MiB",
    tasks: Annotated[int, typer.Option(min=1, max=256, metavar="N", help="threads, one file each")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Measure a mounted directory with a short standard set, without a lab; removes its files
    afterwards.
    """
    from seatrial.advice.bench import bench_table, run_bench
    from seatrial.basics.units import parse_size
    from seatrial.service.terminal import Terminal

    results = run_bench(path, option("--size", parse_size, size), tasks, Terminal().say)
    if as_json:
        print(json.dumps({"path": str(path), "results": [vars(item) for item in results]}))
    else:
        print(bench_table(results))
    raise typer.Exit(1 if any(item.damaged_extents or item.errors for item in results) else 0)


def redact(
    path: RecordPath,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="the new folder of the copy")],
) -> None:
    """Copy a result without the site's hosts, addresses, serial numbers and users; the verdicts
    stay the same.
    """
    from seatrial.advice.redact import redact as redacted
    from seatrial.basics.units import counted
    from seatrial.record.opened import opened, unedited
    from seatrial.record.record import as_written

    with opened(say_aside) as results:
        record = unedited(path)  # a copy gets a new seal, which would hide an edit
        results.note(path, record.seal)
        with as_written(path):
            names = redacted(record, out)
    replaced = len(names.exact) + len(names.numbered) + len(names.found)
    print(f"{counted(replaced, 'name')} replaced, every verdict as before")
    print(f"{command('report', out)}   # titles and your own commands are as you wrote them: read them once more")


def export(
    path: RecordPath,
    form: Annotated[
        str,
        typer.Option("--format", metavar="csv|json|openmetrics", help="output format"),
    ] = "csv",
) -> None:
    """Print a result's figures for other programs: a row for each phase of each repeat, and for
    each fault.
    """
    from seatrial.advice.export import FORMATS, nothing_there
    from seatrial.record.opened import opened
    from seatrial.record.record import as_written

    made = next((make for name, make in FORMATS.items() if name == form), None)
    if made is None:
        raise InputError(f"--format: {form!r} is none of {', '.join(FORMATS)}")
    with opened(say_aside) as results:
        record = results.read(path)
        with as_written(path):
            print(made(record), end="")
            if why := nothing_there(record):
                say_aside(why)


def history(
    study_path: StudyPath,
    out: RecordsFolder = Path("records"),
    as_json: JsonOption = False,
) -> None:
    """Show each figure of a study over all its results, and the run at which its level changed."""
    from seatrial.advice.history import broken_seals, history_table, unrecovered_faults
    from seatrial.advice.history import history as over_runs
    from seatrial.basics.finite import json_text
    from seatrial.record.opened import opened
    from seatrial.study.study import load_study

    if not out.is_dir():
        raise InputError(f"{out}: there is no such folder", "--out names the folder of the results")
    name = load_study(study_path).id
    with opened(say_aside) as results:
        broken = broken_seals(out, name)
        for run, seal in broken.items():
            results.note(out / run, seal)
        found = over_runs(out, name, without=broken)
        if as_json:
            print(json_text([asdict(item) for item in found]))
        else:
            print(history_table(found, unrecovered_faults(out, name)))


def preflight(
    study_path: StudyPath,
    wipe: WipeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a deploy would refuse, use, install, erase and interrupt on every node, changing
    nothing.
    """
    from seatrial.advice.preflight import preflight as look
    from seatrial.advice.preflight import preflight_text
    from seatrial.check import erasable, prepare
    from seatrial.service.session import running
    from seatrial.study.study import load_study

    study = load_study(study_path)
    current = running(study, *prepare(study))
    found = look(current, erasable(wipe, current.site))
    print(json.dumps(asdict(found)) if as_json else preflight_text(found))
    raise typer.Exit(0 if found.clean else 1)
