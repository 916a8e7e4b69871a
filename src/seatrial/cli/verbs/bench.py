"""The verb `bench`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from seatrial.basics.errors import option
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption


def bench(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="an empty directory on the storage")],
    size: Annotated[str, typer.Option(metavar="SIZE", help="bytes of each file")] = "256MiB",
    tasks: Annotated[
        int, typer.Option(min=1, max=256, metavar="N", help="threads, one file each")
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Measure a mounted directory with a short standard set, without a lab. Removes its files."""
    from seatrial.advice.bench import bench_table, run_bench
    from seatrial.basics.units import parse_size

    results = run_bench(path, option("--size", parse_size, size), tasks, output.terminal().say)
    if as_json:
        output.print_json({"path": str(path), "results": [vars(item) for item in results]})
    else:
        print(bench_table(results))
    raise typer.Exit(1 if any(item.damaged_extents or item.errors for item in results) else 0)
