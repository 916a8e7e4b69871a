"""The faults of a study with their expectations, and the streams that run during them."""

import math
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from seatrial.basics.errors import suggestion
from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Duration, Model, Nodes, Size
from seatrial.basics.text import Name
from seatrial.basics.units import good_multiples
from seatrial.study.consistency_kinds import known_kind
from seatrial.study.profiles import (
    ALL_PROFILES,
    CHANGES_MEANING,
    COMMON_PROFILES,
    PAPER_MEANING,
    PROFILES_MEANING,
    Profiles,
    checked_item,
)
from seatrial.study.timers import LimitKey
from seatrial.study.workload import Workload, reads_data

RECOVERY_TIMEOUT_S = 120.0
REPEAT_MAX = 1000
StreamPhase = Literal["write", "read", "mixed", "create", "mkdir"]

STORAGE_ERRORS = (
    *("EPERM", "ENOENT", "EINTR", "EIO", "ENXIO", "EBADF", "EAGAIN", "ENOMEM", "EACCES"),
    *("EBUSY", "EEXIST", "EXDEV", "ENODEV", "ENOTDIR", "EISDIR", "EINVAL", "ENFILE", "EMFILE"),
    *("ETXTBSY", "EFBIG", "ENOSPC", "EROFS", "EMLINK", "EPIPE", "EDEADLK", "ENAMETOOLONG"),
    *("ENOLCK", "ENOSYS", "ENOTEMPTY", "ELOOP", "ENODATA", "EOVERFLOW", "EOPNOTSUPP"),
    *("ECONNABORTED", "ECONNRESET", "ENOTCONN", "ESHUTDOWN", "ETIMEDOUT", "ECONNREFUSED"),
    *("EHOSTDOWN", "ESTALE", "EREMOTEIO", "EDQUOT"),
)
"""symbols of errors that the agent knows (crates/job/src/errno.rs)"""


def _known_error(symbol: str) -> str:
    if symbol not in STORAGE_ERRORS:
        meant = suggestion(symbol, list(STORAGE_ERRORS), "write one such as ENOSPC, EDQUOT or EIO")
        raise ValueError(f"{symbol!r} is not an error that storage gives; {meant}")
    return symbol


class Copy(Model):
    """`copy: {size: 8MiB, part: 256KiB, block: 64KiB, pause: 1s}`: dd's own idea of a load."""

    size: Size = Field(
        8 * 2**20,
        ge=4096,
        description="Size of the generated file. After it the next copy begins.",
    )
    part: Size = Field(
        256 * 1024,
        ge=4096,
        description="Bytes that one dd copies and syncs, with `conv=fsync`.",
    )
    block: Size = Field(64 * 1024, ge=512, description="Block size of dd, `bs=`.")
    pause: Duration = Field(1.0, ge=0.01, description="Pause after each part.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        part_unit_bytes = math.lcm(self.block, 4096)
        if self.part % part_unit_bytes:
            better = good_multiples(self.part, part_unit_bytes)
            raise ValueError(f"part must be whole blocks and whole 4 KiB; write {better}")
        if self.size % self.part:
            raise ValueError(
                f"size must be whole parts; write {good_multiples(self.size, self.part)}"
            )
        return self

    def stored_bytes(self, duration_s: float) -> int:
        """Bytes that the storage can hold after `duration_s`.

        It counts one part for each pause, as if the copy of a part took no time.
        """
        return self.part * math.ceil(duration_s / self.pause)


class Stream(Model):
    """A load that runs over a fault on each of its clients; a consistency test of all of them; or a
    copy by one.
    """

    workload: Workload | None = Field(
        None,
        description=(
            "A workload as in `experiments`, with one phase. Phases that read need `prepare: true`."
        ),
    )
    consistency_test: Annotated[str, AfterValidator(known_kind)] | None = Field(
        None,
        description="Instead of a workload: a consistency test of all clients in one directory.",
    )
    arrivals_per_s: float | None = Field(
        None,
        gt=0,
        le=1000,
        description="With `consistency_test`, required: turns per second of each client.",
    )
    copy_of: Copy | None = Field(
        None,
        alias="copy",
        description=(
            "Instead of a workload: dd copies a file in parts, and another client verifies it."
        ),
    )
    clients: Nodes | None = Field(
        None,
        description="Clients that the stream runs on. By default all.",
    )
    mount: Annotated[
        str | None,
        BeforeValidator(
            lambda value: None if value is None else str(value),
            json_schema_input_type=str | float | None,
        ),
    ] = Field(
        None,
        description="The mount that it uses, where the solution has several. By default the first.",
    )
    profiles: Profiles = Field(ALL_PROFILES, description=PROFILES_MEANING)
    trial: dict[str, Any] | None = Field(None, description=CHANGES_MEANING)
    quick: dict[str, Any] | None = Field(None, description=CHANGES_MEANING)
    paper: dict[str, Any] | None = Field(None, description=PAPER_MEANING)

    @model_validator(mode="before")
    @classmethod
    def _profiles_fit(cls, data: Any) -> Any:
        return checked_item(data)

    @property
    def phase(self) -> str:
        """The one thing that it does."""
        return self.consistency_test or (self.workload.phases[0] if self.workload else "copy")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if [self.workload, self.consistency_test, self.copy_of].count(None) != 2:
            raise ValueError("a stream has one of workload, consistency_test and copy")
        if (self.consistency_test is None) != (self.arrivals_per_s is None):
            if self.consistency_test:
                missing = "a consistency test needs arrivals_per_s, the turns per second per client"
                raise ValueError(missing)
            raise ValueError("write arrivals_per_s of a workload in the workload")
        return self

    @model_validator(mode="after")
    def _one_phase(self) -> Self:
        if self.workload is None:
            return self
        phases = self.workload.phases
        if len(phases) != 1 or phases[0] not in get_args(StreamPhase):
            raise ValueError(f"a stream has one phase: {', '.join(get_args(StreamPhase))}")
        if reads_data(phases[0]) and not self.workload.prepare:
            raise ValueError(f"{phases[0]} needs existing files: write prepare: true")
        if self.workload.local:
            raise ValueError("a stream runs on clients, not on the server itself")
        return self

    def runs_on(self, everyone: tuple[str, ...]) -> tuple[str, ...]:
        """Its clients; by default every client of the solution."""
        return tuple(expand(self.clients)) if self.clients else everyone

    def stored_bytes(self, nodes: int, duration_s: float) -> int:
        """Bytes that the stream can have on the storage after `duration_s`, on `nodes` nodes.

        The few kilobytes of a consistency test do not count.
        """
        if self.copy_of is not None:
            return self.copy_of.stored_bytes(duration_s)
        return self.workload.stored_bytes(nodes) if self.workload else 0

    def shortest_s(self) -> float | None:
        """Least time in which an open loop completes all its operations; None for a closed loop."""
        load = self.workload
        if load is None or load.arrivals_per_s is None:
            return None
        if load.time_based:
            return load.time_limit
        operations = load.items if load.metadata_phases else load.file_size // load.transfer_size
        return operations * load.tasks / load.arrivals_per_s


class Expected(Model):
    """What should happen."""

    fails_over: bool | Literal["may"] | tuple[str, ...] = Field(
        False,
        description=(
            "Whether a service fails over. For several services, the names of those that "
            "fail over, and no other."
        ),
    )
    outage: LimitKey | None = Field(
        None,
        description=(
            "Longest time that any client may be without an answer: a time, or the sum of these"
            " keys."
        ),
    )
    target: Duration | None = Field(
        None,
        description=(
            "Outage that is aimed at. It is reported as met or missed and has no effect on a"
            " verdict."
        ),
    )
    errors: tuple[Annotated[str, AfterValidator(_known_error)], ...] = Field(
        (),
        description=(
            "Errors that clients may get, such as `ENOSPC`. Their streams continue, and "
            "the check `faults` accepts them."
        ),
    )
    min_stall: Duration | None = Field(
        None,
        description=(
            "Shortest time without an answer for a client with data, between injection "
            "and repair, for the check `faults`."
        ),
    )
    blocks: bool = Field(
        False,
        description=(
            "From injection to repair no server may start the service or write, and no client gets"
            " an answer."
        ),
    )
    detected_by: Annotated[
        tuple[Name, ...],
        BeforeValidator(
            lambda value: [value] if isinstance(value, str) else value,
            json_schema_input_type=str | tuple[str, ...],
        ),
    ] = Field(
        (),
        description=(
            "Negative control: the checks that must find damage. Only they and `faults` count this"
            " fault."
        ),
    )

    @model_validator(mode="after")
    def _goal_has_a_limit(self) -> Self:
        if self.target is not None and self.outage is None:
            raise ValueError("target needs outage, the limit that decides")
        if self.min_stall is not None and self.detected_by:
            raise ValueError("detected_by alone judges a negative control; leave min_stall out")
        return self


class Fault(Model):
    """One fault. The options of its kind are further keys of the same mapping."""

    model_config = ConfigDict(frozen=True, extra="allow")
    title: str | None = Field(None, description="Title in the report. By default that of the kind.")
    kind: str = Field(description="The kind of fault. Its options are written next to these keys.")
    duration: Duration | None = Field(
        None,
        description="Time from the injection to the repair. The default depends on the kind.",
    )
    recovery_timeout: Duration = Field(
        RECOVERY_TIMEOUT_S,
        description=(
            "Longest time from the repair until the system is healthy and no fencing is pending."
        ),
    )
    observe: Duration = Field(
        0.0,
        description=(
            "Shortest time for which the background load runs before the injection, and "
            "again after the recovery, for the check `degraded`."
        ),
    )
    published: str | None = Field(
        None,
        description="Row of the published fault table that the fault repeats.",
    )
    overrides: dict[str, Any] = Field(
        default_factory=dict,
        description=(
            "Values that differ from the study during the fault, by path: `{solution.timers:"
            " {preset: ceph}}`."
        ),
    )
    active: Name | dict[Name, Name] | None = Field(
        None,
        description=(
            "Server that runs the first service at injection, or one per service, "
            "`{SERVICE: SERVER}`. By default unchanged."
        ),
    )
    expect: Expected = Field(Expected(), description="The expected behaviour.")
    repeat: int = Field(
        1,
        ge=1,
        le=REPEAT_MAX,
        description=(
            "Number of injections. Each is a fault with its number in its name: `crash-01`,"
            " `crash-02`."
        ),
    )
    profiles: Profiles = Field(COMMON_PROFILES, description=PROFILES_MEANING)
    trial: dict[str, Any] | None = Field(None, description=CHANGES_MEANING)
    quick: dict[str, Any] | None = Field(None, description=CHANGES_MEANING)
    paper: dict[str, Any] | None = Field(None, description=PAPER_MEANING)

    @model_validator(mode="before")
    @classmethod
    def _profiles_fit(cls, data: Any) -> Any:
        return checked_item(data)

    def options(self) -> dict[str, Any]:
        """What the kind reads."""
        return dict(self.model_extra or {})
