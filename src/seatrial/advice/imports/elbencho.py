"""elbencho's results as CSV (`--csvfile`), with its line of labels; times until the last worker had finished."""

import csv
import io
from collections.abc import Iterator, Mapping

from seatrial.advice.foreign import MIB, Foreign, number, size_bytes

_NAMES = {"WRITE": "write", "READ": "read", "MKDIRS": "mkdir", "RMDIRS": "rmdir", "RMFILES": "remove", "STAT": "stat"}
_DATA = ("write", "read")


def recognises(text: str) -> bool:
    """The first line has its labels."""
    head = text.partition("\n")[0]
    return head.startswith("ISO date,") and ",operation," in head and "MiB/s [last]" in head


def version(text: str) -> str:
    """Of the first row."""
    return next((row.get("version") or "" for row in _rows(text)), "")


def _rows(text: str) -> Iterator[Mapping[str, str]]:
    # Files that were appended to may have their labels again.
    return (row for row in csv.DictReader(io.StringIO(text)) if row.get("operation") != "operation")


def results(text: str) -> Iterator[Foreign]:
    """Each phase of each run of the file."""
    for row in _rows(text):
        phase = _NAMES.get((row.get("operation") or "").upper())
        if phase is None:
            continue
        rate = number(row.get("MiB/s [last]") or "")
        per_s = number(row.get("IOPS [last]" if phase in _DATA else "entries/s [last]") or "")
        threads, hosts = number(row.get("threads") or ""), number(row.get("hosts") or "")
        clients = int(hosts or 1)
        yield Foreign(
            phase=phase,
            test=row.get("label") or row.get("path type") or phase,
            bytes_per_s=None if rate is None or phase not in _DATA else rate * MIB,
            operations_per_s=per_s,
            pattern=("random" if row.get("random") == "1" else "sequential") if phase in _DATA else None,
            record_bytes=size_bytes(row.get("block size") or "") if phase in _DATA else None,
            clients=clients,
            tasks=None if threads is None else int(threads) * clients,
        )
