"""An action as it was carried out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Done:
    """An action that was carried out, with the time before and after it on the common clock."""

    what: str
    part: str
    """inject, repair or after"""
    started_unix_s: float
    ended_unix_s: float
    error: str | None = None
    exit_code: int | None = None
    """of a command, where it answered"""
    seen: tuple[str, ...] = ()
    """what showed at once that it did what it should (`seatrial.record.evidence.Sign`)"""
