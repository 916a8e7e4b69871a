"""An observer that also writes the progress of a run into its live file."""

from dataclasses import dataclass

from seatrial.result.live import LiveFile
from seatrial.service.session import Observer


@dataclass(frozen=True)
class Followed:
    """Passes everything to another observer, and messages and expected times to the live file."""

    observer: Observer
    live: LiveFile

    def say(self, text: str) -> None:
        """See `Observer`."""
        self.live.message(text)
        self.observer.say(text)

    def detail(self, text: str) -> None:
        """See `Observer`."""
        self.observer.detail(text)

    def expect(self, remaining_s: float) -> None:
        """See `Observer`."""
        self.live.expected(remaining_s)
        self.observer.expect(remaining_s)

    def progress(self, title: str, share: float, rate: str) -> None:
        """See `Observer`."""
        self.observer.progress(title, share, rate)
