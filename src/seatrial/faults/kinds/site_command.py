"""`kind: site-command`: the site's own commands break and repair the storage, such as the
failover command of a vendor.

The commands run on the controller, or on a `host` that ssh reaches and that need not be a node of
the study. `happened` proves the fault: if it does not succeed in time, the criteria are `unknown`.
The operator consents to each such fault: `--consent FAULT`, or a yes at the terminal. `--yes` is
not enough. In the emulated lab the fault is skipped.
"""

from typing import Annotated

from pydantic import Field

from seatrial.basics.schema import Duration, Model
from seatrial.basics.text import Name
from seatrial.faults.base import Actions, NotHere, Scene
from seatrial.faults.site_actions import Purpose, SiteCheck, SiteCommand

TITLE = "a command of the site"
WORD = "site command"
DURATION_S = 20.0
NEEDS_ROOT = False
CONTROLLER = "localhost"
"""the machine that runs Seatrial, without ssh"""
Command = Annotated[str, Field(min_length=1)]


class Options(Model):
    """The machine, the commands, and their time limits."""

    host: Name = Field(
        CONTROLLER,
        description=(
            "Machine that runs the commands: `localhost` is the controller. Other names are for"
            " your ssh."
        ),
    )
    command: Command = Field(description="Command that injects the fault.")
    repair: Command = Field(
        description="Command that repairs it. It must be harmless where nothing is broken.",
    )
    happened: Command = Field(
        description="Command that exits with 0 once the fault is present. It is repeated.",
    )
    recovered: Command | None = Field(
        None,
        description="Command that exits with 0 once the storage is repaired. It is repeated.",
    )
    timeout: Duration = Field(60.0, gt=0, description="Longest time of `command`, and of `repair`.")
    happened_within: Duration = Field(
        60.0, gt=0, description="Longest time from the end of `command` until `happened` succeeds."
    )
    recovered_within: Duration = Field(
        120.0, gt=0, description="Longest time from the repair until `recovered` succeeds."
    )


def actions(options: Options, scene: Scene) -> Actions:
    """The commands and checks; raises NotHere in the emulated lab, which has no site."""
    if not scene.site.traits.has_site_hosts:
        raise NotHere("commands of the site need real hosts; the lab has no machines of a site")
    host = options.host
    command = SiteCommand(host, options.command, options.timeout)
    repair = SiteCommand(host, options.repair, options.timeout)
    happened = SiteCheck(host, options.happened, options.happened_within, Purpose.HAPPENED)
    after: tuple[SiteCheck, ...] = ()
    if options.recovered is not None:
        limit_s = options.recovered_within
        after = (SiteCheck(host, options.recovered, limit_s, Purpose.RECOVERED),)
    return Actions((command, happened), (repair,), after)
