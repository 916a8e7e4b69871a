"""elbencho, IOR, mdtest and IOzone: their commands, and their results by the readers of
`seatrial import`.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.contest import Failed
from bench.processes import Finished, finished
from bench.ratios import Figures
from seatrial.advice.foreign import Foreign, ReaderError
from seatrial.advice.imports import elbencho as elbencho_results
from seatrial.advice.imports import ior as ior_results
from seatrial.advice.imports import iozone as iozone_results
from seatrial.advice.imports import mdtest as mdtest_results

METADATA = ("create", "stat", "remove")


def data_figures(results: Sequence[Foreign], phase: str, transfer_bytes: int) -> Figures:
    """The best rate of a phase. Failed when it is missing or the program reported a problem."""
    of_phase = _of_phase(results, phase)
    rates = [item.bytes_per_s for item in of_phase if item.bytes_per_s]
    per_s = [item.operations_per_s for item in of_phase if item.operations_per_s]
    if not rates:
        raise Failed(f"no rate of the phase {phase} in its output")
    operations_per_s = max(per_s, default=max(rates) / transfer_bytes)
    return {"bytes_per_s": max(rates), "operations_per_s": operations_per_s}


def metadata_figures(results: Sequence[Foreign]) -> Figures:
    """Operations per second of each phase of `METADATA`, such as `create_per_s`."""
    figures: dict[str, float] = {}
    for phase in METADATA:
        per_s = [item.operations_per_s for item in _of_phase(results, phase)]
        rates = [value for value in per_s if value]
        if not rates:
            raise Failed(f"no rate of the phase {phase} in its output")
        figures[f"{phase}_per_s"] = max(rates)
    return figures


def _of_phase(results: Sequence[Foreign], phase: str) -> list[Foreign]:
    of_phase = [item for item in results if item.phase == phase]
    problem = next((item.problem for item in of_phase if item.problem), None)
    if problem:
        raise Failed(problem)
    return of_phase


def _elbencho(options: Sequence[str]) -> tuple[tuple[Foreign, ...], Finished]:
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.csv"
        done = finished(["elbencho", "--nolive", "-t", "1", "--csvfile", str(rows), *options])
        try:
            return elbencho_results.read(rows.read_text()).results, done
        except (OSError, ReaderError) as error:
            raise Failed(f"elbencho's results: {error}") from error


def elbencho(path: Path, phase: str, transfer_bytes: int, seconds: float, *options: str) -> Figures:
    """One phase on an existing file, again and again until the time is over.

    Processor time is that of the whole process: elbencho prints no other.
    """
    flag = {"read": "-r", "write": "-w"}[phase]
    size = ("-s", str(path.stat().st_size), "-b", str(transfer_bytes))
    limit = ("--timelimit", str(max(1, round(seconds))), "--infloop")
    results, done = _elbencho([flag, *size, *limit, *options, str(path)])
    figures = data_figures(results, phase, transfer_bytes)
    operations = figures["operations_per_s"] * max(1, round(seconds))
    return {**figures, "operations_per_process_cpu_s": operations / max(done.cpu_s, 1e-9)}


def elbencho_metadata(directory: Path, files: int) -> Figures:
    """Create, stat and remove `files` empty files of one directory."""
    work = ("-d", "-w", "--stat", "-F", "-D", "-n", "1", "-N", str(files), "-s", "0")
    results, _ = _elbencho([*work, str(directory)])
    return metadata_figures(results)


def elbencho_trivial(directory: Path) -> Figures:
    """One write of 4 KiB, from before the start of the process to its end."""
    path = directory / "trivial-elbencho"
    done = finished(["elbencho", "--nolive", "-t", "1", "-w", "-s", "4k", "-b", "4k", str(path)])
    return {"elapsed_ms": done.elapsed_s * 1e3, "cpu_ms": done.cpu_s * 1e3}


def ior(path: Path, phase: str, transfer_bytes: int) -> Figures:
    """One pass of IOR over an existing file, which it keeps."""
    flag = {"read": "-r", "write": "-w"}[phase]
    sizes = ("-t", str(transfer_bytes), "-b", str(path.stat().st_size))
    done = finished(["ior", "-a", "POSIX", flag, "-k", "-E", *sizes, "-o", str(path)])
    return data_figures(ior_results.read(done.stdout).results, phase, transfer_bytes)


def mdtest(directory: Path, files: int) -> Figures:
    """Create, stat and remove `files` empty files of one directory."""
    done = finished(["mdtest", "-F", "-C", "-T", "-r", "-n", str(files), "-d", str(directory)])
    return metadata_figures(mdtest_results.read(done.stdout).results)


def iozone(path: Path, phase: str, transfer_bytes: int) -> Figures:
    """One pass of IOzone over its own file: reads follow a write of it."""
    sizes = ("-r", f"{transfer_bytes // 1024}k", "-s", f"{path.stat().st_size // 1024}k")
    own = path.with_name("data-iozone")
    done = finished(["iozone", "-t", "1", "-i", "0", "-i", "1", *sizes, "-F", str(own)])
    return data_figures(iozone_results.read(done.stdout).results, phase, transfer_bytes)
