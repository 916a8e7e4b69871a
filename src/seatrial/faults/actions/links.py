"""Actions on cables, on networks and on their switches."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from seatrial.faults.actions.base import Ability, Action, Means, Outcome, unable
from seatrial.labs.base import Lab, LinkControl, LinkState, MtuControl, NetworkControl
from seatrial.result.evidence import Sign
from seatrial.service.session import Session


def _sign_of_links(lab: Lab) -> tuple[Sign, ...]:
    """The strongest sign of a cut, which depends on whether the lab can read its links."""
    return (Sign.LINK_DOWN if isinstance(lab, LinkState) else Sign.COMMAND_SUCCEEDED,)


@dataclass(frozen=True)
class Link(Action):
    """A node's cable to a network."""

    node: str
    network: str
    up: bool
    ability: ClassVar[Ability | None] = Ability(LinkControl, "unplug a link")

    def text(self) -> str:
        """A readable description."""
        return f"link of {self.node} to {self.network}: {'repaired' if self.up else 'cut'}"

    def carry_out(self, means: Means) -> Outcome:
        """Plug or unplug the cable."""
        lab = means.session.lab
        if not isinstance(lab, LinkControl):
            raise unable(means.session)
        lab.link(self.node, self.network, up=self.up)
        return Outcome()

    @property
    def breaks(self) -> bool:
        """Whether it is cut."""
        return not self.up

    @property
    def subject(self) -> str:
        """The node."""
        return self.node

    def needed_signs(self, lab: Lab) -> tuple[Sign, ...]:
        """The state of the link, where the lab can read it."""
        return _sign_of_links(lab)

    def signs(self, session: Session, outcome: Outcome) -> Iterator[Sign]:
        """The state of the link, too."""
        yield from super().signs(session, outcome)
        lab = session.lab
        if self.breaks and isinstance(lab, LinkState):
            yield from () if lab.link_is_up(self.node, self.network) else (Sign.LINK_DOWN,)


@dataclass(frozen=True)
class Network(Action):
    """A whole network: its switch loses power, or gets it back."""

    name: str
    up: bool
    ability: ClassVar[Ability | None] = Ability(NetworkControl, "switch a network off")

    def text(self) -> str:
        """A readable description."""
        return f"network {self.name}: {'up' if self.up else 'down'}"

    def carry_out(self, means: Means) -> Outcome:
        """Cut or restore the power of the switch."""
        lab = means.session.lab
        if not isinstance(lab, NetworkControl):
            raise unable(means.session)
        lab.network(self.name, up=self.up)
        return Outcome()

    @property
    def breaks(self) -> bool:
        """Whether the switch loses power."""
        return not self.up

    def needed_signs(self, lab: Lab) -> tuple[Sign, ...]:
        """The state of the network, where the lab can read it."""
        return _sign_of_links(lab)

    def signs(self, session: Session, outcome: Outcome) -> Iterator[Sign]:
        """The state of the network, too."""
        yield from super().signs(session, outcome)
        lab = session.lab
        if self.breaks and isinstance(lab, LinkState):
            yield from () if lab.network_is_up(self.name) else (Sign.LINK_DOWN,)


@dataclass(frozen=True)
class Mtu(Action):
    """The switch port of a node's cable: it drops larger packets; None: the MTU of the study."""

    node: str
    network: str
    mtu: int | None
    ability: ClassVar[Ability | None] = Ability(MtuControl, "change the MTU of a switch's port")

    def text(self) -> str:
        """A readable description."""
        return f"MTU of the port of {self.node} on {self.network}: {self.mtu or 'as before'}"

    def carry_out(self, means: Means) -> Outcome:
        """Set the MTU of the port."""
        lab = means.session.lab
        if not isinstance(lab, MtuControl):
            raise unable(means.session)
        lab.mtu(self.node, self.network, self.mtu)
        return Outcome()

    @property
    def breaks(self) -> bool:
        """Whether the port drops packets."""
        return self.mtu is not None
