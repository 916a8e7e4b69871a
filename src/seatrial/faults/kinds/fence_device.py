"""`kind: fence-device`: the device that switches a server off fails: its BMC, or a PDU."""

from typing import Literal, Self

from pydantic import Field, model_validator

from seatrial.basics.schema import Duration
from seatrial.basics.text import Name
from seatrial.faults.base import Actions, Emulator, Link, OnNode, Scene

TITLE = "a fence device fails"
WORD = "fence device"
DURATION_S = 20.0


class Options(OnNode):
    """The device, and its failure."""

    device: Name | None = Field(None, description="A PDU. By default the BMC of the node.")
    mode: Literal["unplugged", "dead", "slow", "lies"] = Field(
        "unplugged",
        description=(
            "`unplugged`: from `network`. `dead`: no answer. `slow`: answers after "
            "`delay`. `lies`: acknowledges and does nothing."
        ),
    )
    delay: Duration | None = Field(None, description="With `slow`: delay of each request.")
    network: Name | None = Field(
        None,
        description="With `unplugged`: the network that the device loses.",
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.mode == "slow") != (self.delay is not None):
            raise ValueError(
                "slow needs a delay" if self.mode == "slow" else "delay belongs to the mode slow"
            )
        if self.network is not None and self.mode != "unplugged":
            raise ValueError("network belongs to the mode unplugged")
        return self


def actions(options: Options, scene: Scene) -> Actions:
    """Set the failure; the repair restores the previous state."""
    device = options.device or f"{options.where(scene)}-bmc"
    if options.mode == "unplugged":
        network = scene.network(options.network)
        cable = (device, network)
        return Actions((Link(*cable, up=False),), (Link(*cable, up=True),))
    spoilt = Emulator(device, options.mode, options.delay or 0.0)
    return Actions((spoilt,), (Emulator(device, "ok"),))
