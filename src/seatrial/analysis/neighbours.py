"""The looks of clients at the files of their neighbours, as the histories have them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seatrial.analysis.histories import Event, History


@dataclass(frozen=True)
class AnsweredLook:
    """A look that was answered, of one client at the file of another."""

    reader: History
    writer: History
    before: Event | None
    """the look before it by the same reader"""
    event: Event

    @property
    def text(self) -> str:
        """The look in words."""
        return f"{self.reader.client} opened the file of {self.writer.client}"


def answered_looks(histories: Sequence[History]) -> Iterator[AnsweredLook]:
    """Every look that was answered, reader by reader in the order of their histories."""
    by_index = {item.index: item for item in histories}
    for reader in histories:
        before = None
        for event in reader.of("read"):
            writer = by_index.get(event["of"])
            if writer is not None and event["outcome"] != "error":
                yield AnsweredLook(reader, writer, before, event)
            before = event
