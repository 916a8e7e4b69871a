"""What several kinds of solutions refuse in the same words: InputError with its place in the study."""

from collections.abc import Iterable, Mapping

from seatrial.basics.text import said_by
from seatrial.basics.yamlfile import Location
from seatrial.plan.site import Site
from seatrial.study.study import Study


def check_nodes(study: Study, site: Site, where: Location, names: Iterable[str], network: str | None) -> None:
    """Each is a node of the study, and on the network of the solution where one is named."""
    for name in names:
        if name not in site.nodes:
            raise study.mistake(where, f"{name!r} is no node of this study")
        if network is not None and network not in site.nodes[name].networks:
            raise study.mistake(("solution", "network"), f"{name!r} is not on a network called {network!r}")


def check_mount_options(study: Study, where: Location, options: Iterable[str], reserved: Mapping[str, str]) -> None:
    """None says what another key says: `reserved` has that key by the option's name."""
    for option in options:
        if key := said_by(option, reserved):
            raise study.mistake(where, f"{option!r} is said by {key}; leave it out")
