"""A published result as data: what somebody else measured and claimed (`published/README.md` has the schema)."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

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


class _Published(_Open):
    claims: list[_Claim] | None = None
    faults: list[_Fault] | None = None
    experiments: list[dict[str, Any]] = Field(default_factory=list)


def published_result(text: str, path: Path) -> dict[str, Any]:
    """The result in `text`; InputError names every claim that nobody could judge, with its place in `path`.

    YAML 1.2: under 1.1 a speedup of 2:1 is 121.
    """
    source = parse_yaml(text, path)
    validate(_Published, source.data, source)
    return dict(source.data)
