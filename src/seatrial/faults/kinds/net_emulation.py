"""`kind: net-emulation`: the network loses, delays, duplicates or reorders packets that a node
sends (netem).
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from seatrial.basics.schema import Duration
from seatrial.basics.text import Interface, Name
from seatrial.faults.base import Actions, OnNode, Scene, Shell

TITLE = "a network is bad"
WORD = "bad network"
DURATION_S = 20.0


class Options(OnNode):
    """The link, and the impairment."""

    network: Name | None = Field(
        None,
        description="The network. Optional if the study has only one.",
    )
    interface: Interface | None = Field(
        None,
        description="On hosts: name of the network interface. In a lab it is named as the network.",
    )
    effect: Literal["loss", "delay", "duplicate", "reorder"] = Field(
        description="Effect on packets that the node sends.",
    )
    percent: float | None = Field(
        None,
        gt=0,
        le=100,
        description="With `loss`, `duplicate` and `reorder`: percentage of the packets.",
    )
    delay: Duration | None = Field(
        None,
        description=(
            "With `delay`: delay of each packet. With `reorder`: delay of packets that are not"
            " reordered."
        ),
    )
    jitter: Duration | None = Field(None, description="With `delay`: variation of the delay.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.effect == "delay") != (self.percent is None):
            raise ValueError(
                f"{self.effect} needs percent" if self.effect != "delay" else "delay has no percent"
            )
        if (self.effect in ("delay", "reorder")) != (self.delay is not None):
            raise ValueError(
                f"{self.effect} needs delay"
                if self.delay is None
                else f"{self.effect} has no delay"
            )
        if self.jitter is not None and self.effect != "delay":
            raise ValueError("jitter belongs to the effect delay")
        return self

    def netem(self) -> str:
        """The arguments of tc-netem(8)."""
        pause = f"delay {self.delay:g}s" if self.delay is not None else ""
        if self.effect == "delay":
            return f"{pause} {self.jitter:g}s" if self.jitter else pause
        share = f"{self.effect} {self.percent:g}%"
        return f"{pause} {share}" if pause else share


def actions(options: Options, scene: Scene) -> Actions:
    """Add a queueing discipline inside the node, on top of the lab's shaping."""
    node, network = scene.link(options.where(scene), options.network)
    device = options.interface or network
    add = f"modprobe -q sch_netem; tc qdisc add dev {device} root netem {options.netem()}"
    remove = f"! tc qdisc show dev {device} | grep -q netem || tc qdisc del dev {device} root"
    return Actions((Shell(node, add),), (Shell(node, remove),))
