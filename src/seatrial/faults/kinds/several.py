"""`kind: several`: several faults at the same time. Each begins while the earlier ones last."""

from typing import Literal

from pydantic import ConfigDict, Field, ValidationError, model_validator

from seatrial.basics.schema import Duration, Model
from seatrial.basics.yamlfile import dotted
from seatrial.faults.base import Actions, Scene, combination_words, fault_kind
from seatrial.faults.combined import at_once

TITLE = "several faults at once"
WORD = "several"
DURATION_S = 30.0
COMBINATION = "several"


class Part(Model):
    """A fault inside another: its kind, and that kind's own options."""

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: str = Field(description="The kind of fault. Its options are written next to it.")

    @model_validator(mode="after")
    def _no_nest(self) -> "Part":
        combination = combination_words(self.kind)
        if combination:
            raise ValueError(f"a part cannot be {combination} itself")
        return self

    def options(self) -> Model:
        """The options as validated by the kind; raises ValueError when they are wrong."""
        try:
            return fault_kind(self.kind).Options.model_validate(self.model_extra or {})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = dotted(first["loc"])
            raise ValueError(
                f"{self.kind}: {where}: {first['msg']}".replace(": : ", ": ")
            ) from None

    def actions(self, scene: Scene) -> Actions:
        """The actions of the part."""
        return fault_kind(self.kind).actions(self.options(), scene)


class Options(Model):
    """`{parts: [{kind: fence-device, ...}, {kind: panic}], delay: 5s}`."""

    parts: tuple[Part, ...] = Field(
        min_length=2,
        description="The faults, in the order in which they begin.",
    )
    delay: Duration = Field(0.0, description="Time from each fault to the next.")
    repaired: Literal["last-first", "first-first"] = Field(
        "last-first",
        description="Order of the repairs.",
    )


def actions(options: Options, scene: Scene) -> Actions:
    """All actions, with the roles from before the first."""
    parts = [part.actions(scene) for part in options.parts]
    return at_once(parts, options.delay, first_repaired_first=options.repaired == "first-first")
