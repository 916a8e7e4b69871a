"""The manifest of a result from before manifests existed, made from its stored study and its line
`system`.
"""

from collections.abc import Mapping
from typing import cast

from seatrial.result.manifest import Manifest, NoManifestError
from seatrial.result.planned import Changes, Facts, planned
from seatrial.result.result import Result
from seatrial.study.profiles import ALL_PROFILES, Profile
from seatrial.study.study import Study
from seatrial.study.timers import Timer


def derived_manifest(study: Study, result: Result) -> Manifest:
    """The manifest of the study's plan; facts that only its solution knew are left open.
    NoManifestError where it cannot be made.

    Older results may lack evidence that was not kept yet: fingerprints, and the lines of agents in
    trimmed copies.
    """
    run, system = result.first("run"), result.first("system")
    profile, only = run.get("profile"), tuple(run.get("only") or ())
    if profile not in ALL_PROFILES:
        raise NoManifestError(
            f"the manifest cannot be derived: the run has an unknown profile, {profile!r}"
        )
    everyone = tuple(system.get("clients") or ())

    def clients(changes: Changes) -> tuple[str, ...] | None:
        return everyone if everyone and not _changes_clients(changes) else None

    facts = Facts(
        clients=clients,
        servers=tuple(system.get("servers") or ()),
        services=_unknown_services,
        timers=_unknown_timers,
        fingerprinted=_looked_at(result),
        baselines=() if study.baselines and not only else None,
        keeps_agent_lines=False,
        is_derived=True,
    )
    return planned(study, cast(Profile, profile), only, facts)


def _changes_clients(changes: Changes) -> bool:
    """Whether the solution may have other clients with these changes; the line `system` is without
    changes.
    """
    return any(key == "solution" or key.endswith(".clients") for key in changes)


def _looked_at(result: Result) -> tuple[str, ...]:
    """The nodes of all preflight checks that the result has: each check has them all."""
    return tuple(
        dict.fromkeys(str(node) for line in result.of("fingerprint") for node in line["nodes"])
    )


def _unknown_services(_changes: Changes) -> None:
    return None


def _unknown_timers(_changes: Changes) -> Mapping[str, Timer]:
    return {}
