"""The times that a solution is configured with, by name, and limits that are stated as sums of
them.

A measured limit is valid only on the machine of the measurement. A sum of timers is valid wherever
the timers are. The limit states the slowness of a machine as work: starts of a process, and
handshakes. Each costs the time that it takes on the nodes during the same fault
(`seatrial.load.processes`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field, TypeAdapter, WithJsonSchema, model_validator

from seatrial.basics.schema import Duration, Model
from seatrial.basics.units import parse_duration

PROCESSES = "processes"
HANDSHAKES = "handshakes"
WORK = {PROCESSES: "process starts", HANDSHAKES: "handshakes"}
"""work of a machine: its name in a result -> its name in the report"""
_TERM = re.compile(r"(?:(?P<count>[0-9]+) )?(?P<name>[a-z][a-z-]*)")
COUNT_MAX = 1_000_000
"""of a timer, or of starts of processes: a larger number is a typing error"""
_STATED = re.compile(r"(?P<time>[0-9]\S*)(?: \((?P<reason>[^()+]+)\))?")


@dataclass(frozen=True)
class Timer:
    """One of a solution's times."""

    duration_s: float
    source: str
    """the setting or the rule that it comes from: `corosync.conf(5): token + consensus`"""


@dataclass(frozen=True)
class Term:
    """A part of a limit: a multiple of a timer, an amount of work, or a stated time."""

    name: str
    """of a timer; one of `WORK`; or empty, when `stated_s` is the time"""
    count: int = 1
    stated_s: float = 0.0
    reason: str = ""
    """of a stated time: where it comes from"""


class Limit(Model):
    """`{timers: {detection: 1, grace: 2}, process_starts: 400, handshakes: 5, extra: 1s}`: the sum
    of these.

    A time alone, such as `30s`, is short for `{extra: 30s}`.
    """

    timers: dict[str, Annotated[int, Field(ge=1, le=COUNT_MAX)]] = Field(
        default_factory=dict, description="Timers of the solution, and how many times each counts."
    )
    process_starts: int = Field(
        0,
        ge=0,
        le=COUNT_MAX,
        description="Starts of a process, each at its measured cost during the fault.",
    )
    handshakes: int = Field(
        0,
        ge=0,
        le=COUNT_MAX,
        description="New ssh connections, each at its measured cost during the fault.",
    )
    extra: Duration | None = Field(
        None, description="Fixed time, such as the duration of the fault."
    )
    reason: str | None = Field(None, min_length=1, description="Source of the fixed time `extra`.")

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        """A time alone; a sum as text, from an earlier format, is refused with its mapping."""
        if isinstance(data, str):
            mapping = mapping_of(data)
            if mapping is not None:
                raise ValueError(f"a sum is a mapping now; write {mapping}")
        if isinstance(data, dict | Limit):
            return data
        parse_duration(data)  # its error then names the limit, not its key `extra`
        return {"extra": data}

    @model_validator(mode="after")
    def _is_a_limit(self) -> Self:
        if not self.terms:
            raise ValueError(
                "a limit without any part; write a time such as 30s, or timers: {grace: 1}"
            )
        if self.reason is not None and self.extra is None:
            raise ValueError("reason gives the source of `extra`, and there is no extra")
        return self

    @property
    def terms(self) -> tuple[Term, ...]:
        """Its parts: the fixed time, the timers in their order, and work."""
        fixed = (
            [] if self.extra is None else [Term("", stated_s=self.extra, reason=self.reason or "")]
        )
        timers = [Term(name, count) for name, count in self.timers.items()]
        work = [Term(PROCESSES, self.process_starts), Term(HANDSHAKES, self.handshakes)]
        return (*fixed, *timers, *(term for term in work if term.count))

    @property
    def text(self) -> str:
        """In words: `1.5 s (why) + detection + 2 × grace + 400 process starts + 5 handshakes`."""
        return " + ".join(map(_term_text, self.terms))

    def unknown(self, timers: Mapping[str, Timer]) -> list[str]:
        """The names that are no timers of these."""
        return [name for name in self.timers if name not in timers]

    def parts(
        self, timers: Mapping[str, Timer], costs_ms: Mapping[str, float]
    ) -> list[tuple[str, float]]:
        """(description, seconds) of each part; work without a known cost counts as 0 s."""
        return [_part(term, timers, costs_ms) for term in self.terms]


LimitKey = Annotated[
    Limit,
    WithJsonSchema(
        {
            "anyOf": [
                TypeAdapter(Duration).json_schema(),
                Limit.model_json_schema(),
            ]
        }
    ),
]
"""the type of a key that has a limit: the mapping, or a time"""


def _term_text(term: Term) -> str:
    if term.name == "":
        return f"{term.stated_s:g} s{f' ({term.reason})' if term.reason else ''}"
    if term.name in WORK:
        return f"{term.count} {WORK[term.name]}"
    return term.name if term.count == 1 else f"{term.count} × {term.name}"


def mapping_of(text: str) -> str | None:
    """The mapping for a sum that an earlier format wrote as text.

    None for a single time, and for a text that is no sum.
    """
    timers: dict[str, int] = {}
    work: dict[str, int] = {}
    fixed_s: list[float] = []
    reasons: list[str] = []
    for part in text.split("+"):
        stated = _STATED.fullmatch(part.strip())
        term = _TERM.fullmatch(part.strip())
        if stated is not None:
            try:
                fixed_s.append(parse_duration(stated["time"]))
            except ValueError:
                return None
            reasons += [stated["reason"]] if stated["reason"] else []
        elif term is not None:
            counts = work if term["name"] in WORK else timers
            counts[term["name"]] = counts.get(term["name"], 0) + int(term["count"] or 1)
        else:
            return None
    if not timers and not work and not reasons and len(fixed_s) == 1:
        return None
    keys = (
        [f"timers: {{{', '.join(f'{name}: {count}' for name, count in timers.items())}}}"]
        if timers
        else []
    )
    keys += [f"process_starts: {work[PROCESSES]}"] if PROCESSES in work else []
    keys += [f"handshakes: {work[HANDSHAKES]}"] if HANDSHAKES in work else []
    keys += [f"extra: {sum(fixed_s):g}s"] if fixed_s else []
    keys += [f'reason: "{"; ".join(reasons)}"'] if reasons else []
    return f"{{{', '.join(keys)}}}"


def _part(
    term: Term, timers: Mapping[str, Timer], costs_ms: Mapping[str, float]
) -> tuple[str, float]:
    if term.name == "":
        return term.reason or "as stated", term.stated_s
    if term.name in WORK:
        what = f"{term.count} {WORK[term.name]}"
        cost_ms = costs_ms.get(term.name)
        if cost_ms is None:
            return f"{what} of unknown cost", 0.0
        return f"{what} of {cost_ms:.1f} ms", term.count * cost_ms / 1000
    timer = timers[term.name]
    times = f"{term.count} × " if term.count > 1 else ""
    return f"{times}{term.name} ({timer.source})", term.count * timer.duration_s


def sum_words(parts: Sequence[Sequence[Any]]) -> str:
    """`4.4 s detection (token + consensus) + 6.0 s 400 process starts of 15.0 ms`."""
    return " + ".join(f"{seconds:.1f} s {what}" for what, seconds in parts)


def detection(token_ms: int) -> Timer:
    """How long a corosync cluster takes to agree that a member is lost."""
    return Timer(
        2.2 * token_ms / 1000, f"corosync.conf(5): token {token_ms} ms, consensus 1.2 times that"
    )


def iscsi_probe(interval_s: int) -> Timer:
    """How long an idle iSCSI session may be dead before its initiator knows."""
    return Timer(
        2.0 * interval_s, f"open-iscsi: a NOP-Out each {interval_s} s, its answer awaited as long"
    )


def iscsi_replacement(replacement_s: int) -> Timer:
    """How long commands wait for a session that is known to be dead."""
    return Timer(float(replacement_s), f"open-iscsi: replacement_timeout {replacement_s} s")


TIMEO_DEFAULT = 600
"""tenths of a second, over TCP (nfs(5))"""


def retransmission(options: Sequence[str]) -> Timer:
    """How long a client waits before it asks again over a connection that has taken its request
    (nfs(5), timeo).
    """
    values = [option.removeprefix("timeo=") for option in options if option.startswith("timeo=")]
    timeo = int(values[-1]) if values and values[-1].isdigit() else TIMEO_DEFAULT
    return Timer(timeo / 10, f"nfs(5): timeo={timeo}")
