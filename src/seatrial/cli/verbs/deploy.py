"""The verb `deploy`."""

from __future__ import annotations

import shlex

from seatrial.cli import output
from seatrial.cli.arguments import StudyPath, WipeOption
from seatrial.cli.studies import load


def deploy(study_path: StudyPath, wipe: WipeOption = None) -> None:
    """Apply the plan, check it, and leave the storage deployed; a second deploy changes nothing."""
    from seatrial.advice.preflight import tell_named
    from seatrial.check import erasable, prepare
    from seatrial.service.session import lasting
    from seatrial.solutions.look import deployment

    study = load(study_path)
    terminal = output.terminal()
    site, solution = prepare(study)
    named = erasable(wipe, site)
    with lasting(study, site, solution, terminal) as current:
        tell_named(current, named, terminal.say)
        plan = deployment(current.solution, current.site, named)
        for warning in plan.warnings:
            terminal.say(f"warning: {warning}")
        outcome = current.deploy(plan, terminal)
        terminal.result(f"deployed: {outcome.summary()}")
        if current.lab.ssh_config is not None:
            way = shlex.join(("ssh", "-F", str(current.lab.ssh_config), current.solution.clients[0]))
            print(f"{way}   # {current.solution.directory}")
