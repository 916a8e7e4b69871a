"""`kind: pair`: a second fault while the first one lasts; healed in the opposite order."""

from typing import Any

from pydantic import ConfigDict, Field, ValidationError, model_validator

from seatrial.faults.base import Actions, Scene, fault_kind, one_after_the_other
from seatrial.schema import Duration, Model

TITLE = "two faults at once"
WORD = "pair"
HOLD_S = 30.0


class Part(Model):
    """A fault inside another: its kind, and that kind's own options."""

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: str

    def options(self) -> Model:
        """Read by the kind; ValueError when something is wrong with them."""
        try:
            return fault_kind(self.kind).Options.model_validate(self.model_extra or {})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise ValueError(f"{self.kind}: {where}: {first['msg']}".replace(": : ", ": ")) from None

    def actions(self, scene: Scene) -> Actions:
        """What it does."""
        return fault_kind(self.kind).actions(self.options(), scene)


class Options(Model):
    """`{first: {kind: fence-device, ...}, second: {kind: panic}, delay: 5s}`."""

    first: Part
    second: Part
    delay: Duration = Field(0.0, description="from the first to the second")

    @model_validator(mode="before")
    @classmethod
    def _no_nest(cls, data: Any) -> Any:
        if isinstance(data, dict):
            for key in ("first", "second"):
                part = data.get(key)
                if isinstance(part, dict) and part.get("kind") == "pair":
                    raise ValueError(f"{key} cannot be a pair itself")
        return data


def actions(options: Options, scene: Scene) -> Actions:
    """Both, with the roles as they are before the first."""
    return one_after_the_other(options.first.actions(scene), options.second.actions(scene), options.delay)
