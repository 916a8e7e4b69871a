"""A study: question, topology, solution, experiments, faults and criteria, as one typed YAML.

Everything here is a frozen model in SI units. What belongs to one kind of solution, lab or checker stays in
that kind's own file: the study keeps its options as written and the kind's model reads them (`options`).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import ConfigDict, Field, PrivateAttr

from seatrial.basics.errors import InputError, Refused
from seatrial.basics.node_sets import NODES_MAX, SAME_HOST, expand
from seatrial.basics.schema import Model, Nodes, mistake, validate
from seatrial.basics.shipped import study_file
from seatrial.basics.text import Identity, Name
from seatrial.basics.units import parse_rate
from seatrial.basics.yamlfile import Location, YamlFile, load_yaml, parse_yaml
from seatrial.study import aliases
from seatrial.study.continued import continued_mistakes, with_continued
from seatrial.study.experiment import Experiment, experiment_mistakes
from seatrial.study.faults import Fault, Stream
from seatrial.study.nodes import Network, Node
from seatrial.study.power import Pdu, power_mistakes
from seatrial.study.profiles import ALL_PROFILES, Profile, all_in_profile, with_nodes_of, with_values_of
from seatrial.study.published import PublishedClaim
from seatrial.study.repetitions import Repetitions, repetitions
from seatrial.study.shares import SharesWith, shares_mistakes
from seatrial.study.workload import CopyPhase


class Kind(Model):
    """A solution or an environment. The file of its kind reads the options."""

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: str = Field(description="The kind. It determines the other keys.")

    def options(self) -> dict[str, Any]:
        """The options as written, without `kind`."""
        return dict(self.model_extra or {})


class Criterion(Model):
    """An acceptance criterion: `check` names the checker, and its options are further keys."""

    model_config = ConfigDict(frozen=True, extra="allow")
    GONE: ClassVar[dict[str, str]] = {"kind": "every claim of a study is an acceptance criterion, so leave it out"}
    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")] = Field(
        description="Unique identifier of lower-case letters, digits and `-`.",
    )
    check: str = Field(description="The check. Its options are written next to these keys.")
    title: str | None = Field(
        None,
        description="The criterion in words. By default the title of the check.",
    )

    def options(self) -> dict[str, Any]:
        """What the checker reads."""
        return dict(self.model_extra or {})


class VariantRef(Model):
    """A variant of an experiment."""

    experiment: str = Field(description="Name of the experiment.")
    variant: str = Field(description="Name of the variant.")


class SizesTable(Model):
    """A table of copies by file size: a column for each of some variants."""

    title: str = Field(description="Title of the table.")
    phase: CopyPhase = Field("copy-to-storage", description="The phase that the table shows.")
    columns: dict[str, VariantRef] = Field(
        min_length=1,
        description="The variants that are the columns, by the title of the column.",
    )


class Study(Model):
    """One study; see docs/study-format.md."""

    ALIASES = aliases.OF_STUDY
    schema_: Literal["study/1"] = Field(
        alias="schema",
        description="The version of the format, `study/1`.",
    )
    id: Identity = Field(
        description="Identifier of lower-case letters, digits and `-`. It names results, labs, "
        "mount points, arrays and files on nodes.",
    )
    title: str | None = Field(None, description="Title of the report.")
    question: str | None = Field(
        None,
        description="The question that the study answers. The report shows it.",
    )
    published: Identity | None = Field(
        None,
        description="Identifier of the published result that the study is compared with, a file `ID.yaml`.",
    )
    comparable_to: SharesWith | None = Field(
        None,
        description="Comparison of the study with the system that it represents, point by point.",
    )
    environment: Kind = Field(description="The environment: where the study runs.")
    networks: dict[Name, Network] = Field(
        default_factory=lambda: {"data": Network()},
        description="Networks by name. Without the key there is one network, `data`.",
    )
    pdus: dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,62}$")], Pdu] = Field(
        default_factory=dict,
        description="Switched power distribution units by name. Each is one power bus.",
    )
    nodes: dict[Nodes, Node] = Field(
        min_length=1,
        description="Node sets, and the properties of each node in them.",
    )
    solution: Kind = Field(description="The storage that is deployed or measured.")
    experiments: dict[Name, Experiment] = Field(
        default_factory=dict,
        description="Experiments by name.",
    )
    score: Literal["io500"] | None = Field(
        None,
        description="The score that the report shows. `io500` needs experiments with the names of IO500's phases.",
    )
    baselines: tuple[Literal["disks", "paths", "links", "mtu"], ...] = Field(
        (),
        description="Components that are measured before the first experiment. The quick profile measures `mtu` only.",
    )
    background_load: dict[Identity, Stream] = Field(
        default_factory=dict,
        description="Background load by name: workload streams that run on clients during every fault.",
    )
    faults: dict[Identity, Fault] = Field(
        default_factory=dict,
        description="Faults by name. They are injected in this order, after the experiments.",
    )
    criteria: tuple[Criterion, ...] = Field(
        (),
        description="Acceptance criteria. They alone determine the exit code.",
    )
    published_claims: dict[str, PublishedClaim] = Field(
        default_factory=dict,
        description="Answers of this study, by the identifier of the published claim.",
    )
    size_tables: dict[str, SizesTable] = Field(
        default_factory=dict,
        description="Reproductions of tables of rates by file size, by the number of the published table.",
    )

    _source: YamlFile = PrivateAttr()
    _profile: Profile | None = PrivateAttr(default=None)
    _repetitions: Repetitions = PrivateAttr()

    @property
    def source(self) -> YamlFile:
        """The file that it was read from, for messages."""
        return self._source

    @property
    def repetitions(self) -> Repetitions:
        """Where the names of its faults come from."""
        return self._repetitions

    def node(self, name: str) -> Node:
        """The node called `name`; KeyError when there is none."""
        return self._nodes_by_name()[name]

    def node_names(self) -> tuple[str, ...]:
        """Every node, in the order of the file."""
        return tuple(self._nodes_by_name())

    def networks_of(self, name: str) -> tuple[str, ...]:
        """The networks that a node is attached to, in the study's order."""
        own = self.node(name).networks
        return tuple(network for network in self.networks if own is None or network in own)

    def outlets(self, name: str) -> dict[str, int]:
        """The outlet of each of a node's supplies, by PDU: as given, or counted in the order of the nodes."""
        return {
            pdu: (self.pdus[pdu].outlets or {}).get(name) or self._on_pdu(pdu).index(name) + 1
            for pdu in self.node(name).power or ()
        }

    def _on_pdu(self, pdu: str) -> list[str]:
        return [name for name, node in self._nodes_by_name().items() if pdu in (node.power or ())]

    def _nodes_by_name(self) -> dict[str, Node]:
        named = self.__dict__.get("_named")  # asked thousands of times: a private attribute of pydantic is slow
        if named is None or named[0] is not self.nodes:  # a changed copy has other nodes
            named = self.nodes, {name: node for nodes, node in self.nodes.items() for name in expand(nodes)}
            self.__dict__["_named"] = named
        return cast(dict[str, Node], named[1])

    @property
    def data_network(self) -> str:
        """On which clients and servers meet where the solution does not name another: `data`, else the first."""
        return "data" if "data" in self.networks else next(iter(self.networks))

    def mtus(self) -> tuple[dict[str, int], tuple[str, ...]]:
        """Each network's MTU in bytes, and the names of the networks with an MTU in the study.

        Only the latter change hosts: a default does not.
        """
        asked = tuple(name for name, network in self.networks.items() if "mtu" in network.model_fields_set)
        return {name: network.mtu for name, network in self.networks.items()}, asked

    def resource(self, name: str) -> tuple[str, float]:
        """A modelled resource, (its name, bytes per second): a node stands for its link, a rate for itself.

        ValueError when it is neither, Refused for a node with a link that has no rate.
        """
        if name not in self.node_names():
            return f"{name}", parse_rate(name)
        rate = self.node(name).link
        if rate is None:
            raise Refused(f"{name!r} has no link rate in this study")
        return f"{name}'s link", rate

    def mistake(self, location: Location, message: str) -> InputError:
        """The error for a mistake at `location` of this study; of a repeated fault, where the study writes it."""
        return mistake(self._source, self.written(location), message)

    def written(self, location: Location) -> Location:
        """The same location with the name under which the study writes a fault."""
        section, *names = location or ("",)
        if section != "faults" or not names:
            return location
        name, *rest = names
        return (section, self._repetitions.written_name(str(name)), *rest)

    def with_values(self, changes: Mapping[str, Any]) -> "Study":
        """The study with some values replaced: `{"solution.export.threads": 64}`; InputError when one is wrong."""
        data = with_values_of(self._source.data, changes)
        changed = {path.partition(".")[0] for path in changes}
        read = {**{key: getattr(self, key) for key in READ_ONCE}, "faults": self._repetitions.written}
        data |= {key: read[key] for key in READ_ONCE if key in data and key not in changed}
        return _build(data, self._source, self._profile)

    def in_profile(self, profile: Profile) -> "Study":
        """The study with the nodes of a profile.

        A node set may name its `profiles`; without this profile it is left out.
        """
        whole = all(profile in node.profiles for node in self.nodes.values())
        return self if whole else _build(self._source.data, self._source, profile)

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The profiles that its nodes are for: all, or the single one of `in_profile`."""
        return (self._profile,) if self._profile else ALL_PROFILES

    def experiments_in(self, profile: Profile) -> dict[str, Experiment]:
        """The experiments of a profile: `quick` and `trial` leave some out or make them shorter."""
        return all_in_profile(self.experiments, profile, self._source, "experiments")

    def faults_in(self, profile: Profile) -> dict[str, Fault]:
        """The faults of a profile, each repetition by its own name."""
        return self._repetitions.faults(self._written_faults_in(profile))

    def _written_faults_in(self, profile: Profile) -> dict[str, Fault]:
        return all_in_profile(self._repetitions.written, profile, self._source, "faults")

    def background_load_in(self, profile: Profile) -> dict[str, Stream]:
        """The streams on clients during the faults of a profile."""
        return all_in_profile(self.background_load, profile, self._source, "background_load")


READ_ONCE = ("experiments", "background_load", "faults", "criteria", "published_claims", "size_tables", "comparable_to")
"""parts of a study that it shares with its variants, which change the rest"""


def load_study(path: Path) -> Study:
    """Read and check the study at `path`, its folder's, or one by name; InputError names mistakes with their place."""
    source = with_continued(load_yaml(study_file(path)))
    return _build(source.data, source)


def parse_study(text: str, path: Path) -> Study:
    """The study in `text`; `path` is used in messages."""
    source = with_continued(parse_yaml(text, path))
    return _build(source.data, source)


def _build(data: Any, source: YamlFile, of_profile: Profile | None = None) -> Study:
    study = validate(Study, with_nodes_of(data, of_profile), source)
    study._source, study._profile, study._repetitions = source, of_profile, repetitions(study.faults)
    study = study.replaced(faults=study._repetitions.faults(study.faults))
    _check_nodes(study)
    _check_cables(study)
    for location, message in power_mistakes(study.pdus, study.nodes, set(study.networks)):
        raise study.mistake(location, message)
    _check_claims(study)
    _check_published_claims(study)
    _check_size_tables(study)
    for location, message in shares_mistakes(study.comparable_to) if study.comparable_to else ():
        raise study.mistake(location, message)
    _check_faults(study)
    for each in reversed(ALL_PROFILES):
        experiments = study.experiments_in(each)
        for location, message in (*experiment_mistakes(experiments), *continued_mistakes(experiments)):
            place = location if each == "full" else (*location[:2], each, *location[2:])
            raise study.mistake(place, message)
    return study


def _check_nodes(study: Study) -> None:
    seen: dict[str, tuple[str, str]] = {}
    for nodes, node in study.nodes.items():
        names = expand(nodes)
        if node.count is not None and node.count != len(names):
            raise study.mistake(
                ("nodes", nodes, "count"),
                f"is {node.count}, but {nodes!r} names {len(names)} node(s); write the set",
            )
        for key in ("networks", "links", "addresses"):
            for network in getattr(node, key) or ():
                if network not in study.networks:
                    known = ", ".join(study.networks)
                    raise study.mistake(("nodes", nodes, key), f"no network is called {network!r}; one of {known}")
        for name in names:
            if name.lower() in seen:
                pattern, known = seen[name.lower()]
                also = "" if known == name else f" as {known!r}; {SAME_HOST}"
                raise study.mistake(
                    ("nodes", nodes),
                    f"{name!r} is named twice, here and in {pattern!r}{also}; name every node once",
                )
            seen[name.lower()] = (nodes, name)
        if len(seen) > NODES_MAX:
            raise study.mistake(("nodes", nodes), f"the study has more than {NODES_MAX} nodes with these")


def _check_size_tables(study: Study) -> None:
    for number, table in study.size_tables.items():
        for title, column in table.columns.items():
            experiment = study.experiments.get(column.experiment)
            if experiment is None or column.variant not in experiment.variants:
                variant = column.variant
                missing = f"no experiment {column.experiment!r} has a variant called {variant!r}"
                raise study.mistake(("size_tables", number, "columns", title), missing)


def _check_cables(study: Study) -> None:
    for name, network in study.networks.items():
        attached = [node for node in study.node_names() if name in study.networks_of(node)]
        if not network.switch and len(attached) != 2:
            mistake = f"a cable has two ends; {len(attached)} nodes are attached to {name!r}"
            raise study.mistake(("networks", name, "switch"), mistake)


def _check_claims(study: Study) -> None:
    seen: set[str] = set()
    for index, claim in enumerate(study.criteria):
        if claim.id in seen:
            raise study.mistake(("criteria", index, "id"), f"{claim.id!r} is used twice; give every claim its own id")
        seen.add(claim.id)


def _check_published_claims(study: Study) -> None:
    every = [(name, answer) for name, claim in study.published_claims.items() for answer in claim.answers()]
    for name, claim in every:
        named = [("series", claim.series), ("other", claim.other), *(("expect", it.series) for it in claim.expect)]
        for key, reference in named:
            if reference is not None and reference.experiment not in study.experiments:
                known = ", ".join(study.experiments)
                missing = f"no experiment is called {reference.experiment!r}; one of {known}"
                raise study.mistake(("published_claims", name, key, "experiment"), missing)
        if claim.from_ is not None and (not claim.faults or claim.from_ == study.id or claim.series):
            mistake = "the faults of another study decide this claim: write faults, and no series"
            raise study.mistake(("published_claims", name, "from_study"), mistake)
        for fault in claim.faults if claim.from_ is None else ():
            if fault not in study.faults:
                raise study.mistake(("published_claims", name, "faults"), f"no fault is called {fault!r}")
        try:
            study.resource(claim.share_of or "1Gbit/s")
        except ValueError as error:
            raise study.mistake(("published_claims", name, "share_of"), str(error)) from None


def _check_faults(study: Study) -> None:
    for location, message in study.repetitions.mistakes():
        raise study.mistake(location, message)
    for profile in study.profiles:
        for location, message in study.repetitions.mistakes_in(profile, study._written_faults_in(profile)):
            raise study.mistake(location, message)
    for name, stream in [item for profile in study.profiles for item in study.background_load_in(profile).items()]:
        for client in stream.runs_on(()):
            if client not in study.node_names():
                raise study.mistake(("background_load", name, "clients"), f"no node is called {client!r}")
    for profile in study.profiles:
        streams = study.background_load_in(profile).values()
        if study.faults_in(profile) and all(stream.copy_of is not None for stream in streams):
            runs = "nothing" if not streams else "nothing but copies, which do not tell when they get answers,"
            mistake = f"{runs} runs during the faults of the {profile} profile"
            correction = "write a workload in background_load"
            raise study.mistake(("faults",), f"{mistake}; {correction}")
    for name in sorted({*study.faults} & {*study.experiments}):
        raise study.mistake(("faults", name), f"{name!r} is an experiment too; give each its own name")
