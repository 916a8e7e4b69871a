"""Arguments and options that several verbs have, each written once."""

from pathlib import Path
from typing import Annotated

import typer

from seatrial.cli.output import note_json

TOLERANCE_DEFAULT = 0.05


def _tolerance(text: str | float) -> float:
    """The value of --tolerance; a usage error where it is no share from 0 to below 1."""
    from seatrial.basics.units import parse_percent

    try:
        share = parse_percent(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if not 0 <= share < 1:
        raise typer.BadParameter(f"{text!r} is outside 0 to 100%")
    return share


def study_names(incomplete: str) -> list[str]:
    """For shells: the names of `seatrial list` that begin like this; of a path none, so that files
    are completed.
    """
    from seatrial.basics.shipped import study_places

    names = {name for place in study_places() for name in place}
    return sorted(name for name in names if name.startswith(incomplete))


StudyPath = Annotated[
    Path,
    typer.Argument(
        metavar="STUDY",
        help="a study.yaml, its folder, or a name of `seatrial list`",
        autocompletion=study_names,
    ),
]
ResultPath = Annotated[Path, typer.Argument(metavar="RESULT", help="the folder of a run")]
ResultsFolder = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="the folder of all results  [default: $SEATRIAL_RESULTS, or ./results]",
    ),
]
JsonOption = Annotated[
    bool,
    typer.Option(
        "--json", callback=note_json, is_eager=True, help="print one JSON object on stdout"
    ),
]
ToleranceOption = Annotated[
    float,
    typer.Option(
        "--tolerance",
        metavar="SHARE",
        parser=_tolerance,
        help="with --fail-on: the difference that is allowed, such as 2% or 0.02  [default: 5%]",
        show_default=False,
    ),
]
QuietOption = Annotated[bool, typer.Option("-q", "--quiet", help="print results and errors only")]
VerboseOption = Annotated[
    bool, typer.Option("-v", "--verbose", help="also print each script and each step as it runs")
]
WipeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--wipe",
        metavar="NODE:DEVICE",
        help=(
            "devices that may be erased, as the study names them, e.g. nas:/dev/sdb,/dev/sdc;"
            " repeatable"
        ),
    ),
]
YesOption = Annotated[bool, typer.Option("-y", "--yes", help="change real hosts without asking")]
ConsentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--consent",
        metavar="FAULT",
        help="let this fault run commands of the site (kind: site-command); repeatable",
    ),
]
DryRunOption = Annotated[
    bool,
    typer.Option(
        "-n", "--dry-run", help="print what would be done, and stop before the first change"
    ),
]
PackagesOption = Annotated[
    bool,
    typer.Option(
        "--packages", help="also remove packages that deploys installed and nothing else needs"
    ),
]
