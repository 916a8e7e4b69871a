"""The rules of a study that no single key can show: it tries every value of every profile, and
checks every fault and stream.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pydantic import ValidationError

from seatrial.basics.errors import InputError, Refused
from seatrial.basics.schema import first_message
from seatrial.basics.yamlfile import Location, Mistake
from seatrial.cases import Changes, ExperimentCases, Variants, experiment_cases
from seatrial.faults.base import FaultCase, fault_case
from seatrial.faults.room import too_large
from seatrial.judge.controls import means_two_writers
from seatrial.solutions.base import Solution, client_groups_of, directories_of, kinds_alone
from seatrial.study.experiment import Experiment, is_path, set_mistakes
from seatrial.study.faults import Fault
from seatrial.study.points import points
from seatrial.study.profiles import Profile
from seatrial.study.study import Study


def check_clients(whole: Variants, profiles: Mapping[Profile, Variants]) -> None:
    """InputError when an experiment of a profile asks for more clients than the profile has."""
    refuse(
        [
            line
            for profile, of_profile in profiles.items()
            for line in _too_many_in_profile(whole, of_profile, profile)
        ]
    )


def check_profile(whole: Variants, of_profile: Variants, profile: Profile) -> "Checked":
    """The experiments and faults of a profile; InputError for its first mistake.

    `whole` has the nodes of the study as given, `of_profile` those of the profile.
    """
    study = whole.study
    for name, experiment in study.experiments_in(profile).items():
        _check_servers(study, whole.base.solution, name, experiment)
        _try_values(whole, name, experiment)
        _check_trees(whole, name, experiment)
    _check_controls(study, list(study.faults_in(profile).items()))
    faults = _try_faults(study, of_profile, profile)
    experiments = _experiments(of_profile, profile)
    for location, reason in _too_large(of_profile, profile, experiments, faults):
        raise study.mistake(
            location, reason if profile == "full" else f"{reason}, in the {profile} profile"
        )
    return Checked(
        of_profile,
        {item.name: item for item in experiments},
        {item.name: item for item in faults},
    )


@dataclass(frozen=True)
class Checked:
    """A profile without mistakes. What its check has planned is not planned again."""

    variants: Variants
    """with the nodes of the profile"""
    experiments: Mapping[str, ExperimentCases]
    faults: Mapping[str, FaultCase]

    def experiment_cases(
        self, experiments: Mapping[str, Experiment]
    ) -> tuple[ExperimentCases, ...]:
        """Every case of these experiments, in their order."""
        planned_before = {
            name: item
            for name, item in self.experiments.items()
            if item.experiment is experiments.get(name)
        }
        others = {name: item for name, item in experiments.items() if name not in planned_before}
        planned = planned_before | {
            item.name: item for item in experiment_cases(self.variants, others)
        }
        return tuple(planned[name] for name in experiments)

    def fault_case(self, name: str, fault: Fault) -> FaultCase:
        """A fault, planned with its overrides."""
        planned_case = self.faults.get(name)
        if planned_case is not None and planned_case.fault is fault:
            return planned_case
        return fault_case(self.variants.of(fault.overrides), name, fault)


def check_selection(variants: Variants, profile: Profile, only: Sequence[str]) -> None:
    """InputError for a name that is neither an experiment nor a fault, and for an experiment that
    the profile leaves out and that asks for more clients than the profile has.
    """
    study = variants.study
    experiments = study.experiments_in(profile)
    for name in only:
        known_names = [*study.experiments, *study.repetitions.written]
        if name not in known_names and name not in study.faults:
            names_text = ", ".join(known_names)
            raise InputError(
                f"no experiment and no fault is called {name!r}", f"one of {names_text}"
            )
        # An experiment of another profile runs as it is written, with the nodes of this profile.
        if name in study.experiments and name not in experiments:
            clients = len(variants.base.solution.clients)
            place = ("experiments", name, "sweep")
            refuse(
                _too_many(study, place, study.experiments[name], clients, f"the {profile} profile")
            )


def _check_servers(study: Study, solution: Solution, name: str, experiment: Experiment) -> None:
    """Work on a server needs one that is known."""
    load = experiment.workload
    if (load.local or load.server_load) and not solution.servers:
        key = "local" if load.local else "server_load"
        reason = f"no server of {study.solution.kind} is known, on which this could run"
        raise study.mistake(("experiments", name, "workload", key), reason)


def _experiments(of_profile: Variants, profile: Profile) -> tuple[ExperimentCases, ...]:
    """Every case; a `total` that leaves a task less than a transfer is a mistake, too."""
    study = of_profile.study
    try:
        return experiment_cases(of_profile, study.experiments_in(profile))
    except Refused as error:
        raise InputError(f"{study.source.path}: {error}") from None


def _too_large(
    of_profile: Variants,
    profile: Profile,
    experiments: Sequence[ExperimentCases],
    faults: Sequence[FaultCase],
) -> list[Mistake]:
    """Files without room."""
    study = of_profile.study
    try:
        load = study.background_load_in(profile)
        return list(too_large(of_profile.base, experiments, faults, load))
    except Refused as error:
        raise InputError(f"{study.source.path}: {error}") from None


def _check_trees(whole: Variants, name: str, experiment: Experiment) -> None:
    """Where clients see several trees, nothing compares one; a kind with other work has one for
    itself.
    """
    if not experiment.kinds and not experiment.workload.verify_tree:
        return
    study = whole.study
    solutions = [whole.of(point.changes).solution for point in points(experiment, clients_max=1)]
    alone = {kind for solution in solutions for kind in kinds_alone(solution)}
    for kind in experiment.kinds:
        if kind not in alone:
            kinds_text = ", ".join(sorted(alone)) or "none"
            reason = (
                f"no clients of a kind {kind!r} have a tree for themselves; of these they have:"
                f" {kinds_text}"
            )
            raise study.mistake(("experiments", name, "kinds", kind), reason)
    several = any(len(client_groups_of(solution, solution.clients)) > 1 for solution in solutions)
    if several and experiment.workload.verify_tree:
        reason = "compares one tree with the logs of all clients, and these clients see several"
        raise study.mistake(("experiments", name, "workload", "verify_tree"), reason)


def refuse(mistakes: Sequence[str]) -> None:
    """Raise InputError with every mistake, if there is one."""
    if mistakes:
        raise InputError("\n".join(dict.fromkeys(mistakes)))


def _too_many_in_profile(whole: Variants, of_profile: Variants, profile: Profile) -> list[str]:
    study = whole.study
    clients = len(of_profile.base.solution.clients)
    has = "the study" if clients == len(whole.base.solution.clients) else f"the {profile} profile"
    mistakes: list[str] = []
    for name, experiment in study.experiments_in(profile).items():
        changed = getattr(study.experiments[name], profile) if profile != "full" else None
        place: Location = (
            (profile, "sweep") if isinstance(changed, dict) and "sweep" in changed else ("sweep",)
        )
        mistakes += _too_many(study, ("experiments", name, *place), experiment, clients, has)
        for row in experiment.measured_variants:
            _check_row(of_profile, name, experiment, row)
    return mistakes


def _check_row(of_profile: Variants, name: str, experiment: Experiment, row: str) -> None:
    """Refuse a variant that asks for more clients than the solution has with its values."""
    item = experiment.variants[row]
    if item.clients is None:
        return
    clients = len(of_profile.of({**experiment.overrides, **item.overrides}).solution.clients)
    if item.clients > clients:
        mistake = f"{item.clients} clients are asked for, the variant has {clients}"
        place = ("experiments", name, "variants", row, "clients")
        raise of_profile.study.mistake(place, mistake)


def _too_many(
    study: Study, place: Location, experiment: Experiment, clients: int, has: str
) -> list[str]:
    return [
        str(
            study.mistake(
                (*place, "clients", index), f"{count} clients are asked for, {has} has {clients}"
            )
        )
        for index, count in enumerate(experiment.sweep.get("clients", ()))
        if isinstance(count, int) and count > clients
    ]


def _check_controls(study: Study, faults: Sequence[tuple[str, Fault]]) -> None:
    """Two writers destroy a file system: nothing that comes after such a fault has a meaning."""
    for (name, fault), (following, _) in pairwise(faults):
        if writers := list(filter(means_two_writers, fault.expect.detected_by)):
            raise study.mistake(
                ("faults", name, "expect"),
                f"detected_by: {min(writers)} means two writers, which may destroy the storage; "
                f"{following} cannot come after it",
            )


def _try_faults(study: Study, of_profile: Variants, profile: Profile) -> list[FaultCase]:
    """Every fault of a profile, with the nodes of the profile; InputError for a wrong one."""
    solution = of_profile.base.solution
    cases = []
    for name, fault in study.faults_in(profile).items():
        if len(client_groups_of(solution, solution.clients)) > 1:
            one_tree = "the background load needs clients that all see one tree"
            raise study.mistake(("faults", name), one_tree)
        try:
            cases.append(_try_fault(of_profile, name, fault))
        except InputError as error:
            raise (
                error
                if of_profile.study is study
                else InputError(f"{error}, in the {profile} profile", error.hint)
            ) from None
    return cases


def _try_fault(of_profile: Variants, name: str, fault: Fault) -> FaultCase:
    """A fault, and whether the streams can last until it is over.

    Otherwise a run could end during the fault.
    """
    study = of_profile.study
    _check_overrides(of_profile, name, fault)
    case = fault_case(of_profile.of(fault.overrides), name, fault)
    longest_s = case.planned.longest_s
    mounts = directories_of(case.variant.solution)
    for stream_name, stream in [
        item for profile in study.profiles for item in study.background_load_in(profile).items()
    ]:
        if stream.mount is not None and stream.mount not in mounts:
            mounts_text = ", ".join(map(repr, mounts))
            raise study.mistake(
                ("background_load", stream_name, "mount"),
                f"no mount is called that; one of {mounts_text}",
            )
        shortest_s = stream.shortest_s()
        if shortest_s is not None and shortest_s < longest_s:
            raise study.mistake(
                ("background_load", stream_name, "workload"),
                f"has work for {shortest_s:.0f} s, but the fault {name} can take {longest_s:.0f} s;"
                " make its file or tree larger",
            )
    return case


def _check_overrides(of_profile: Variants, name: str, fault: Fault) -> None:
    """The values of a fault must keep the layout of the storage.

    The storage is not recreated for a fault, so it holds the same data.
    """
    study = of_profile.study
    for location, message in set_mistakes(("faults", name, "overrides"), fault.overrides):
        raise study.mistake(location, message)
    try:
        solution = _build(of_profile, fault.overrides)
    except WRONG_VALUE as error:
        raise study.mistake(("faults", name, "overrides"), _reason(error)) from None
    if solution.layout != of_profile.base.solution.layout:
        recreates = "would recreate the storage; inject the fault in a study with these values"
        raise study.mistake(("faults", name, "overrides"), recreates)


WRONG_VALUE = (InputError, Refused, ValidationError)
"""errors that refuse a changed value; any other error is a defect"""


def _reason(error: Exception) -> str:
    """Why a changed value was refused, without its place, which no file has."""
    if isinstance(error, ValidationError):
        return first_message(error)
    return error.reason if isinstance(error, InputError) else str(error)


def _try_values(whole: Variants, name: str, experiment: Experiment) -> None:
    """Build every point once: a value that the workload or the solution refuses must not end a run
    in its middle.
    """
    study = whole.study
    throughout = experiment.replaced(sweep={}, variants_run=experiment.measured_variants[:1])

    def attempt(place: Location, one: Experiment, changes: Changes, value: str = "") -> None:
        try:
            if changes:
                _build(whole, {**experiment.overrides, **changes})
            points(one, clients_max=1)
        except WRONG_VALUE as error:
            raise study.mistake(("experiments", name, *place), f"{value}{_reason(error)}") from None

    for key, value in experiment.overrides.items():
        attempt(("overrides", key), throughout, {key: value}, f"{value!r}: ")
    for row in experiment.measured_variants:
        attempt(
            ("variants", row),
            experiment.replaced(sweep={}, variants_run=(row,)),
            experiment.variants[row].overrides,
        )
    for key, values in experiment.sweep.items():
        for value in values:
            changes = {key: value} if is_path(key) else {}
            attempt(
                ("sweep", key), throughout.replaced(sweep={key: (value,)}), changes, f"{value!r}: "
            )


def _build(variants: Variants, changes: Changes) -> Solution:
    """The solution of a study that is changed like this."""
    moves_cables = any(key.startswith("nodes.") for key in changes)
    if moves_cables and not variants.base.site.traits.moves_cables:
        raise Refused("only a lab moves cables automatically; make one run for each value")
    return variants.of(changes).solution
