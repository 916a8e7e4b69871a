"""The verb `calibrate`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption


def calibrate(
    run_results: Annotated[
        list[Path], typer.Argument(metavar="RESULT", help="the folders of runs on one host or lab")
    ],
    as_json: JsonOption = False,
) -> None:
    """Fit the costs of a host or lab to two thirds of the points of results, and predict the
    others.
    """
    from seatrial.predict.measured import calibrate as calibrate_from
    from seatrial.predict.output import calibration_text
    from seatrial.result.opened import opened

    with opened(say_aside) as results:
        calibration = calibrate_from([results.read(path) for path in run_results])
        if as_json:
            output.print_json(asdict(calibration))
        else:
            print(calibration_text(calibration))
