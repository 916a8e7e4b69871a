"""The verb `undeploy`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, PackagesOption, StudyPath, WipeOption, YesOption
from seatrial.cli.confirming import confirm, describe_named, erased_words
from seatrial.cli.studies import load, running_of

if TYPE_CHECKING:
    from seatrial.solutions.base import Solution, Wipe
    from seatrial.study.study import Study


def undeploy(
    study_path: StudyPath,
    wipe: WipeOption = None,
    packages: PackagesOption = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove the storage from service. Data stay on the disks unless --wipe names them."""
    from seatrial.advice.preflight import tell_named, tell_packages
    from seatrial.check import erasable, prepare
    from seatrial.solutions.look import removal

    study = load(study_path)
    terminal = output.terminal()
    site, solution = prepare(study)
    devices = erasable(wipe, site)
    confirm(
        site,
        _sentence(study, solution, devices),
        yes=yes,
        describe=lambda: describe_named(study, devices, terminal.result),
        preview="seatrial plan STUDY --undeploy",
    )
    current = running_of(study)
    with current.held():
        tell_named(current, devices, terminal.say)
        outcome = current.deploy(removal(current.solution, devices, packages=packages), terminal)
        tell_packages(current, terminal.say)
        current.remove_node_state()
    terminal.result(f"undeployed: {outcome.summary()}")
    if as_json:
        output.print_json({"study": study.id, "steps": outcome.counts()})


def _sentence(study: Study, solution: Solution, devices: Wipe) -> str:
    """The effect on real hosts. Existing storage stays in service: only our own files go."""
    from seatrial.basics.node_sets import fold
    from seatrial.solutions.shared_storage import KeepsCaches

    nodes = fold(study.node_names())
    if isinstance(solution, KeepsCaches):
        folder = solution.work_folder
        return f"undeploy removes {folder} on {nodes}, and changes no other file of the storage"
    erased = erased_words(devices) if devices else "leaves the data on the disks"
    return f"undeploy takes {study.id} on {nodes} out of service, and {erased}"
