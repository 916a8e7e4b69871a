"""The rules of a study that concern several of its parts: names, references and counts."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from seatrial.basics.node_sets import NODES_MAX, SAME_HOST, expand
from seatrial.basics.yamlfile import Location
from seatrial.study.continued import continued_mistakes
from seatrial.study.experiment import experiment_mistakes
from seatrial.study.nodes import members_path
from seatrial.study.power import power_mistakes
from seatrial.study.profiles import ALL_PROFILES, override_mistakes
from seatrial.study.published_rules import check_published_claims
from seatrial.study.shares import shares_mistakes

if TYPE_CHECKING:
    from seatrial.study.study import Study


def check_rules(study: "Study") -> None:
    """InputError, with its place, for the first mistake."""
    _check_nodes(study)
    _check_cables(study)
    _check_bonds(study)
    for location, message in override_mistakes(study.profile_overrides):
        raise study.mistake(location, message)
    for location, message in power_mistakes(study.pdus, study.nodes, set(study.networks)):
        raise study.mistake(location, message)
    _check_claims(study)
    check_published_claims(study)
    _check_size_tables(study)
    for location, message in shares_mistakes(study.comparable_to) if study.comparable_to else ():
        raise study.mistake(location, message)
    _check_faults(study)
    for profile in reversed(ALL_PROFILES):
        experiments = study.experiments_in(profile)
        for location, message in (
            *experiment_mistakes(experiments),
            *continued_mistakes(experiments),
        ):
            place = location if profile == "full" else (*location[:2], profile, *location[2:])
            raise study.mistake(place, message)


def _check_nodes(study: "Study") -> None:
    seen: dict[str, tuple[str, str]] = {}
    for nodes, node in study.nodes.items():
        names = expand(nodes)
        if node.count is not None and node.count != len(names):
            raise study.mistake(
                ("nodes", nodes, "count"),
                f"is {node.count}, but {nodes!r} names {len(names)} node(s); write the set",
            )
        for key in ("networks", "links", "bonds", "addresses"):
            for network in getattr(node, key) or ():
                if network not in study.networks:
                    networks_text = ", ".join(study.networks)
                    raise study.mistake(
                        ("nodes", nodes, key),
                        f"no network is called {network!r}; one of {networks_text}",
                    )
        for name in names:
            if name.lower() in seen:
                pattern, first_name = seen[name.lower()]
                also = "" if first_name == name else f" as {first_name!r}; {SAME_HOST}"
                raise study.mistake(
                    ("nodes", nodes),
                    f"{name!r} is named twice, here and in {pattern!r}{also}; name every node once",
                )
            seen[name.lower()] = (nodes, name)
        if len(seen) > NODES_MAX:
            raise study.mistake(
                ("nodes", nodes), f"the study has more than {NODES_MAX} nodes with these"
            )


def _check_bonds(study: "Study") -> None:
    """The number of links can change only where a bond exists: nodes get their cards once."""
    for name, experiment in study.experiments.items():
        places: dict[Location, Mapping[str, Any]] = {
            ("experiments", name, "sweep"): experiment.sweep,
            ("experiments", name, "overrides"): experiment.overrides,
            **{
                ("experiments", name, "variants", row, "overrides"): item.overrides
                for row, item in experiment.variants.items()
            },
        }
        paths = [(place, path) for place, changes in places.items() for path in changes]
        for place, path in paths:
            if path.startswith("nodes.") and ".bonds." in path and path not in _bond_paths(study):
                raise study.mistake(
                    (*place, path),
                    "no such bond; declare the bond at the nodes, with members: 1 where one link is"
                    " the base",
                )


def _bond_paths(study: "Study") -> set[str]:
    return {
        members_path(nodes, network)
        for nodes, node in study.nodes.items()
        for network in node.bonds
    }


def _check_size_tables(study: "Study") -> None:
    for number, table in study.size_tables.items():
        for title, column in table.columns.items():
            experiment = study.experiments.get(column.experiment)
            if experiment is None or column.variant not in experiment.variants:
                variant = column.variant
                missing = f"no experiment {column.experiment!r} has a variant called {variant!r}"
                raise study.mistake(("size_tables", number, "columns", title), missing)


def _check_cables(study: "Study") -> None:
    """The ends of cables, and the nodes at edge switches; a profile may leave some nodes out."""
    written = {name for nodes in study.source.data["nodes"] for name in expand(nodes)}
    left_out = written - {*study.node_names()}
    for name, network in study.networks.items():
        attached = study.attached(name)
        if not network.switch and network.edges is not None:
            raise study.mistake(
                ("networks", name, "edges"), "a cable has no switches; remove switch: false"
            )
        if network.edges is not None:
            wrong = [node for node in network.edges.named if node not in {*attached, *left_out}]
            if wrong:
                raise study.mistake(
                    ("networks", name, "edges", "nodes"),
                    f"{wrong[0]!r} is not attached to {name!r}; name nodes of this network",
                )
        if not network.switch and len(attached) != 2:
            mistake = f"a cable has two ends; {len(attached)} nodes are attached to {name!r}"
            raise study.mistake(("networks", name, "switch"), mistake)


def _check_claims(study: "Study") -> None:
    seen: set[str] = set()
    for index, claim in enumerate(study.criteria):
        if claim.id in seen:
            raise study.mistake(
                ("criteria", index, "id"),
                f"{claim.id!r} is used twice; give every claim its own id",
            )
        seen.add(claim.id)


def _check_faults(study: "Study") -> None:
    for location, message in study.repetitions.mistakes():
        raise study.mistake(location, message)
    for profile in study.profiles:
        for location, message in study.repetitions.mistakes_in(
            profile, study.written_faults_in(profile)
        ):
            raise study.mistake(location, message)
    for name, stream in [
        item for profile in study.profiles for item in study.background_load_in(profile).items()
    ]:
        for client in stream.runs_on(()):
            if client not in study.node_names():
                raise study.mistake(
                    ("background_load", name, "clients"), f"no node is called {client!r}"
                )
    for profile in study.profiles:
        streams = study.background_load_in(profile).values()
        if study.faults_in(profile) and all(stream.copy_of is not None for stream in streams):
            runs = (
                "nothing"
                if not streams
                else "nothing but copies, which do not tell when they get answers,"
            )
            mistake = f"{runs} runs during the faults of the {profile} profile"
            correction = "write a workload in background_load"
            raise study.mistake(("faults",), f"{mistake}; {correction}")
    for name in sorted({*study.faults} & {*study.experiments}):
        raise study.mistake(
            ("faults", name), f"{name!r} is an experiment too; give each its own name"
        )
