"""The cost of a run and its effects on existing storage, printed before the run begins."""

import os
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

from seatrial.basics.node_sets import fold
from seatrial.basics.units import counted, written_size
from seatrial.faults.consent import site_faults
from seatrial.faults.room import Volume, most_written, volume_of
from seatrial.labs.emulation.capacity import cramped_links
from seatrial.labs.emulation.uml_spec import ROOT_CHANGES_BYTES, available_bytes
from seatrial.load.site_servers import named_servers
from seatrial.matrix.matrix import RunMatrix
from seatrial.service.deployed import remade
from seatrial.solutions.base import Solution, Wipe
from seatrial.solutions.shared_storage import KeepsCaches
from seatrial.start.times import rough, times_of
from seatrial.study.experiment import Experiment
from seatrial.study.study import Study
from seatrial.study.workload import reads_data


def beforehand(matrix: RunMatrix, results: Path, *, wipe: Wipe) -> Iterator[str]:
    """Sentences about the run: its time and memory, and the limits of this machine.

    They also name everything that the run erases, interrupts and breaks.
    """
    times = times_of(matrix, results)
    yield f"takes {times.text()}, {times.basis}"
    if matrix.site.traits.is_temporary:
        yield memory_text(matrix.study)
        yield from cramped_links(matrix.site, len(os.sched_getaffinity(0)))
        yield "erases and interrupts nothing: the lab is created for this run only"
    else:
        yield from _done_to_hosts(matrix, wipe)


def memory_text(study: Study) -> str:
    """The memory that a lab of the study needs, and the free memory of this machine."""
    booted, written = lab_memory(study)
    return (
        f"the lab's nodes have {booted / 2**30:.1f} GiB of memory; data on their disks needs at "
        f"most {written / 2**30:.1f} GiB more; this machine has "
        f"{available_bytes() / 2**30:.1f} GiB free"
    )


def lab_memory(study: Study) -> tuple[int, int]:
    """(Memory of the nodes at boot, largest size of their disks and of the changes to their
    roots), in bytes.
    """
    nodes = [study.node(name) for name in study.node_names()]
    disks = [node.disks for node in nodes if node.disks]
    written = sum(disk.count * (disk.size or 0) for disk in disks) + ROOT_CHANGES_BYTES * len(nodes)
    return sum(node.memory for node in nodes), written


def _done_to_hosts(matrix: RunMatrix, wipe: Wipe) -> Iterator[str]:
    solution = matrix.solution
    experiments = matrix.experiments
    if isinstance(solution, KeepsCaches):
        yield (
            f"erases and interrupts nothing: works in {solution.work_folder}, and removes its"
            " files; the folder itself stays until seatrial undeploy STUDY"
        )
    else:
        yield _erased(matrix, wipe)
        servers = ", ".join(solution.servers)
        if any(_empties(item) for item in experiments.values()):
            yield (
                f"interrupts all users of {servers}: the service is stopped before phases that"
                " read, to empty caches"
            )
        else:
            yield f"deploys to {servers}: its service is restarted where its configuration changes"
        yield "leaves the storage deployed; seatrial undeploy STUDY takes it out of service"
    if observed := named_servers(solution):
        yield f"observes {fold(observed)} by ssh, and changes nothing there"
    broken = [item.planned for item in matrix.planned_faults]
    planned = matrix.planned_experiments
    use = most_written(solution, planned, matrix.background_load, broken)
    if use.size_bytes:
        yield (
            f"writes at most {written_size(use.size_bytes)} at a time, in {use.name}; "
            "a point without room is not begun"
        )
    if isinstance(solution, KeepsCaches) and experiments:
        yield _volume_text(solution.work_folder, volume_of(planned))
    for fault in broken:
        lost = ", ".join(sorted(f"{node}:{device}" for node, device in fault.overwritten))
        overwrites = f"; overwrites {lost}" if lost else ""
        yield f"breaks: {fault.name}: {fault.title}, for {fault.duration_s:g} s{overwrites}"
    for item in site_faults(matrix.study, matrix.planned_faults):
        yield (
            f"{item.name} runs commands of the site; --yes is not enough, --consent {item.name} is"
        )
        yield from (f"{item.name}: {line}" for line in item.lines)


def _volume_text(work_folder: str, volume: Volume) -> str:
    """One sentence: the bytes and files of all experiments, where, and their time limit."""
    files = counted(volume.files, "file")
    written = f"writes {written_size(volume.size_bytes)} in {files} to {work_folder} in all"
    if volume.limit_s is None:
        return written
    return f"{written}; all phases that move data end after at most {rough(volume.limit_s)}"


def changes_of_hosts(solution: Solution, experiments: Mapping[str, Experiment]) -> str:
    """The changes that a run makes to hosts before it loads them: a few words after `run`."""
    if isinstance(solution, KeepsCaches):
        return f"works in {solution.work_folder}"
    servers = fold(solution.servers or solution.clients)
    if any(_empties(item) for item in experiments.values()):
        return f"deploys to {servers}, interrupts all its users"
    return f"deploys to {servers}"


def _erased(matrix: RunMatrix, wipe: Wipe) -> str:
    """One sentence: the disks that may be overwritten, and the option that allows it."""
    recreating = [
        name for name, _ in groupby(name for name, _ in remade(matrix.base, matrix.cases))
    ]
    devices_of_nodes = [
        f"{node}:{device}" for node, devices in wipe.items() for device in sorted(devices)
    ]
    erases = f"may erase {', '.join(devices_of_nodes)}, as --wipe allows"
    text = erases if devices_of_nodes else "erases nothing: a disk that is not blank is refused"
    return f"{text}; {', '.join(recreating)} recreates the storage" if recreating else text


def _empties(experiment: Experiment) -> bool:
    """Whether its caches are emptied."""
    load = experiment.workload
    reads = any(reads_data(phase) for phase in load.phases) or load.verify_tree
    return load.prepare or (experiment.empty_caches and reads)
