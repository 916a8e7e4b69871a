"""The writer of a result: each line is one write(2), and the folder is sealed at the end."""

import contextlib
import errno
import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from seatrial.basics.clock import unix_s
from seatrial.basics.errors import NO_PATH, RunError, file_error
from seatrial.basics.finite import json_text
from seatrial.result.controller_log import ControllerLog, Level
from seatrial.result.file_names import common_file, kept_name
from seatrial.result.live import LiveFile
from seatrial.result.phases import PhaseResult
from seatrial.result.sealed import LINES, SEAL_KEY, SUMS, seal
from seatrial.result.series import CLIENTS_MAX, LinesOfAll, compressed, write_series
from seatrial.result.series import KEY as SERIES


class Writer:
    """Appends to a result; RunError where the disk does not accept a line, or only a part
    of one.
    """

    def __init__(self, folder: Path, *, append: bool = False) -> None:
        """A new folder; `append`: the folder of a run that was interrupted, a line that was cut off
        is ended first.
        """
        self.folder = folder
        with self._readable_errors():
            # Names, addresses and scripts of a site are confidential; `seatrial redact` makes a
            # copy to share.
            folder.mkdir(parents=True, exist_ok=append, mode=0o700)
            for name in ("scripts", "console", "agent"):
                (folder / name).mkdir(exist_ok=append)
            (folder / SUMS).unlink(missing_ok=True)
            cut_off = append and not (folder / LINES).read_bytes().endswith(b"\n")
            self._file = os.open(folder / LINES, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        if cut_off:
            self._append(b"\n")
        self.live = LiveFile(folder)
        self._log: ControllerLog | None = None

    @contextlib.contextmanager
    def _readable_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in NO_PATH:
                raise (
                    file_error(error, str(self.folder), "--out DIR names a folder") or error
                ) from None
            barred = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
            resumable = "the lines until then are kept; make room, then seatrial run --resume"
            raise RunError(
                f"{self.folder}: the result cannot be written: {error.strerror}",
                "--out DIR names a folder that is yours" if barred else resumable,
            ) from None

    def _append(self, data: bytes) -> None:
        """Append all bytes or none: a partial line would spoil the next one too."""
        with self._readable_errors():
            size = os.fstat(self._file).st_size
            try:
                rest = data
                while rest:
                    rest = rest[os.write(self._file, rest) :]
            except OSError:
                os.ftruncate(self._file, size)
                raise

    def line(self, kind: str, /, **fields: Any) -> None:
        """Append one line; `kind` is its type."""
        data = {"type": kind, "unix_s": round(unix_s(), 6), **fields}
        if kind == "run":
            data[SEAL_KEY] = SUMS
        self._append(json_text(data, separators=(",", ":"), default=str).encode() + b"\n")

    def phase(self, result: PhaseResult) -> None:
        """Append a phase; the seconds of many clients go into a file."""
        if len(result.clients) <= CLIENTS_MAX:
            self.line("phase", **asdict(result))
            return
        with self._readable_errors():
            series = write_series(self.folder, result.clients)
        clients = tuple(replace(item, seconds=(), telemetry=()) for item in result.clients)
        self.line("phase", **asdict(replace(result, clients=clients)), **{SERIES: series})

    @contextlib.contextmanager
    def lines_of_all(self, title: str) -> Iterator[LinesOfAll]:
        """One file for the lines of all agents of a phase, which the body passes on."""
        with self._readable_errors():
            path = self.folder / common_file(title)
            for number in range(2, 1000):
                if not path.exists():
                    break
                path = self.folder / common_file(f"{title}~{number}")
            with compressed(path) as file:
                lines = LinesOfAll(file)
                yield lines
            if lines.error is not None:
                raise lines.error

    def keep(self, name: str, text: str) -> None:
        """Write a file next to the lines, in a subfolder where the name has one.

        A file of that name with other content, from before a resume of the run, is left unchanged:
        `name` is then written as `name~2`.
        """
        folder, _, file = kept_name(name).rpartition("/")
        path = self.folder / folder / file
        with self._readable_errors():
            path.parent.mkdir(parents=True, exist_ok=True)
            for number in range(2, 1000):
                if not path.exists() or path.read_text() == text:
                    break
                path = self.folder / folder / f"{file}~{number}"
            path.write_text(text)

    def log_commands(self, level: Level) -> None:
        """Keep `controller.log` until `close`, with the commands from now on."""
        self._log = ControllerLog(self.folder, level)

    def close(self) -> None:
        """Flush to the disk, and seal; no line can be appended afterwards."""
        if self._log is not None:
            self._log.close()
        try:
            with self._readable_errors():
                os.fsync(self._file)
                seal(self.folder)
        finally:
            os.close(self._file)
            self.live.close()
