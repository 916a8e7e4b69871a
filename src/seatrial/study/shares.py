"""The properties that a study shares with the system that it represents, and those it does not.

The report lists them point by point.
"""

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field

from seatrial.basics.schema import Model
from seatrial.basics.text import plain
from seatrial.basics.yamlfile import Mistake

HEAD_MAX = 63
"""letters of the head of a row or a column"""
CELL_MAX = 255
SOLUTIONS_MAX = 4
"""columns that fit on a sheet of paper"""
POINTS_MAX = 40

_LINE = r"\S(?:.*\S)?"
Head = Annotated[
    str,
    AfterValidator(
        plain(
            "title of a row or a column, which is one line",
            _LINE,
            "clients without disks",
            HEAD_MAX,
        )
    ),
    Field(json_schema_extra={"minLength": 1, "maxLength": HEAD_MAX}),
]
Cell = Annotated[
    str,
    AfterValidator(plain("answer, which is one line", _LINE, "yes, objects of 1 MiB", CELL_MAX)),
    Field(json_schema_extra={"minLength": 1, "maxLength": CELL_MAX}),
]


class SharedPoint(Model):
    """`{point: redundancy, system: RAID in the arrays, solutions: [copies on other servers]}`."""

    point: Head = Field(description="The property that is compared, at most 63 characters.")
    system: Cell = Field(description="How the system has it: one line of at most 255 characters.")
    solutions: tuple[Cell, ...] = Field(
        description=(
            "How each solution has it, in their order: one line of at most 255 characters each."
        ),
    )


class SharesWith(Model):
    """A system that is not available here, and its substitute."""

    system: Head = Field(
        description="The system that the solutions represent, at most 63 characters.",
    )
    solutions: tuple[Head, ...] = Field(
        min_length=1,
        max_length=SOLUTIONS_MAX,
        description=(
            "What represents the system: the solution of this study, then solutions of other"
            " studies."
        ),
    )
    points: tuple[SharedPoint, ...] = Field(
        min_length=1,
        max_length=POINTS_MAX,
        description="The properties that are compared.",
    )
    note: Cell | None = Field(None, description="Text below the table.")


def shares_mistakes(shares: SharesWith) -> Iterator[Mistake]:
    """Mistakes that only the whole table shows: (where, the mistake and its correction)."""
    count = len(shares.solutions)
    for index, name in enumerate(shares.solutions):
        if name in shares.solutions[:index]:
            yield Mistake(
                ("comparable_to", "solutions", index),
                f"{name!r} is named twice; name every solution once",
            )
    for index, item in enumerate(shares.points):
        if item.point in [before.point for before in shares.points[:index]]:
            twice = f"{item.point!r} is given twice; write every point once"
            yield Mistake(("comparable_to", "points", index, "point"), twice)
        if len(item.solutions) != count:
            mistake = f"{len(item.solutions)} answers for {count} solutions"
            correction = "write one for each, in their order"
            yield Mistake(
                ("comparable_to", "points", index, "solutions"), f"{mistake}; {correction}"
            )
