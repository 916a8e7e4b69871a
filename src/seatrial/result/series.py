"""Files for phases with many clients: their seconds, and the lines of their agents.

The line of such a phase would have hundreds of megabytes, and each phase a thousand files. So a
phase with more than `CLIENTS_MAX` clients has one compressed file of each kind. A file of seconds
has one line of JSON for each client, with one list for each column.
"""

import gzip
import io
import json
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from seatrial.result.phases import ClientResult

CLIENTS_MAX = 64
"""with more clients a phase has one file of each kind"""
FOLDER = "series"
KEY = "series"
"""of the line of a phase: the name of its file of seconds"""
COLUMNS = ("unix_s", "bytes", "operations")
"""of the seconds, in the order of `ClientResult.seconds`"""
COMPRESSION = 3
BUFFER_BYTES = 1 << 18


def write_series(folder: Path, clients: Iterable[ClientResult]) -> str:
    """Write the seconds and the telemetry of all clients; returns the name of the new file."""
    (folder / FOLDER).mkdir(exist_ok=True)
    number = 1 + sum(1 for _ in (folder / FOLDER).iterdir())
    name = f"phase-{number:04d}.jsonl.gz"
    with compressed(folder / FOLDER / name) as file:
        for client in clients:
            columns = dict(zip(COLUMNS, map(list, zip(*client.seconds, strict=True)), strict=False))
            telemetry = _columns(client.telemetry)
            line = {"client": client.client, "seconds": columns, "telemetry": telemetry}
            file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
    return name


@contextmanager
def compressed(path: Path) -> Iterator[BinaryIO]:
    """A new file that is compressed when it is written; nothing in it depends on the time."""
    with (
        path.open("xb") as raw,
        gzip.GzipFile("", "wb", COMPRESSION, raw, mtime=0) as packed,
        io.BufferedWriter(packed, BUFFER_BYTES) as file,
    ):
        yield file


def with_series(folder: Path, line: dict[str, Any]) -> dict[str, Any]:
    """A line of a result with the seconds of its clients, which may be in a file.

    ValueError where the file is missing or cannot be read.
    """
    if line.get("type") != "phase" or KEY not in line:
        return line
    try:
        of_clients = _read(folder / FOLDER / Path(str(line[KEY])).name)
        clients = [{**client, **of_clients[client["client"]]} for client in line["clients"]]
    except (OSError, EOFError, KeyError, TypeError, zlib.error) as error:
        raise ValueError(f"{line[KEY]}: {error}") from error
    return {key: value for key, value in line.items() if key != KEY} | {"clients": clients}


def _read(path: Path) -> dict[str, dict[str, list[Any]]]:
    """Client -> its seconds and its telemetry, as the line of a phase has them."""
    of_clients: dict[str, dict[str, list[Any]]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for text in file:
            item = json.loads(text)
            seconds = [list(row) for row in zip(*item["seconds"].values(), strict=True)]
            of_clients[item["client"]] = {"seconds": seconds, "telemetry": _rows(item["telemetry"])}
    return of_clients


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]] | list[Mapping[str, Any]]:
    """Rows as columns; the rows themselves where their keys differ."""
    columns: dict[str, list[Any]] = {}
    for number, row in enumerate(rows):
        if number == 0:
            columns = {key: [] for key in row}
        elif row.keys() != columns.keys():
            return list(rows)
        for key, value in row.items():
            columns[key].append(value)
    return columns


def _rows(columns: dict[str, list[Any]] | list[Any]) -> list[Any]:
    if isinstance(columns, list):
        return columns
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


class LinesOfAll:
    """Writes the lines of many agents into one compressed file, in the order of their arrival."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lock = threading.Lock()
        self._names: dict[str, bytes] = {}
        self.error: OSError | None = None
        """the first error of the disk; nothing is written after it"""

    def write(self, client: str, line: str) -> None:
        """Append a line of an agent; an error is kept in `error`."""
        name = self._names.get(client)
        if name is None:
            name = self._names[client] = f'{{"client":{json.dumps(client)},"line":'.encode()
        is_object = line.startswith("{") and line.endswith("}")
        text = (line if is_object else json.dumps(line)).encode()
        with self._lock:
            if self.error is None:
                try:
                    self._file.write(name + text + b"}\n")
                except OSError as error:
                    self.error = error
