"""`kind: mtu`: the port of a switch, or the card of a node, has a smaller MTU than its network.
Larger packets are lost.

In a lab the port of the link's switch drops larger packets. No ICMP message reports the loss, so a
sender never learns that it has to send smaller packets (RFC 2923, section 2.1). On hosts `at: card`
changes the MTU of the node's own card. A new connection from that card requests smaller segments.
"""

import shlex
from typing import Literal, Self

from pydantic import Field, model_validator

from seatrial.basics.text import Interface, Name
from seatrial.faults.base import Actions, Mtu, NotHere, OnNode, Scene, Shell

TITLE = "a link has the wrong MTU"
WORD = "wrong MTU"
DURATION_S = 20.0


class Options(OnNode):
    """The link and its MTU."""

    network: Name | None = Field(
        None,
        description="The network. Optional if the study has only one.",
    )
    at: Literal["switch", "card"] = Field(
        "switch",
        description="The end of the link with the wrong MTU: `switch` in a lab, `card` on hosts.",
    )
    interface: Interface | None = Field(
        None,
        description="With `card`, on hosts: name of the network interface.",
    )
    mtu: int = Field(ge=576, le=9216, description="Largest IP packet in bytes during the fault.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.interface is not None and self.at != "card":
            raise ValueError("interface belongs to a card")
        return self


def actions(options: Options, scene: Scene) -> Actions:
    """Set another MTU; the repair restores the previous one."""
    node, network = scene.link(options.where(scene), options.network)
    if options.at == "switch":
        return Actions((Mtu(node, network, options.mtu),), (Mtu(node, network, None),))
    if scene.site.traits.has_fixed_mtu:
        raise NotHere(
            "the card of a lab's node takes no larger MTU than 1500 again until it boots; use at:"
            " switch"
        )
    device = options.interface or network
    before = shlex.quote(f"/run/seatrial-mtu-{device}")
    card = shlex.quote(device)
    inject = f"cat /sys/class/net/{card}/mtu >{before} && ip link set dev {card} mtu {options.mtu}"
    repair = (
        f'[ ! -s {before} ] || {{ read -r mtu <{before} && ip link set dev {card} mtu "$mtu" && rm'
        f" {before}; }}"
    )
    return Actions((Shell(node, inject),), (Shell(node, repair),))
