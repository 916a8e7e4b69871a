"""How a study covers the paper of its published result: a row for each item of the paper.

`published/ID.yaml` has the items with their text and source lines. `studies/ID/paper.yaml` has the
rows. `scripts/paper_pages.py` makes a page of both.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from seatrial.basics.errors import InputError
from seatrial.basics.schema import Model, validate
from seatrial.basics.text import Identity
from seatrial.basics.yamlfile import load_yaml

Status = Literal["done", "differs", "not done", "not in a lab"]
SECTIONS = (
    "experiments",
    "faults",
    "hardware",
    "settings",
    "deployment",
    "workloads",
    "limits",
    "advice",
)
"""the lists of a published result that need a row for each item"""
PARTS = ("experiment", "fault", "option", "step", "verb", "chapter", "page")
"""the keys of a place; it has at most one"""


class Place(Model):
    """A part of Seatrial that covers an item: one key of `PARTS`, or a whole study."""

    study: Identity | None = Field(None, description="The study. By default that of the file.")
    experiment: str | None = Field(None, description="Name of an experiment.")
    variant: str | None = Field(None, description="With `experiment`: name of a variant.")
    fault: str | None = Field(None, description="Name of a fault.")
    option: str | None = Field(None, description="Path of a key that the study sets.")
    step: str | None = Field(None, description="Text of a step of the plan, or of its script.")
    verb: str | None = Field(None, description="A command of Seatrial, without `seatrial`.")
    chapter: str | None = Field(None, description="A chapter of the report.")
    page: str | None = Field(None, description="A page in `docs`, with or without a heading.")

    @model_validator(mode="after")
    def _one_part(self) -> Self:
        parts = [name for name in PARTS if getattr(self, name) is not None]
        if len(parts) > 1 or not (parts or self.study):
            raise ValueError(f"give one of {', '.join(PARTS)}, or a study")
        if self.variant is not None and self.experiment is None:
            raise ValueError("a variant needs its experiment")
        return self


class Row(Model):
    """How an item of a paper is covered."""

    status: Status = Field(description="Whether the item is covered as the paper has it.")
    where: tuple[Place, ...] = Field((), description="The parts of Seatrial that cover the item.")
    reason: str | None = Field(
        None,
        description="The difference, or why the item is not covered. Optional for `done`.",
    )

    @model_validator(mode="after")
    def _explained(self) -> Self:
        if self.status != "done" and not self.reason:
            raise ValueError(f"the status {self.status!r} needs a reason")
        return self


class Note(Model):
    """Advice for a system of today that the paper does not give, or gives in another form."""

    title: str = Field(description="Heading.")
    text: str = Field(description="Markdown.")


class Paper(Model):
    """The rows of one paper, by list of the published result and by identifier."""

    schema_: Literal["paper/1"] = Field(alias="schema", description="The version of the format.")
    experiments: dict[str, Row] = Field(description="Figures, tables and measured sentences.")
    faults: dict[str, Row] = Field({}, description="Failures.")
    hardware: dict[str, Row] = Field(
        description="Hardware and software by layer; `clients`, `links`, `layout` of the storage."
    )
    settings: dict[str, Row] = Field(description="Settings of the tested system.")
    deployment: dict[str, Row] = Field({}, description="Steps of the deployment.")
    workloads: dict[str, Row] = Field(description="Benchmarks and their command lines.")
    limits: dict[str, Row] = Field({}, description="Numbers of products that were not measured.")
    advice: dict[str, Row] = Field(description="Recommendations.")
    claims: dict[str, Row] = Field(
        {},
        description="Conclusions for which the study has neither a series nor a fault.",
    )
    answered_after_report: tuple[str, ...] = Field(
        (),
        description=(
            "Claims with an answer that is newer than the report of the gallery. Remove them when "
            "the gallery is renewed."
        ),
    )
    notes: tuple[Note, ...] = Field((), description="Advice for a system of today.")

    def rows(self, section: str) -> dict[str, Row]:
        """The rows of one of `SECTIONS`."""
        return dict(getattr(self, section))


def identity_of(section: str, item: Mapping[str, Any]) -> str:
    """The identifier of an item of a published result: the number of a deployment step, else the
    id.
    """
    return f"step-{item['step']}" if section == "deployment" else str(item["id"])


def load_paper(path: Path, facts: Mapping[str, Any]) -> Paper:
    """The rows in `path` of the published result `facts`.

    InputError names each item without a row, and each row without an item.
    """
    source = load_yaml(path)
    paper = validate(Paper, source.data, source)
    mistakes = [line for section in SECTIONS for line in _unmatched(paper, section, facts)]
    if mistakes:
        raise InputError("\n".join(f"{path}: {line}" for line in mistakes))
    return paper


def _unmatched(paper: Paper, section: str, facts: Mapping[str, Any]) -> list[str]:
    items = [identity_of(section, item) for item in items_of(section, facts)]
    rows = paper.rows(section)
    missing = [f"{section}: {name} has no row" for name in items if name not in rows]
    return missing + [f"{section}: the paper has no {name}" for name in rows if name not in items]


def items_of(section: str, facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The items of one of `SECTIONS` in a published result.

    `hardware` has an item for each layer of its components, and one for each of the clients, the
    links and the layout of the storage.
    """
    system = facts["system"]
    if section != "hardware":
        return list((system if section == "limits" else facts).get(section) or [])
    layers = list(dict.fromkeys(part["layer"] for part in system["components"]))
    parts = {
        layer: [part for part in system["components"] if part["layer"] == layer] for layer in layers
    }
    parts["clients"] = facts["clients"]
    parts["links"] = system["topology"]
    parts["layout"] = system["storage_layout"]
    return [{"id": name, "parts": list(items)} for name, items in parts.items() if items]
