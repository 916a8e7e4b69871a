"""The verb `deploy`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NoReturn

import typer

from seatrial.cli import output
from seatrial.cli.arguments import DryRunOption, JsonOption, StudyPath, WipeOption, YesOption
from seatrial.cli.confirming import confirm, describe_named, erased_words
from seatrial.cli.studies import load

if TYPE_CHECKING:
    from seatrial.plan.site import Site
    from seatrial.solutions.base import Solution, Wipe
    from seatrial.study.study import Study


def deploy(
    study_path: StudyPath,
    wipe: WipeOption = None,
    dry_run: DryRunOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Deploy the storage and verify it. A second deploy changes nothing."""
    from seatrial.advice.preflight import tell_named
    from seatrial.basics.node_sets import fold
    from seatrial.check import erasable, prepare
    from seatrial.service.session import lasting
    from seatrial.solutions.look import deployment
    from seatrial.solutions.shared_storage import KeepsCaches

    study = load(study_path)
    terminal = output.terminal()
    site, solution = prepare(study)
    devices = erasable(wipe, site)
    if dry_run:
        _print_dry_run(study, site, solution, devices, as_json)
    nodes = fold(study.node_names())
    if isinstance(solution, KeepsCaches):
        sentence = f"deploy creates {solution.work_folder}, and checks it on {nodes}"
    else:
        erased = erased_words(devices)
        sentence = f"deploy configures {study.id} on {nodes}, restarts services there, and {erased}"
    confirm(
        site, sentence, yes=yes, describe=lambda: describe_named(study, devices, terminal.result)
    )
    with lasting(study, site, solution, terminal) as current:
        tell_named(current, devices, terminal.say)
        plan = deployment(current.solution, current.site, devices)
        for warning in plan.warnings:
            terminal.say(f"warning: {warning}")
        outcome = current.deploy(plan, terminal)
        terminal.result(f"deployed: {outcome.summary()}")
        config = current.lab.ssh_config
        client = current.solution.clients[0]
        login = None if config is None else shlex.join(("ssh", "-F", str(config), client))
        if as_json:
            data = {
                "study": study.id,
                "steps": outcome.counts(),
                "directory": solution.directory,
                "login": login,
            }
            output.print_json(data)
        elif login is not None:
            print(f"{login}   # {current.solution.directory}")


def _print_dry_run(
    study: Study, site: Site, solution: Solution, wipe: Wipe, as_json: bool
) -> NoReturn:
    from seatrial.cli.dry_run import dry_run

    changes = dry_run(study, site, solution, wipe)
    if as_json:
        output.print_json(changes.to_json())
    else:
        print(changes.text())
    raise typer.Exit(changes.exit_code)
