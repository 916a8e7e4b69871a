"""The manifest of a result from before manifests existed, made from its stored study and its line
`system`.
"""

from collections.abc import Mapping
from typing import cast

from seatrial.record.manifest import Manifest, NoManifestError
from seatrial.record.planned import Changes, Facts, planned
from seatrial.record.record import Record
from seatrial.study.forms import FORMS, Form
from seatrial.study.study import Study
from seatrial.study.timers import Timer


def derived_manifest(study: Study, record: Record) -> Manifest:
    """The manifest of the study's plan; facts that only its solution knew are left open.
    NoManifestError where it cannot be made.

    Older results may lack evidence that was not kept yet: fingerprints, and the lines of agents in
    trimmed copies.
    """
    run, system = record.first("run"), record.first("system")
    form, only = run.get("form"), tuple(run.get("only") or ())
    if form not in FORMS:
        raise NoManifestError(
            f"what was to be measured cannot be derived: the run is of no form, but {form!r}"
        )
    everyone = tuple(system.get("clients") or ())

    def clients(changes: Changes) -> tuple[str, ...] | None:
        return everyone if everyone and not _changes_clients(changes) else None

    facts = Facts(
        clients=clients,
        servers=tuple(system.get("servers") or ()),
        services=_unknown_services,
        timers=_unknown_timers,
        fingerprinted=_looked_at(record),
        baselines=() if study.baselines and not only else None,
        keeps_agent_lines=False,
        is_derived=True,
    )
    return planned(study, cast(Form, form), only, facts)


def _changes_clients(changes: Changes) -> bool:
    """Whether the solution may have other clients with these changes; the line `system` is without
    changes.
    """
    return any(key == "solution" or key.endswith(".clients") for key in changes)


def _looked_at(record: Record) -> tuple[str, ...]:
    """The nodes of all preflight checks that the result has: each check has them all."""
    return tuple(
        dict.fromkeys(str(node) for line in record.of("fingerprint") for node in line["nodes"])
    )


def _unknown_services(_changes: Changes) -> None:
    return None


def _unknown_timers(_changes: Changes) -> Mapping[str, Timer]:
    return {}
