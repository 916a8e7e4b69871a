"""Studies with faults of the kind `site-command`."""

from pathlib import Path
from typing import Any

from seatrial.cases import vary
from seatrial.check import prepare
from seatrial.faults.base import Actions, Roles, Scene, fault_case
from seatrial.study.study import Study, parse_study
from tests.builders.strategies import text_of

STREAM = {
    "phases": ["write"],
    "transfer_size": "4KiB",
    "file_size": "64MiB",
    "pattern": "random",
    "arrivals_per_s": 20,
    "fsync": "transfer",
    "time_based": True,
    "time_limit": "30min",
}
FAILOVER = {
    "kind": "site-command",
    "host": "admin",
    "command": "appliance failover",
    "repair": "appliance failback",
    "happened": "appliance status | grep -q degraded",
}


def site_study(
    fault: dict[str, Any] | None = None, directory: str = "/gpfs/scratch", **more: Any
) -> dict[str, Any]:
    """A study of existing storage with a fault that runs commands of the site."""
    return {
        "schema": "study/1",
        "id": "scratch",
        "environment": {"kind": "hosts"},
        "nodes": {"c[1-2]": {}},
        "solution": {"kind": "mount", "directory": directory},
        "background_load": {"writes": {"workload": STREAM}},
        "faults": {"failover": fault or FAILOVER},
        "criteria": [{"id": "survived", "check": "faults"}],
        **more,
    }


def parsed(fault: dict[str, Any] | None = None, **more: Any) -> Study:
    """The same, as a study."""
    return parse_study(text_of(site_study(fault, **more)), Path("study.yaml"))


def actions_of(found: Study) -> Actions:
    """The actions of its fault."""
    site, solution = prepare(found)
    scene = Scene(found, site, solution, Roles.before(solution))
    return fault_case(vary(found), "failover", found.faults["failover"]).planned.actions(scene)
