"""How the cost of results grows: with their number, and with the faults and phases of each.

    .venv/bin/python scripts/bench_growth.py results/*

Every given folder is a result of a run. The verbs that read many results get 1, 3, 10, 30 and 100
copies of them. The verbs that read one result get each of them. A cost is the processor time of
the process and of its children, so that a busy machine changes it little. The table goes to the
terminal, and all figures go to `build/bench-growth.json`.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from fits import Fit, fit

from seatrial.result.faults import FaultResult
from seatrial.result.result import Result, read_result

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "build" / "bench-growth.json"
SEATRIAL = Path(sys.executable).with_name("seatrial")
COUNTS = (1, 3, 10, 30, 100)
ACCEPTED_EXITS = (0, 3)
"""exit codes of a verb that wrote its output: 3 is an undecided criterion"""


# ---- pure parts


def overhead_s(fault: FaultResult) -> float | None:
    """The time of a fault without its duration and the recovery of the service, in s.

    It is the preparation and its quiet time, the baseline of the load, and the checks after the
    recovery. None: the fault has not run to its end.
    """
    started_s = fault.started_unix_s
    injected_s = fault.injected_unix_s
    ended_s = fault.ended_unix_s
    recovered_s = fault.recovered_unix_s or fault.repaired_unix_s
    if started_s is None or injected_s is None or recovered_s is None or ended_s is None:
        return None
    return injected_s - started_s + ended_s - recovered_s


# ---- measurements


@dataclass(frozen=True)
class Cost:
    """What one command needed."""

    cpu_s: float
    memory_mib: float
    output_bytes: int


@dataclass(frozen=True)
class ManyResults:
    """A verb that reads many results."""

    verb: str
    costs: dict[int, Cost]

    def cpu(self) -> Fit | None:
        """Processor seconds by the number of results."""
        return self._fit([cost.cpu_s for cost in self.costs.values()])

    def memory(self) -> Fit | None:
        """MiB by the number of results."""
        return self._fit([cost.memory_mib for cost in self.costs.values()])

    def output(self) -> Fit | None:
        """Bytes of the output by the number of results."""
        return self._fit([cost.output_bytes for cost in self.costs.values()])

    def _fit(self, costs: Sequence[float]) -> Fit | None:
        return fit(tuple(self.costs), costs)


@dataclass(frozen=True)
class OneResult:
    """The size of a result, and the cost of the verbs that read it."""

    name: str
    phases: int
    faults: int
    bytes_all: int
    bytes_main: int
    fault_overheads_s: tuple[float, ...]
    verbs: dict[str, Cost]


def run(arguments: Sequence[str], output: Path | None = None) -> Cost:
    """Run `seatrial` with the arguments.

    Raises:
        SystemExit: the verb failed.
    """
    process = subprocess.Popen(
        [SEATRIAL, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    exit_code = os.waitstatus_to_exitcode(status)
    process.returncode = exit_code
    if exit_code not in ACCEPTED_EXITS:
        raise SystemExit(f"seatrial {' '.join(arguments)}: exit {exit_code}\n{errors}")
    size = output.stat().st_size if output and output.exists() else 0
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, size)


def many(folders: Sequence[Path], counts: Sequence[int]) -> list[ManyResults]:
    """The verbs that read many results, over copies of the given ones."""
    measured: dict[str, dict[int, Cost]] = {"catalogue": {}, "history": {}}
    for count in counts:
        with tempfile.TemporaryDirectory() as temporary:
            base = Path(temporary) / "results"
            page = Path(temporary) / "catalogue.html"
            for number in range(count):
                source = folders[number % len(folders)]
                study_id, _, started = source.name.rpartition("-")
                copy = f"{study_id}-{started}-{number}" if number >= len(folders) else source.name
                shutil.copytree(source, base / copy)
            measured["catalogue"][count] = run(["catalogue", str(base), "--out", str(page)], page)
            study = folders[0] / "study.yaml"
            measured["history"][count] = run(["history", str(study), "--out", str(base)])
        print(f"  {count} results measured", file=sys.stderr)
    return [ManyResults(verb, costs) for verb, costs in measured.items()]


def one(folder: Path) -> OneResult:
    """The size of a result, and what `judge` and `report` cost on a copy of it."""
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / folder.name
        shutil.copytree(folder, copy)
        result = read_result(copy)
        verbs = {
            "judge": run(["judge", str(copy)]),
            "report": run(["report", str(copy)], copy / "report.html"),
        }
    return OneResult(
        folder.name,
        len(result.phases),
        len(result.faults),
        sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()),
        (folder / "result.jsonl").stat().st_size,
        _overheads_s(result),
        verbs,
    )


def _overheads_s(result: Result) -> tuple[float, ...]:
    overheads = (overhead_s(fault) for fault in result.faults)
    return tuple(value for value in overheads if value is not None)


def print_many(rows: Sequence[ManyResults]) -> None:
    """One line per verb."""
    print("verb | results | CPU, s | memory, MiB | output, MB")
    for row in rows:
        for count, cost in row.costs.items():
            output_mb = cost.output_bytes / 1e6
            print(
                f"{row.verb} | {count} | {cost.cpu_s:.2f} | {cost.memory_mib:.0f} | {output_mb:.2f}"
            )
        print(f"{row.verb}: {growth(row)}")


def growth(row: ManyResults) -> str:
    """The fits of a verb in words."""
    cpu = row.cpu()
    memory = row.memory()
    output = row.output()
    if cpu is None or memory is None:
        return "too few counts for a fit"
    texts = [
        f"{cpu.fixed:.2f} s + {cpu.each * 1e3:.1f} ms per result",
        f"{memory.fixed:.0f} MiB + {memory.each:.2f} MiB per result",
    ]
    if output is not None:
        texts.append(f"{output.each / 1e3:.1f} kB of output per result")
    return ", ".join(texts)


def print_each(rows: Sequence[OneResult]) -> None:
    """One line per result."""
    print("result | phases | faults | MB | judge, CPU s | report, CPU s | overhead per fault, s")
    for row in rows:
        overhead = f"{median(row.fault_overheads_s):.1f}" if row.fault_overheads_s else "–"
        judge_s = row.verbs["judge"].cpu_s
        report_s = row.verbs["report"].cpu_s
        print(
            f"{row.name} | {row.phases} | {row.faults} | {row.bytes_all / 1e6:.1f}"
            f" | {judge_s:.2f} | {report_s:.2f} | {overhead}"
        )


def main() -> None:
    """Measure, print, and write `build/bench-growth.json`."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("results", nargs="+", type=Path, help="folders of results")
    parser.add_argument("--counts", nargs="+", type=int, default=COUNTS)
    arguments = parser.parse_args()
    of_each = [one(folder) for folder in arguments.results]
    print_each(of_each)
    everything = many(arguments.results, arguments.counts)
    print_many(everything)
    OUTPUT.parent.mkdir(exist_ok=True)
    figures = {
        "many": [asdict(row) for row in everything],
        "each": [asdict(row) for row in of_each],
    }
    OUTPUT.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
