"""`kind: fence-device`: the device that would fence a server fails: unplugged, dead, slow, or
lying.
"""

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

    device: Name | None = Field(None, description="a power distribution unit; by default the node's own controller")
    mode: Literal["unplugged", "dead", "slow", "lies"] = Field(
        "unplugged", description="unplugged: from its network; lies: reports success, does nothing"
    )
    delay: Duration | None = Field(None, description="slow: additional delay of each request")
    network: Name | None = Field(None, description="unplugged: from this network")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.mode == "slow") != (self.delay is not None):
            raise ValueError("slow needs a delay" if self.mode == "slow" else "delay belongs to the mode slow")
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
