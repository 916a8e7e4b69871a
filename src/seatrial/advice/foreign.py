"""Results of other load programs, brought into a record: what `compare` and `export` then read.

What is not in their output is not made up: no clients' parts, no bounds, no verdicts. A rate is what the program says
for all tasks together; where it gives several, the one over the time of the slowest task, as Seatrial's own.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seatrial.basics.errors import InputError
from seatrial.basics.plugins import Plugins
from seatrial.basics.units import format_size
from seatrial.record.phases import PhaseResult
from seatrial.record.record import SCHEMA, Writer

PROGRAMS = Plugins("seatrial.advice.imports", "seatrial.imports", ("recognises", "version", "results"))
FORM = "imported"
KIB, MIB = 2**10, 2**20
_MAX_BYTES = 64 * MIB
_SUFFIXES = {"": 1, "b": 1, "k": 10, "m": 20, "g": 30, "t": 40}


@dataclass(frozen=True)
class Foreign:
    """One phase of one repeat, as another program told it; None is what it did not tell."""

    phase: str
    """`write`, `read`, `mixed`, or what was done to names, as in a workload"""
    test: str
    """the program's own name of it"""
    bytes_per_s: float | None = None
    operations_per_s: float | None = None
    pattern: str | None = None
    record_bytes: int | None = None
    clients: int | None = None
    tasks: int | None = None
    """of all clients together"""
    latency_ms: Mapping[str, float] = field(default_factory=dict)
    """of one operation: `p50`, `p99`, `max`"""

    @property
    def point(self) -> dict[str, Any]:
        """What tells it from the others of its file."""
        record = None if self.record_bytes is None else format_size(self.record_bytes)
        said = {
            "test": self.test,
            "pattern": self.pattern,
            "record": record,
            "clients": self.clients,
            "tasks": self.tasks,
        }
        return {key: value for key, value in said.items() if value is not None}


def import_files(paths: Iterable[Path], out: Path) -> tuple[Path, str]:
    """A record in the folder `out`, which is not there yet, of one program's files; the folder and the program.

    A second file of the same tests is a repeat of them. InputError for a file of no known program, or of two.
    """
    texts = {path: _text(path) for path in paths}
    names = {path: _program(path, text) for path, text in texts.items()}
    if len(set(names.values())) > 1:
        raise InputError(f"results of {' and '.join(sorted(set(names.values())))} do not go into one record")
    if out.exists():
        raise InputError(f"{out}: it is there already", "a record is a new folder")
    name = next(iter(names.values()))
    program = PROGRAMS.load(name)
    found = {path: list(program.results(text)) for path, text in texts.items()}
    for path, results in found.items():
        if not results:
            raise InputError(f"{path}: {name} measured nothing there that has a name here")
    version = program.version(next(iter(texts.values())))
    sources = {path.name: hashlib.sha256(text.encode()).hexdigest() for path, text in texts.items()}
    writer = Writer(out)
    writer.line("run", schema=SCHEMA, study=out.name, form=FORM, program=f"{name} {version}".strip(), sources=sources)
    repeats = Counter[tuple[str, str]]()
    for item in (item for results in found.values() for item in results):
        key = (repr(item.point), item.phase)
        repeats[key] += 1
        writer.phase(_phase(name, item, repeats[key]))
    writer.line("end", complete=True)
    return out, name


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InputError(f"{path}: larger than {format_size(_MAX_BYTES)}")
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def _program(path: Path, text: str) -> str:
    known = PROGRAMS.names()
    for name in known:
        if PROGRAMS.load(name).recognises(text):
            return name
    raise InputError(f"{path}: results of none of {', '.join(known)}", "docs/importing.md says what each has to print")


def _phase(name: str, item: Foreign, repeat: int) -> PhaseResult:
    rate = item.bytes_per_s or 0.0
    return PhaseResult(
        experiment=name,
        point=item.point,
        repeat=repeat,
        phase=item.phase,
        started_unix_s=0.0,
        clients=(),
        natural_bytes_per_s=rate,
        harmonic_mean_bytes_per_s=0.0,
        harmonic_aggregate_bytes_per_s=0.0,
        fairness=0.0,
        operations_per_s=item.operations_per_s or 0.0,
        cpus_busy_share=None,
        lab_limited=False,
        bottleneck=None,
        predicted_bytes_per_s=None,
        bound=None,
        bound_bytes_per_s=None,
        clock_error_s=0.0,
        partial=False,
        latency_ms={item.phase: dict(item.latency_ms)} if item.latency_ms else {},
    )


def json_of(text: str) -> Mapping[str, Any]:
    """The object of a text, behind what a program wrote before it; empty where there is none."""
    start = text.find("{")
    try:
        found = json.loads(text[start:]) if start >= 0 else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def first_of(pattern: re.Pattern[str], text: str) -> str:
    """What the pattern's group finds first; empty where it finds nothing."""
    found = pattern.search(text)
    return found[1] if found else ""


def size_bytes(text: str) -> int | None:
    """`256k`, `1 MiB`, `262144 bytes`: powers of 1024, as these programs mean them; None where it is no one size."""
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(?:([kmgt])(?:i?b)?|b|bytes)?\s*", text, re.IGNORECASE)
    if found is None:
        return None
    shift = _SUFFIXES[(found[2] or "").lower()]
    return int(float(found[1]) * (2**shift if shift > 1 else 1))


def number(text: str) -> float | None:
    """A figure of a table, or None where there is none."""
    try:
        return float(text)
    except ValueError:
        return None
