"""The times that a solution is configured with, by name, and limits that are stated as sums of them.

A limit that was found by measuring holds on the machine that it was measured on. One that is a sum of timers holds
wherever the timers do; what a machine's own slowness adds is stated as work, in starts of a process and in handshakes,
and each is charged at what it costs on the nodes during that very fault (`seatrial.load.processes`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, core_schema

from seatrial.basics.units import parse_duration

PROCESSES, HANDSHAKES = "processes", "handshakes"
WORK = {PROCESSES: "process starts", HANDSHAKES: "handshakes"}
"""what a machine is charged for, as a limit writes it and as it is told"""
_TERM = re.compile(r"(?:(?P<count>[0-9]+) )?(?P<name>[a-z][a-z-]*)")
_STATED = re.compile(r"(?P<time>[0-9]\S*)(?: \((?P<reason>[^()+]+)\))?")


@dataclass(frozen=True)
class Timer:
    """One of a solution's times."""

    duration_s: float
    source: str
    """the setting or the rule that it comes from: `corosync.conf(5): token + consensus`"""


@dataclass(frozen=True)
class Term:
    """A part of a limit: so many times a timer, so much work, or a time that is stated."""

    name: str
    """of a timer; one of `WORK`; or empty, where `stated_s` says it"""
    count: int = 1
    stated_s: float = 0.0
    reason: str = ""
    """of a stated time: where it comes from"""


@dataclass(frozen=True)
class Limit:
    """`detection + grace + 400 processes`, or just `30s`."""

    text: str
    terms: tuple[Term, ...]

    def unknown(self, timers: Mapping[str, Timer]) -> list[str]:
        """The names that are no timers of these."""
        return [term.name for term in self.terms if term.name not in ("", *WORK, *timers)]

    def parts(self, timers: Mapping[str, Timer], costs_ms: Mapping[str, float]) -> list[tuple[str, float]]:
        """(what it is, seconds) of each term; costs by kind of `WORK`, and what nobody could measure counts as none."""
        return [_part(term, timers, costs_ms) for term in self.terms]

    @classmethod
    def parse(cls, text: object) -> "Limit":
        """ValueError when it is no sum of times."""
        if isinstance(text, Limit):
            return text
        return cls(str(text), tuple(_term(part.strip()) for part in str(text).split("+")))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls.parse, serialization=core_schema.plain_serializer_function_ser_schema(lambda limit: limit.text)
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {
            "type": "string",
            "format": "sum of times",
            "examples": ["30s", "detection + fencing + grace + 400 processes"],
        }


def _term(text: str) -> Term:
    if stated := _STATED.fullmatch(text):
        return Term("", stated_s=parse_duration(stated["time"]), reason=stated["reason"] or "")
    match = _TERM.fullmatch(text)
    if match is None:
        raise ValueError(
            f"{text!r} is no time; write it like 30s, 1s (why), grace, 2 probe or 400 processes, joined by +"
        )
    if match["name"] in WORK and match["count"] is None:
        raise ValueError(f"say how many: 400 {match['name']}")
    return Term(match["name"], int(match["count"] or 1))


def _part(term: Term, timers: Mapping[str, Timer], costs_ms: Mapping[str, float]) -> tuple[str, float]:
    if term.name == "":
        return term.reason or "as stated", term.stated_s
    if term.name in WORK:
        what, cost_ms = f"{term.count} {WORK[term.name]}", costs_ms.get(term.name)
        if cost_ms is None:
            return f"{what}, whose cost is not known", 0.0
        return f"{what} of {cost_ms:.1f} ms", term.count * cost_ms / 1000
    timer = timers[term.name]
    times = f"{term.count} × " if term.count > 1 else ""
    return f"{times}{term.name} ({timer.source})", term.count * timer.duration_s


def sum_words(parts: Sequence[Sequence[Any]]) -> str:
    """`4.4 s detection (token + consensus) + 6.0 s 400 process starts of 15.0 ms`."""
    return " + ".join(f"{seconds:.1f} s {what}" for what, seconds in parts)


def detection(token_ms: int) -> Timer:
    """How long a corosync cluster takes to agree that a member is lost."""
    return Timer(2.2 * token_ms / 1000, f"corosync.conf(5): token {token_ms} ms, consensus 1.2 times that")


def iscsi_probe(interval_s: int) -> Timer:
    """How long an idle iSCSI session may be dead before its initiator knows."""
    return Timer(2.0 * interval_s, f"open-iscsi: a NOP-Out each {interval_s} s, its answer awaited as long")


def iscsi_replacement(replacement_s: int) -> Timer:
    """How long commands wait for a session that is known to be dead."""
    return Timer(float(replacement_s), f"open-iscsi: replacement_timeout {replacement_s} s")


TIMEO_DEFAULT = 600
"""tenths of a second, over TCP (nfs(5))"""


def retransmission(options: Sequence[str]) -> Timer:
    """How long a client waits before it asks again over a connection that has taken its request (nfs(5), timeo)."""
    said = [option.removeprefix("timeo=") for option in options if option.startswith("timeo=")]
    timeo = int(said[-1]) if said and said[-1].isdigit() else TIMEO_DEFAULT
    return Timer(timeo / 10, f"nfs(5): timeo={timeo}")
