"""Arguments and options that several verbs have, each said once."""

from pathlib import Path
from typing import Annotated

import typer

StudyPath = Annotated[Path, typer.Argument(metavar="STUDY", help="a study.yaml, its folder, or a name of `list`")]
RecordPath = Annotated[Path, typer.Argument(metavar="RECORD", help="the folder of a run")]
RecordsFolder = Annotated[Path, typer.Option("--out", metavar="DIR", help="where records are kept")]
JsonOption = Annotated[bool, typer.Option("--json", help="one object on stdout")]
WipeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--wipe",
        metavar="NODE:DEVICE",
        help="devices that may be erased, as the study names them, e.g. nas:/dev/sdb,/dev/sdc; repeatable",
    ),
]
