"""The manifest of a result from before manifests existed, made from its stored study and its line
`system`.
"""

from collections.abc import Mapping
from typing import Any, cast

from seatrial.result.manifest import Manifest, NoManifestError
from seatrial.result.planned import (
    Facts,
    FaultSystem,
    Parts,
    PlannedPoint,
    experiment_plan,
    fault_plan,
    planned,
    selected,
)
from seatrial.result.result import Result
from seatrial.study.points import Point, points
from seatrial.study.profiles import ALL_PROFILES, Profile
from seatrial.study.study import Study


def derived_manifest(study: Study, result: Result) -> Manifest:
    """The manifest of the study's plan; facts that only its solution knew are left open.
    NoManifestError where it cannot be made.

    Older results may lack evidence that was not kept yet: fingerprints, and the lines of agents in
    trimmed copies.
    """
    run = result.first("run")
    system = result.first("system")
    profile = run.get("profile")
    only = tuple(run.get("only") or ())
    if profile not in ALL_PROFILES:
        raise NoManifestError(
            f"the manifest cannot be derived: the run has an unknown profile, {profile!r}"
        )
    profile = cast(Profile, profile)
    facts = Facts(
        fingerprinted=_looked_at(result),
        baselines=() if study.baselines and not only else None,
        keeps_agent_lines=False,
        is_derived=True,
    )
    return planned(study, profile, only, _parts(study, profile, only, system), facts)


def _parts(
    study: Study, profile: Profile, only: tuple[str, ...], system: Mapping[str, Any]
) -> Parts:
    """The experiments and faults, as far as the line `system` has their facts."""
    chosen = selected(study, profile, only)
    load = study.background_load_in(profile)
    clients_max = len(system.get("clients") or ()) or 1
    experiments = tuple(
        experiment_plan(
            name,
            item,
            [PlannedPoint(point, _nodes(point, system)) for point in points(item, clients_max)],
        )
        for name, item in chosen.experiments.items()
    )
    faults = tuple(
        fault_plan(name, item, load, FaultSystem(_clients(item.overrides, system), None, {}))
        for name, item in chosen.faults.items()
    )
    return Parts(experiments, faults)


def _nodes(point: Point, system: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The nodes of a point's tasks; None where they are unknown."""
    if point.workload.local:
        return tuple(system.get("servers") or ())[:1] or None
    everyone = _clients(point.changes, system)
    return everyone[: point.clients] if everyone is not None else None


def _clients(changes: Mapping[str, Any], system: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The clients with these changes; None where they are unknown."""
    everyone = tuple(system.get("clients") or ())
    return everyone if everyone and not _changes_clients(changes) else None


def _changes_clients(changes: Mapping[str, Any]) -> bool:
    """Whether the solution may have other clients with these changes; the line `system` is without
    changes.
    """
    return any(key == "solution" or key.endswith(".clients") for key in changes)


def _looked_at(result: Result) -> tuple[str, ...]:
    """The nodes of all preflight checks that the result has: each check has them all."""
    return tuple(
        dict.fromkeys(str(node) for line in result.of("fingerprint") for node in line["nodes"])
    )
