"""An executed action."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Done:
    """An executed action, with the time before and after it on the common clock."""

    what: str
    part: str
    """inject, repair or after"""
    started_unix_s: float
    ended_unix_s: float
    error: str | None = None
    exit_code: int | None = None
    """of a command, where it answered"""
    output: str | None = None
    """the result's file with the output of a command of the site"""
    seen: tuple[str, ...] = ()
    """immediate evidence of its effect (`seatrial.result.evidence.Sign`)"""
