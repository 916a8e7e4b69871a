"""IOR's output as text (versions 3 and 4), or its summary as JSON (`-O summaryFormat=JSON`)."""

import re
from collections.abc import Iterator, Mapping

from seatrial.advice.foreign import MIB, Foreign, first_of, json_of, number, size_bytes

_BANNER = re.compile(r"^IOR-(\S+): MPI Coordinated Test", re.MULTILINE)
_OPTION = re.compile(r"^\s*([a-z][a-zA-Z ]*?)\s*[:=]\s+(\S.*?)\s*$")
_PHASES = ("write", "read")


def recognises(text: str) -> bool:
    """Its banner, or a summary's keys."""
    summary = '"tests"' in text and '"Command line"' in text
    return _BANNER.search(text) is not None or (summary and "tests" in json_of(text))


def version(text: str) -> str:
    """As the banner or the summary has it."""
    return first_of(_BANNER, text) or str(json_of(text).get("Version", ""))


def results(text: str) -> Iterator[Foreign]:
    """A result for each write and read of each repetition."""
    if _BANNER.search(text):
        yield from _of_text(text)
        return
    for test in json_of(text).get("tests", []):
        options = {key: str(value) for key, value in test.get("Options", {}).items()}
        for line in test.get("Results", []):
            if line.get("access") in _PHASES:
                yield _result(options, line["access"], line["bwMiB"], line.get("iops"))


def _of_text(text: str) -> Iterator[Foreign]:
    options: dict[str, str] = {}
    columns: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if line.strip() in ("Options:", "Summary:"):
            options, columns = {}, []
        elif words[:1] == ["access"] and "bw(MiB/s)" in words:
            columns = words
        elif columns and words[:1] and words[0] in _PHASES and len(words) == len(columns):
            row = dict(zip(columns, words, strict=True))
            rate = number(row["bw(MiB/s)"])
            if rate is not None:
                yield _result(options, words[0], rate, number(row.get("IOPS", "")))
        elif line.startswith("Summary of all tests"):
            columns = []
        elif (option := _OPTION.match(line)) and not columns:
            options[option[1]] = option[2]


def _result(options: Mapping[str, str], phase: str, rate_mib_per_s: float, operations: float | None) -> Foreign:
    # Versions before 3.1 say `clients = 16 (8 per node)` and mean tasks.
    tasks = _leading(options.get("tasks", options.get("clients", "")))
    per_node = _leading(options.get("clients per node", ""))
    nodes = _leading(options.get("nodes", "")) or (tasks // per_node if tasks and per_node else None)
    return Foreign(
        phase=phase,
        test=options.get("access", "ior"),
        bytes_per_s=rate_mib_per_s * MIB,
        operations_per_s=operations,
        pattern="random" if options.get("ordering in a file", "").startswith("random") else "sequential",
        record_bytes=size_bytes(options.get("xfersize", "")),
        clients=nodes,
        tasks=tasks,
    )


def _leading(text: str) -> int | None:
    found = re.match(r"\d+", text)
    return int(found[0]) if found else None
