"""The verb `undeploy`."""

from __future__ import annotations

from seatrial.cli import output
from seatrial.cli.arguments import PackagesOption, StudyPath, WipeOption
from seatrial.cli.studies import load, running_of


def undeploy(study_path: StudyPath, wipe: WipeOption = None, packages: PackagesOption = False) -> None:
    """Take the storage out of service; data stay on the disks unless --wipe names them."""
    from seatrial.advice.preflight import tell_named, tell_packages
    from seatrial.check import erasable
    from seatrial.solutions.look import removal

    study = load(study_path)
    terminal = output.terminal()
    current = running_of(study)
    named = erasable(wipe, current.site)
    with current.held():
        tell_named(current, named, terminal.say)
        outcome = current.deploy(removal(current.solution, named, packages=packages), terminal)
        tell_packages(current, terminal.say)
    terminal.result(f"undeployed: {outcome.summary()}")
