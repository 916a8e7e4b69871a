"""Validate a study before any node exists.

It tries every value of every profile, and checks every fault and stream.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from pydantic import ValidationError

from seatrial.basics.errors import InputError, Refused, option
from seatrial.basics.node_sets import expand
from seatrial.basics.schema import first_message
from seatrial.basics.yamlfile import Location
from seatrial.faults.base import planned_fault
from seatrial.faults.room import too_large
from seatrial.plan.site import Site
from seatrial.result.planned import selected
from seatrial.service.deployed import wipe_of
from seatrial.service.variants import vary
from seatrial.solutions.base import Solution, Wipe, client_groups_of, directories_of, kinds_alone
from seatrial.study.experiment import Experiment, is_path, set_mistakes
from seatrial.study.faults import Fault
from seatrial.study.points import points
from seatrial.study.profiles import ALL_PROFILES, Profile
from seatrial.study.study import Study


def prepare(study: Study) -> tuple[Site, Solution]:
    """Validate a study before any node exists; InputError when its parts contradict each other."""
    base = vary(study)
    site, solution = base.site, base.solution
    # No experiment of a profile may ask for more clients than the profile has.
    _refuse([line for profile in study.profiles for line in _too_many_in_profile(study, profile)])
    for profile in study.profiles:
        for name, experiment in study.experiments_in(profile).items():
            if (experiment.workload.local or experiment.workload.server_load) and not solution.servers:
                key = "local" if experiment.workload.local else "server_load"
                reason = f"no server of {study.solution.kind} is known, on which this could run"
                raise study.mistake(("experiments", name, "workload", key), reason)
            _try_values(study, site, name, experiment)
            _check_trees(study, name, experiment)
        _check_controls(study, list(study.faults_in(profile).items()))
        _try_faults(study, profile)
        for location, reason in _too_large(study, profile):
            raise study.mistake(location, reason if profile == "full" else f"{reason}, in the {profile} profile")
    for name, fault in study.faults.items() if study.profiles == ALL_PROFILES else ():
        planned_fault(study, name, fault)
    return site, solution


def _too_large(study: Study, profile: Profile) -> list[tuple[Location, str]]:
    """Files without room; a `total` that leaves a task less than a transfer is a mistake, too."""
    try:
        return list(too_large(study, profile))
    except Refused as error:
        raise InputError(f"{study.source.path}: {error}") from None


def _check_trees(study: Study, name: str, experiment: Experiment) -> None:
    """Where clients see several trees, nothing compares one; a kind with other work has one for itself."""
    if not experiment.kinds and not experiment.workload.verify_tree:
        return
    solutions = [vary(study, {**it.solution, **it.site}).solution for it in points(experiment, clients_max=1)]
    alone = {kind for solution in solutions for kind in kinds_alone(solution)}
    for kind in experiment.kinds:
        if kind not in alone:
            known = ", ".join(sorted(alone)) or "none"
            reason = f"no clients of a kind {kind!r} have a tree for themselves; of these they have: {known}"
            raise study.mistake(("experiments", name, "kinds", kind), reason)
    several = any(len(client_groups_of(solution, solution.clients)) > 1 for solution in solutions)
    if several and experiment.workload.verify_tree:
        reason = "compares one tree with the logs of all clients, and these clients see several"
        raise study.mistake(("experiments", name, "workload", "verify_tree"), reason)


def _refuse(mistakes: Sequence[str]) -> None:
    """Raise InputError with every mistake, if there is one."""
    if mistakes:
        raise InputError("\n".join(dict.fromkeys(mistakes)))


def _too_many_in_profile(study: Study, profile: Profile) -> list[str]:
    clients = len(vary(study.in_profile(profile)).solution.clients)
    has = "the study" if clients == len(vary(study).solution.clients) else f"the {profile} profile"
    mistakes: list[str] = []
    for name, experiment in study.experiments_in(profile).items():
        changed = getattr(study.experiments[name], profile) if profile != "full" else None
        place: Location = (profile, "sweep") if isinstance(changed, dict) and "sweep" in changed else ("sweep",)
        mistakes += _too_many(study, ("experiments", name, *place), experiment, clients, has)
        for row in experiment.measured_variants:
            _check_row(study.in_profile(profile), name, experiment, row)
    return mistakes


def _check_row(study: Study, name: str, experiment: Experiment, row: str) -> None:
    """Refuse a variant that asks for more clients than the solution has with its values."""
    item = experiment.variants[row]
    if item.clients is None:
        return
    clients = len(vary(study, {**experiment.overrides, **item.overrides}).solution.clients)
    if item.clients > clients:
        mistake = f"{item.clients} clients are asked for, the variant has {clients}"
        raise study.mistake(("experiments", name, "variants", row, "clients"), mistake)


def _too_many(study: Study, place: Location, experiment: Experiment, clients: int, has: str) -> list[str]:
    return [
        str(study.mistake((*place, "clients", index), f"{count} clients are asked for, {has} has {clients}"))
        for index, count in enumerate(experiment.sweep.get("clients", ()))
        if isinstance(count, int) and count > clients
    ]


def _check_controls(study: Study, faults: Sequence[tuple[str, Fault]]) -> None:
    """Two writers destroy a file system: nothing that comes after such a fault would mean anything."""
    for (name, fault), (following, _) in pairwise(faults):
        if writers := {"fencing", "recovery"} & set(fault.expect.detected_by):
            raise study.mistake(
                ("faults", name, "expect"),
                f"detected_by: {min(writers)} means two writers, which may destroy the storage; "
                f"{following} cannot come after it",
            )


def _try_faults(study: Study, profile: Profile) -> None:
    """Check each fault, with the nodes of the profile."""
    there = study.in_profile(profile)
    solution = vary(there).solution
    for name, fault in study.faults_in(profile).items():
        if len(client_groups_of(solution, solution.clients)) > 1:
            one_tree = "the background load needs clients that all see one tree"
            raise study.mistake(("faults", name), one_tree)
        try:
            _try_fault(there, solution, name, fault)
        except InputError as error:
            raise error if there is study else InputError(f"{error}, in the {profile} profile", error.hint) from None


def _try_fault(study: Study, base: Solution, name: str, fault: Fault) -> None:
    """Check a fault, and the streams that must last until it is over.

    Otherwise a run could end during the fault.
    """
    solution = _set_for(study, base, name, fault)
    planned = planned_fault(study, name, fault)
    longest_s = planned.longest_s
    mounts = directories_of(solution)
    for stream_name, stream in [
        item for profile in study.profiles for item in study.background_load_in(profile).items()
    ]:
        if stream.mount is not None and stream.mount not in mounts:
            known = ", ".join(map(repr, mounts))
            raise study.mistake(("background_load", stream_name, "mount"), f"no mount is called that; one of {known}")
        shortest_s = stream.shortest_s()
        if shortest_s is not None and shortest_s < longest_s:
            raise study.mistake(
                ("background_load", stream_name, "workload"),
                f"has work for {shortest_s:.0f} s, but the fault {name} can take {longest_s:.0f} s; "
                "make its file or tree larger",
            )


def _set_for(study: Study, base: Solution, name: str, fault: Fault) -> Solution:
    """The solution during a fault, which must keep the layout of the storage.

    The storage is not recreated for a fault, so it holds the same data.
    """
    for location, message in set_mistakes(("faults", name, "overrides"), fault.overrides):
        raise study.mistake(location, message)
    try:
        solution = _build(study, vary(study).site, fault.overrides)
    except WRONG_VALUE as error:
        raise study.mistake(("faults", name, "overrides"), _reason(error)) from None
    if solution.layout != base.layout:
        recreates = "would recreate the storage; inject the fault in a study with these values"
        raise study.mistake(("faults", name, "overrides"), recreates)
    return solution


WRONG_VALUE = (InputError, Refused, ValidationError)
"""errors that refuse a changed value; any other error is a defect"""


def _reason(error: Exception) -> str:
    """Why a changed value was refused, without its place, which no file has."""
    lines = [first_message(error)] if isinstance(error, ValidationError) else str(error).splitlines()
    message = lines[-1]
    return message.rpartition(": ")[2]


def _try_values(study: Study, site: Site, name: str, experiment: Experiment) -> None:
    """Build every point once: a value that the workload or the solution refuses must not end a run in its middle."""
    throughout = experiment.replaced(sweep={}, variants_run=experiment.measured_variants[:1])

    def attempt(place: Location, one: Experiment, changes: Mapping[str, Any], value: str = "") -> None:
        try:
            if changes:
                _build(study, site, {**experiment.overrides, **changes})
            points(one, clients_max=1)
        except WRONG_VALUE as error:
            raise study.mistake(("experiments", name, *place), f"{value}{_reason(error)}") from None

    for key, value in experiment.overrides.items():
        attempt(("overrides", key), throughout, {key: value}, f"{value!r}: ")
    for row in experiment.measured_variants:
        attempt(
            ("variants", row), experiment.replaced(sweep={}, variants_run=(row,)), experiment.variants[row].overrides
        )
    for key, values in experiment.sweep.items():
        for value in values:
            changes = {key: value} if is_path(key) else {}
            attempt(("sweep", key), throughout.replaced(sweep={key: (value,)}), changes, f"{value!r}: ")


def _build(study: Study, site: Site, changes: Mapping[str, Any]) -> Solution:
    """The solution of a study that is changed like this."""
    if any(key.startswith("nodes.") for key in changes) and site.kind != "emulated":
        raise Refused("only a lab moves cables automatically; make one run for each value")
    return vary(study, changes).solution


def chosen(study: Study, profile: Profile, only: Sequence[str]) -> tuple[dict[str, Experiment], dict[str, Fault]]:
    """The experiments and faults of a run, in the study's order.

    These are all of the profile, or those that the operator asks for.
    """
    experiments = study.experiments_in(profile)
    for name in only:
        known_names = [*study.experiments, *study.repetitions.written]
        if name not in known_names and name not in study.faults:
            known = ", ".join(known_names)
            raise InputError(f"no experiment and no fault is called {name!r}", f"one of {known}")
        if name in study.experiments and name not in experiments:  # it is run as written, with this profile's nodes
            clients, place = len(vary(study).solution.clients), ("experiments", name, "sweep")
            _refuse(_too_many(study, place, study.experiments[name], clients, f"the {profile} profile"))
    selection = selected(study, profile, tuple(only))
    return selection.experiments, selection.faults


def check_overwritten(study: Study, site: Site, faults: Mapping[str, Fault], wipe: Wipe) -> None:
    """InputError when a fault overwrites disks that the user has not named; a lab's are made for the run."""
    allowed = wipe_of(site, wipe)
    for name, fault in faults.items():
        overwritten = planned_fault(study, name, fault).overwritten
        missing = sorted(f"{node}:{device}" for node, device in overwritten if device not in allowed.get(node, ()))
        if missing:
            raise InputError(
                f"{name} overwrites {', '.join(missing)}",
                "name every device with --wipe NODE:DEVICE, or leave the fault out with --only",
            )


def erasable(options: list[str] | None, site: Site) -> Wipe:
    """The devices that may be erased: each option names nodes, and devices of theirs as the study does.

    There are no patterns: a pattern could match devices that its author did not expect.
    """
    named: dict[str, set[str]] = {}
    for given in options or []:
        nodes, _, names = given.partition(":")
        for node in option("--wipe", expand, nodes):
            devices = site.nodes[node].devices if node in site.nodes else ()
            for device in names.split(","):
                if device not in devices:
                    known = f"{node} has {', '.join(devices)}" if devices else f"{node} has no disks in this study"
                    raise InputError(f"--wipe {given}: no device of the study is called {device!r}; {known}")
                named.setdefault(node, set()).add(device)
    return {node: frozenset(devices) for node, devices in named.items()}
