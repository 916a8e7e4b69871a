"""A published result as data: what somebody else measured and claimed (`published/README.md` has
the schema).
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from seatrial.basics.schema import validate
from seatrial.basics.yamlfile import parse_yaml

FIGURES = ("approx", "value", "min", "max")
NEEDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "trend": (("direction",),),
    "bound": (("value",), ("op",)),
    "range": (("min",), ("max",)),
    "order": (("order",),),
    "ratio": (FIGURES,),
    "optimum": (("best",),),
    "delta": (FIGURES,),
    "property": (),
}
"""by form of a claim: its keys; of those that stand together one is needed"""


class _Open(BaseModel):
    """Facts for people stand beside those that are judged."""

    model_config = ConfigDict(extra="allow")


class _Form(_Open):
    type: Literal["trend", "bound", "range", "order", "ratio", "optimum", "delta", "property"]
    op: Literal["<", "<=", "~", ">=", ">"] | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = self.model_fields_set
        for names in NEEDS[self.type]:
            if given.isdisjoint(names):
                raise ValueError(f"a {self.type} needs {' or '.join(names)}")
        return self


class _Claim(_Open):
    id: str
    statement: str
    form: _Form


class _Fault(_Open):
    id: str


def _each_once(experiments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A table or figure that stands twice would be told by one of its entries alone."""
    ids = [item.get("id") for item in experiments]
    twice = [name for index, name in enumerate(ids) if name is not None and name in ids[:index]]
    if twice:
        raise ValueError(f"the id {twice[0]!r} is written twice; give each experiment its own")
    return experiments


class _Published(_Open):
    claims: list[_Claim] | None = None
    faults: list[_Fault] | None = None
    experiments: Annotated[list[dict[str, Any]], AfterValidator(_each_once)] = Field(
        default_factory=list
    )


def published_result(text: str, path: Path) -> dict[str, Any]:
    """The result in `text`; InputError names every claim that nobody could judge, with its place in
    `path`.

    YAML 1.2: under 1.1 a speedup of 2:1 is 121.
    """
    source = parse_yaml(text, path)
    validate(_Published, source.data, source)
    return dict(source.data)
