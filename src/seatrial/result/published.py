"""A published result as data: the measurements and claims of a publication (`published/README.md`
has the schema).
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from seatrial.basics.errors import not_known
from seatrial.basics.plugins import Plugins
from seatrial.basics.schema import validate
from seatrial.basics.yamlfile import parse_yaml

FIGURES = ("approx", "value", "min", "max")
"""keys with a figure; a claim of some kinds needs one of them"""
CLAIM_KINDS = Plugins("seatrial.judge.claims", "seatrial.claims", ("judge",))


def _known_kind(name: str) -> str:
    """The same word; ValueError where no kind of claim has this name."""
    if name not in CLAIM_KINDS.names():
        raise ValueError(not_known(name, CLAIM_KINDS.names()))
    return name


def needed_keys(name: str) -> tuple[tuple[str, ...], ...]:
    """The keys that a kind of claim needs (`NEEDED`); one key of each group is required."""
    needed: tuple[tuple[str, ...], ...] = getattr(CLAIM_KINDS.load(name), "NEEDED", ())
    return needed


class _Open(BaseModel):
    """Facts for readers are next to those that are judged."""

    model_config = ConfigDict(extra="allow")


class _Form(_Open):
    type: Annotated[str, AfterValidator(_known_kind)]
    op: Literal["<", "<=", "~", ">=", ">"] | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        present_keys = self.model_fields_set
        for names in needed_keys(self.type):
            if present_keys.isdisjoint(names):
                raise ValueError(f"a {self.type} needs {' or '.join(names)}")
        return self


class _Claim(_Open):
    id: str
    statement: str
    form: _Form


class _Fault(_Open):
    id: str


def _each_once(experiments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A table or figure that occurs twice would be judged by only one of its entries."""
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
    """The result in `text`; InputError names every claim that cannot be judged, with its place in
    `path`.

    YAML 1.2: under 1.1 a speedup of 2:1 is 121.
    """
    source = parse_yaml(text, path)
    validate(_Published, source.data, source)
    return dict(source.data)
