"""Validate a study, and what a run of it may erase, before any node exists."""

from collections.abc import Iterable

from seatrial.basics.errors import InputError, option
from seatrial.basics.node_sets import expand
from seatrial.cases import vary
from seatrial.faults.base import FaultCase
from seatrial.matrix.resolve import resolve_profiles
from seatrial.plan.site import Site
from seatrial.service.deployed import wipe_of
from seatrial.solutions.base import Solution, Wipe
from seatrial.study.study import Study


def prepare(study: Study) -> tuple[Site, Solution]:
    """The site and the solution of a study without mistakes; InputError names the mistakes."""
    resolve_profiles(study)
    base = vary(study)
    return base.site, base.solution


def check_overwritten(site: Site, faults: Iterable[FaultCase], wipe: Wipe) -> None:
    """InputError when a fault overwrites disks that the user has not named; a lab's are made for
    the run.
    """
    allowed = wipe_of(site, wipe)
    for fault in faults:
        missing = sorted(
            f"{node}:{device}"
            for node, device in fault.planned.overwritten
            if device not in allowed.get(node, ())
        )
        if missing:
            raise InputError(
                f"{fault.name} overwrites {', '.join(missing)}",
                "name every device with --wipe NODE:DEVICE, or leave the fault out with --only",
            )


def erasable(options: list[str] | None, site: Site) -> Wipe:
    """The devices that may be erased: each option names nodes, and devices of theirs as the study
    does.

    There are no patterns: a pattern could match devices that its author did not expect.
    """
    by_node: dict[str, set[str]] = {}
    for option_text in options or []:
        nodes, _, names = option_text.partition(":")
        for node in option("--wipe", expand, nodes):
            devices = site.nodes[node].devices if node in site.nodes else ()
            for device in names.split(","):
                if device not in devices:
                    known_devices = (
                        f"{node} has {', '.join(devices)}"
                        if devices
                        else f"{node} has no disks in this study"
                    )
                    raise InputError(
                        f"--wipe {option_text}: no device of the study is called {device!r}; "
                        f"{known_devices}"
                    )
                by_node.setdefault(node, set()).add(device)
    return {node: frozenset(devices) for node, devices in by_node.items()}
