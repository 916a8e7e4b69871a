"""Reads the lines that were appended to a file since the last call, and only whole lines.

The position is always the start of the first incomplete line: a partial line is read again when
the rest of it has come. Nothing is kept between two calls. A file that was replaced is first read
to its end.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

CHUNK_BYTES = 2**20
LINE_BYTES_MAX = 64 * 2**20
"""a longer line is left out and counted, so that the memory is bounded"""


class Tail:
    """The lines of one file, as they come."""

    def __init__(
        self, path: Path, *, chunk_bytes: int = CHUNK_BYTES, line_bytes_max: int = LINE_BYTES_MAX
    ) -> None:
        self._path = path
        self._chunk_bytes = chunk_bytes
        self._line_bytes_max = line_bytes_max
        self._file: int | None = None
        self._position = 0
        self._is_in_long_line = False
        self.too_long = 0
        """number of lines that were left out"""

    def lines(self) -> Iterator[str]:
        """The whole lines since the last call; none where the file does not exist yet.

        Bytes that are not UTF-8 are replaced.
        """
        while True:
            if self._file is None:
                self._open()
            if self._file is None:
                return
            # Before the last read: lines that come later are read from the new file.
            is_replaced = self._is_replaced()
            yield from self._new_lines()
            if not is_replaced:
                return
            self.close()

    def close(self) -> None:
        """Close the file; the next call begins at its start."""
        if self._file is not None:
            os.close(self._file)
        self._file = None
        self._position = 0
        self._is_in_long_line = False

    def _open(self) -> None:
        try:
            file = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return
        if stat.S_ISREG(os.fstat(file).st_mode):
            self._file = file
        else:
            os.close(file)

    def _is_replaced(self) -> bool:
        """Whether another file has this path now; a removed file is only removed."""
        assert self._file is not None
        try:
            current = self._path.lstat()
        except OSError:
            return False
        return not os.path.samestat(os.fstat(self._file), current)

    def _new_lines(self) -> Iterator[str]:
        assert self._file is not None
        self._position = min(self._position, os.fstat(self._file).st_size)
        waiting = bytearray()
        while chunk := os.pread(self._file, self._chunk_bytes, self._position + len(waiting)):
            waiting += chunk
            end = waiting.rfind(b"\n") + 1
            if end:
                whole = bytes(waiting[:end])
                del waiting[:end]
                self._position += end
                yield from self._split(whole)
            if len(waiting) > self._line_bytes_max:
                self._position += len(waiting)
                self.too_long += not self._is_in_long_line
                self._is_in_long_line = True
                waiting.clear()

    def _split(self, whole: bytes) -> Iterator[str]:
        lines = whole.split(b"\n")[:-1]
        if self._is_in_long_line:
            self._is_in_long_line = False
            del lines[0]
        for line in lines:
            if line:
                yield line.decode(errors="replace")
