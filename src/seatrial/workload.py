"""A workload: what each client does, in the words of IOR, IOzone and fio users (docs/agent.md has the table)."""

from typing import Literal, Self

from pydantic import Field, model_validator

from seatrial.schema import Duration, Model, Size

Pattern = Literal[
    "sequential", "backward", "rewrite", "append", "random", "random-with-replacement", "strided", "semi-random"
]
Layout = Literal["n-n", "1-1", "n-1-segmented", "n-1-interleaved"]
Hint = Literal["sequential", "random", "will-need", "dont-need", "no-reuse"]
ONLY_FOR = {"skip": "strided", "next": "semi-random", "working_set": "semi-random"}


class Workload(Model):
    """An access pattern, a file layout, a record size and a volume."""

    pattern: Pattern = "sequential"
    skip: int | None = Field(None, ge=1, description="strided: records left out between two, until each was touched")
    next: int | None = Field(None, ge=1, description="semi-random: so many records at random ...")
    working_set: int | None = Field(None, ge=1, description="... out of a working set of so many")
    layout: Layout = Field("n-n", description="n-n: a file for each task; n-1: one file, to each its part")
    chunk: Size | None = Field(None, description="n-1-interleaved: bytes of a task's turn; a record by default")
    record: Size = Field(description="bytes of one operation")
    file: Size = Field(description="bytes of each task's file, or of its part of the shared one; not scaled")
    tasks: int = Field(1, ge=1, le=1024, description="threads per client")
    direct: bool = Field(False, description="O_DIRECT: no cache on the client")
    o_sync: bool = Field(False, description="O_SYNC: a write returns when it is durable")
    fsync: Literal["none", "file", "record"] = Field("file", description="as IOzone -e for `file`")
    close_in_timing: bool = Field(True, description="as IOzone -c")
    hints: tuple[Hint, ...] = Field((), description="posix_fadvise on opening")
    hint_ahead: int = Field(0, ge=0, description="announce the record that comes so many operations later")
    queue_depth: int = Field(1, ge=1, le=1024, description="operations of one task under way at once")
    engine: Literal["auto", "plain", "io-uring"] = "auto"
    time_limit: Duration | None = Field(None, description="stop after this time, finished or not")
    arrivals_per_s: float | None = Field(None, gt=0, description="open loop: operations per second of each client")
    prepare: bool = Field(False, description="write the files first, sequentially and unmeasured, and empty all caches")
    phases: tuple[Literal["write", "read"], ...] = ("write", "read")
    read: Literal["neighbour", "own"] = Field("neighbour", description="whose data a client reads")
    verify: bool = Field(True, description="check every block that is read")

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.file % self.record:
            raise ValueError(f"file ({self.file} B) is not a multiple of record ({self.record} B)")
        if self.record & (self.record - 1) or not 512 <= self.record <= 64 * 2**20:
            raise ValueError(f"record is {self.record} B; it must be a power of two from 512 B to 64 MiB")
        for key, pattern in ONLY_FOR.items():
            given = getattr(self, key) is not None
            if given != (self.pattern == pattern):
                raise ValueError(f"{key} belongs to the pattern {pattern}" if given else f"{pattern} needs {key}")
        if self.chunk is not None and (self.layout != "n-1-interleaved" or self.chunk % self.record):
            raise ValueError("chunk belongs to the layout n-1-interleaved and is a multiple of record")
        if self.layout == "1-1" and self.tasks != 1:
            raise ValueError("the layout 1-1 has one task")
        return self
