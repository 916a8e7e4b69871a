"""Creates a result from the output of another load program, for `compare` and `export`.

The checks for all programs are here: only finite numbers enter a result, a reader's failure is
reported with its file and program, and launcher labels are removed before a reader sees the text.
"""

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from seatrial.advice.foreign import MIB, PROFILE, Foreign, Line, ReaderError, Reading
from seatrial.advice.launchers import Part, mostly_labelled, parts
from seatrial.advice.sound import alike, sound
from seatrial.advice.together import CannotCombine, together
from seatrial.basics.errors import InputError
from seatrial.basics.plugins import Plugins
from seatrial.basics.units import format_size
from seatrial.result.phases import PhaseResult
from seatrial.result.result import SCHEMA
from seatrial.result.writer import Writer

PROGRAMS = Plugins("seatrial.advice.imports", "seatrial.imports", ("recognises", "version"))
"""each has `read(text) -> Reading` as well; a plug-in from before that has `results(text)`"""
_MAX_BYTES = 64 * MIB
_READERS_FAIL_WITH = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
_DOCS = "docs/importing.md lists the output required from each program"


@dataclass(frozen=True)
class Source:
    """One file, and the reading of its program's reader."""

    path: Path
    sha256: str
    version: str
    results: tuple[Foreign, ...]
    not_understood: tuple[Line, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Imported:
    """The created result."""

    folder: Path
    program: str
    sources: tuple[Source, ...]

    @property
    def results(self) -> tuple[Foreign, ...]:
        """The results of all files, in their order."""
        return tuple(item for source in self.sources for item in source.results)

    def messages(self) -> Iterator[str]:
        """Messages to the user: invalid results, omissions, lines that were not understood."""
        for source in self.sources:
            for item in source.results:
                if item.problem:
                    place = _place(source.path, item.line)
                    yield f"{place}: {item.test} {item.phase} is not a good result: {item.problem}"
            yield from (f"{source.path}: {note}" for note in source.notes)
            if source.not_understood:
                yield _not_understood(source)


def _not_understood(source: Source) -> str:
    return f"{source.path}: {_understood_text(source.not_understood)}"


def _understood_text(lines: Sequence[Line]) -> str:
    first = lines[0]
    count = "1 line was" if len(lines) == 1 else f"{len(lines)} lines were"
    return f"{count} not understood; the first is line {first.number}: {first.text.strip()[:120]}"


def read_files(paths: Iterable[Path]) -> tuple[str, tuple[Source, ...]]:
    """The program and the readings of its files; raises InputError for a file of no known program,
    or of two.
    """
    texts = {path: _text(path) for path in paths}
    by_sum: dict[str, Path] = {}
    for path, text in texts.items():
        other = by_sum.setdefault(_sha256(text), path)
        if other != path:
            raise InputError(
                f"{other} and {path} are the same text",
                "give each result once: a copy is not a repeat",
            )
    taken_apart = {path: parts(text) for path, text in texts.items()}
    names = {
        path: _program(path, texts[path], all_parts) for path, all_parts in taken_apart.items()
    }
    programs = sorted(set(names.values()))
    if len(programs) > 1:
        both = " and ".join(programs)
        raise InputError(f"results of {both} need separate folders", "import them one by one")
    if not programs:
        raise InputError("no file is given")
    name = programs[0]
    return name, tuple(
        _source(name, path, texts[path], all_parts) for path, all_parts in taken_apart.items()
    )


def import_files(paths: Iterable[Path], out: Path) -> Imported:
    """Write a result from one program's files into the folder `out`, which must not exist.

    A second file with the same point is a repeat. Raises InputError as `read_files`.
    """
    name, sources = read_files(paths)
    if out.exists():
        raise InputError(f"{out}: already exists", "a result needs a new folder")
    imported = Imported(out, name, sources)
    versions = ", ".join(dict.fromkeys(source.version for source in sources if source.version))
    writer = Writer(out)
    writer.line(
        "run",
        schema=SCHEMA,
        study=out.name,
        profile=PROFILE,
        program=f"{name} {versions}".strip(),
        sources={str(source.path): source.sha256 for source in sources},
        not_understood={
            str(source.path): len(source.not_understood)
            for source in sources
            if source.not_understood
        },
    )
    repeats = Counter[tuple[str, str]]()
    for item in imported.results:
        key = (repr(item.point), item.phase)
        repeats[key] += 1
        writer.phase(_phase(name, item, repeats[key]))
        if item.problem:
            writer.line(
                "note", point=item.point, phase=item.phase, repeat=repeats[key], text=item.problem
            )
    for source in sources:
        for note in source.notes:
            writer.line("note", source=str(source.path), text=note)
    writer.line("end", complete=True)
    writer.close()
    return imported


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise InputError(f"{path}: larger than {format_size(_MAX_BYTES)}")
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    if not raw.strip():
        raise InputError(f"{path}: the file is empty")
    if raw.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ", b"PK\x03\x04")):
        raise InputError(f"{path}: the file is compressed", "unpack it, then import its content")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")) or _is_utf_16(raw[:4096]):
        raise InputError(
            f"{path}: this is text in UTF-16", "convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW"
        )
    if b"\0" in raw:
        raise InputError(f"{path}: the file has zero bytes: it is not text, or is damaged")
    text = raw.decode("utf-8-sig", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_utf_16(start: bytes) -> bool:
    """Whether nearly every second byte is zero, as in Latin text in UTF-16 without a mark."""
    halves = start[0::2], start[1::2]
    zeros, others = sorted((half.count(0) for half in halves), reverse=True)
    return zeros > 0.9 * len(halves[1]) and others < 0.1 * len(halves[1])


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _program(path: Path, whole: str, all_parts: Sequence[Part]) -> str:
    program_names = PROGRAMS.names()
    for name in program_names:
        reader = PROGRAMS.load(name)
        for part in all_parts:
            with _guarded(path, name, ""):
                if reader.recognises(part.text):
                    return name
    for name in program_names:
        refuses = getattr(PROGRAMS.load(name), "refuses", None)
        for text in (whole, *(part.text for part in all_parts)):
            if refuses and (sentence := refuses(text)):
                raise InputError(f"{path}: {sentence}", _DOCS)
    hint = _DOCS
    if mostly_labelled(whole):
        hint = (
            "many of its lines have the label of a launcher, but not all: take the labels off;"
            f" {hint}"
        )
    raise InputError(f"{path}: not the output of {', '.join(program_names)}", hint)


def _source(name: str, path: Path, text: str, all_parts: Sequence[Part]) -> Source:
    reader = PROGRAMS.load(name)
    with _guarded(path, name, ""):
        own_parts = [part for part in all_parts if reader.recognises(part.text)]
    versions: dict[str, None] = {}
    by_label: dict[str, list[Foreign]] = {}
    not_understood: list[Line] = []
    notes: list[str] = []
    for part in own_parts:
        with _guarded(path, name, "", part):
            version = str(reader.version(part.text))
        with _guarded(path, name, version, part):
            reading = reading_of(name, part.text)
        versions[version] = None
        by_label[part.label] = [_numbered(item, part) for item in reading.results]
        not_understood += [
            Line(_number(line.number, part), line.text) for line in reading.not_understood
        ]
        notes += reading.notes
    if len(own_parts) < len(all_parts):
        others = ", ".join(part.label for part in all_parts if part not in own_parts)
        notes.append(f"the lines with the labels {others} are not from {name}, and were left out")
    try:
        results = together({label: items for label, items in by_label.items() if items} or {"": []})
    except CannotCombine as error:
        labels = ", ".join(by_label)
        raise InputError(
            f"{path}: results of several nodes ({labels}) cannot be combined: {error}",
            "import the lines of each node from a separate file, without the labels",
        ) from None
    if len(by_label) > 1:
        labels = f"{len(by_label)} labels ({', '.join(by_label)})"
        notes.append(f"{labels} were combined as nodes that ran at the same time")
    sound_results = sound(results)
    notes += sound_results.notes
    if not sound_results.results:
        if not_understood:
            notes.append(_understood_text(not_understood))
        why = f": {'; '.join(notes)}" if notes else ""
        raise InputError(f"{path}: no figure of {name} in it can be imported{why}", _DOCS)
    notes += alike(sound_results.results)
    return Source(
        path=path,
        sha256=_sha256(text),
        version=", ".join(version for version in versions if version),
        results=sound_results.results,
        not_understood=tuple(not_understood),
        notes=tuple(notes),
    )


def reading_of(name: str, text: str) -> Reading:
    """The reading of this reader for a text without labels; a plug-in's `results(text)` counts as
    its `read`.
    """
    reader = PROGRAMS.load(name)
    if hasattr(reader, "read"):
        reading = reader.read(text)
        if not isinstance(reading, Reading):
            raise InputError(
                f"{name!r}: read(text) gives a {type(reading).__name__}; it has to give a Reading"
            )
        return reading
    if hasattr(reader, "results"):
        return Reading(tuple(reader.results(text)))
    raise InputError(f"{name!r} has no read", "a reader needs all of recognises, version, read")


@contextmanager
def _guarded(path: Path, name: str, version: str, part: Part | None = None) -> Iterator[None]:
    """Replace a reader's exception by InputError with the program, its version, the file and the
    line.
    """
    program = f"{name} {version}".strip()
    try:
        yield
    except ReaderError as error:
        number = error.line if error.line is None or part is None else _number(error.line, part)
        raise InputError(f"{_place(path, number)}: {program}: {error}", _DOCS) from None
    except _READERS_FAIL_WITH as error:
        raise InputError(
            f"{path}: this output of {program} is not as its reader expects:"
            f" {type(error).__name__}: {error}",
            "it may be cut off, edited, or of a version that the reader does not know",
        ) from None


def _place(path: Path, line: int | None) -> str:
    return str(path) if line is None else f"{path}:{line}"


def _number(line: int, part: Part) -> int:
    return part.numbers[line - 1] if 0 < line <= len(part.numbers) else line


def _numbered(item: Foreign, part: Part) -> Foreign:
    return item if item.line is None else dataclasses.replace(item, line=_number(item.line, part))


def _phase(name: str, item: Foreign, repeat: int) -> PhaseResult:
    return PhaseResult(
        experiment=name,
        point=item.point,
        repeat=repeat,
        phase=item.phase,
        started_unix_s=0.0,
        clients=(),
        natural_bytes_per_s=item.bytes_per_s or 0.0,
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
        partial=item.problem is not None,
        latency_ms={item.phase: dict(item.latency_ms)} if item.latency_ms else {},
    )
