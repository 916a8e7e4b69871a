"""One command on a node of a step: the received lines, and the end of its output."""

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from seatrial.launchers.frames import ERROR_LINE, ERROR_PART, EXIT, LINE, PART, Frame
from seatrial.streams import SSH_FAILED


@dataclass(frozen=True)
class Receivers:
    """The receivers of a command's output."""

    receive: Callable[[str], None]
    end: Callable[[int, str], None]


@dataclass
class GroupCommand:
    """A command on a node, as received."""

    node: str
    stream: int
    lines: "queue.Queue[str | None]" = field(default_factory=queue.Queue)
    """lines of its output without a reader; None is the end"""
    listener: Receivers | None = None
    """takes the lines in place of the queue"""
    delivery: threading.Lock = field(default_factory=threading.Lock)
    """held while a line is delivered, so that lines keep their order"""
    line_start: str = ""
    """received parts of an unfinished line"""
    errors: list[str] = field(default_factory=list)
    exit_code: int = SSH_FAILED
    ended: threading.Event = field(default_factory=threading.Event)
    ending: threading.Lock = field(default_factory=threading.Lock)

    def take(self, frame: Frame) -> None:
        """Record a line of its node."""
        if frame.kind == PART:
            self.line_start += frame.text
        elif frame.kind == LINE:
            self._deliver(f"{self.line_start}{frame.text}\n")
            self.line_start = ""
        elif frame.kind == ERROR_PART:
            self.errors.append(frame.text)
        elif frame.kind == ERROR_LINE:
            self.errors.append(f"{frame.text}\n")
        elif frame.kind == EXIT:
            self.end(int(frame.text))

    def end(self, exit_code: int, reason: str = "") -> None:
        """Record the end; only the first one counts."""
        with self.ending:
            if self.ended.is_set():
                return
            if self.line_start:
                self._deliver(self.line_start)
            if reason:
                self.errors.append(f"{reason}\n")
            self.exit_code = exit_code
            self.ended.set()
        self._deliver(None)

    def listen(self, listener: Receivers) -> None:
        """Pass the received lines and all later ones to a listener."""
        with self.delivery:
            while not self.lines.empty():
                self._pass_on(listener, self.lines.get())
            self.listener = listener

    def _deliver(self, line: str | None) -> None:
        with self.delivery:
            if self.listener is None:
                self.lines.put(line)
            else:
                self._pass_on(self.listener, line)

    def _pass_on(self, listener: Receivers, line: str | None) -> None:
        if line is None:
            listener.end(self.exit_code, self.stderr)
        else:
            listener.receive(line.rstrip("\n"))

    @property
    def stderr(self) -> str:
        """Its standard error so far."""
        return "".join(self.errors)

    def stdout(self) -> str:
        """All of its output without a reader; only after its end.

        The mark of the end may arrive after `ended` is set: no reader may wait for it here.
        """
        texts = []
        with self.delivery:
            while not self.lines.empty():
                texts.append(self.lines.get() or "")
        return "".join(texts)
