"""A study: question, topology, solution, experiments, faults and criteria, as one typed YAML.

Everything here is a frozen model in SI units. What belongs to one kind of solution, lab or checker
stays in that kind's own file: the study keeps its options as written and the kind's model reads
them (`options`).
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, PrivateAttr

from seatrial.basics.errors import InputError, Refused
from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model, Nodes, mistake, validate
from seatrial.basics.shipped import study_file
from seatrial.basics.text import Identity, Name
from seatrial.basics.units import parse_rate
from seatrial.basics.yamlfile import Location, YamlFile, load_yaml, parse_yaml
from seatrial.study import aliases
from seatrial.study.continued import with_continued
from seatrial.study.experiment import Experiment
from seatrial.study.faults import Fault, Stream
from seatrial.study.nodes import Network, Node
from seatrial.study.power import Pdu
from seatrial.study.profiles import (
    COMMON_PROFILES,
    PAPER,
    InProfile,
    Profile,
    all_in_profile,
    is_in,
    with_nodes_of,
    with_values_of,
)
from seatrial.study.published import PublishedClaim
from seatrial.study.repetitions import Repetitions, repetitions
from seatrial.study.rules import check_rules
from seatrial.study.shares import SharesWith
from seatrial.study.size_tables import SizesTable


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
    REPLACED_KEYS: ClassVar[dict[str, str]] = {
        "kind": "every claim of a study is an acceptance criterion, so leave it out"
    }
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


class Study(Model):
    """One study; see docs/study-format.md."""

    ALIASES = aliases.OF_STUDY
    schema_: Literal["study/1"] = Field(
        alias="schema",
        description="The version of the format, `study/1`.",
    )
    id: Identity = Field(
        description=(
            "Identifier of lower-case letters, digits and `-`. It names results, labs, "
            "mount points, arrays and files on nodes."
        ),
    )
    title: str | None = Field(None, description="Title of the report.")
    question: str | None = Field(
        None,
        description="The question that the study answers. The report shows it.",
    )
    published: Identity | None = Field(
        None,
        description=(
            "Identifier of the published result that the study is compared with, a file `ID.yaml`."
        ),
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
        description=(
            "The score that the report shows. `io500` needs experiments with the names of IO500's"
            " phases."
        ),
    )
    baselines: tuple[Literal["disks", "paths", "links", "mtu"], ...] = Field(
        (),
        description=(
            "Components that are measured before the first experiment. The quick profile measures"
            " `mtu` only."
        ),
    )
    background_load: dict[Identity, Stream] = Field(
        default_factory=dict,
        description=(
            "Background load by name: workload streams that run on clients during every fault."
        ),
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
    fault_rows_from: Identity | None = Field(
        None,
        description=(
            "Another study with faults that repeat rows of the published fault table: it answers"
            " those rows. A run copies its newest complete result into this one."
        ),
    )
    size_tables: dict[str, SizesTable] = Field(
        default_factory=dict,
        description=(
            "Reproductions of tables of rates by file size, by the number of the published table."
        ),
    )

    profile_overrides: dict[Profile, dict[str, Any]] = Field(
        default_factory=dict,
        description=(
            "Values that differ in a profile, by path: `{paper: {environment.scale: 1/400}}`."
        ),
    )

    _source: YamlFile = PrivateAttr()
    _profile: Profile | None = PrivateAttr(default=None)
    _repetitions: Repetitions = PrivateAttr()
    _parsed: dict[tuple[str, Profile], dict[str, Any]] = PrivateAttr(default_factory=dict)
    """(part, profile) -> its items with the values of the profile; variants that have the same part
    share them
    """

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
        return self.nodes_by_name[name]

    def node_names(self) -> tuple[str, ...]:
        """Every node, in the order of the file."""
        return tuple(self.nodes_by_name)

    def networks_of(self, name: str) -> tuple[str, ...]:
        """The networks that a node is attached to, in the study's order."""
        own_networks = self.node(name).networks
        return tuple(
            network for network in self.networks if own_networks is None or network in own_networks
        )

    def attached(self, network: str) -> tuple[str, ...]:
        """The nodes that are attached to a network, in the order of the file."""
        return tuple(name for name in self.node_names() if network in self.networks_of(name))

    def outlets(self, name: str) -> dict[str, int]:
        """The outlet of each of a node's supplies, by PDU: as given, or counted in the order of the
        nodes.
        """
        return {
            pdu: (self.pdus[pdu].outlets or {}).get(name) or self._on_pdu(pdu).index(name) + 1
            for pdu in self.node(name).power or ()
        }

    def _on_pdu(self, pdu: str) -> list[str]:
        return [name for name, node in self.nodes_by_name.items() if pdu in (node.power or ())]

    @cached_property
    def nodes_by_name(self) -> dict[str, Node]:
        """Each node by its name; made once, because it is asked thousands of times."""
        return {name: node for nodes, node in self.nodes.items() for name in expand(nodes)}

    @property
    def data_network(self) -> str:
        """On which clients and servers meet where the solution does not name another: `data`, else
        the first.
        """
        return "data" if "data" in self.networks else next(iter(self.networks))

    def mtus(self) -> tuple[dict[str, int], tuple[str, ...]]:
        """Each network's MTU in bytes, and the names of the networks with an MTU in the study.

        Only the latter change hosts: a default does not.
        """
        with_mtu = tuple(
            name for name, network in self.networks.items() if "mtu" in network.model_fields_set
        )
        return {name: network.mtu for name, network in self.networks.items()}, with_mtu

    def resource(self, name: str) -> tuple[str, float]:
        """A modelled resource, (its name, bytes per second): a node stands for its link, a rate for
        itself.

        ValueError when it is neither, Refused for a node with a link that has no rate.
        """
        if name not in self.node_names():
            return f"{name}", parse_rate(name)
        rate = self.node(name).link
        if rate is None:
            raise Refused(f"{name!r} has no link rate in this study")
        return f"{name}'s link", rate

    def mistake(self, location: Location, message: str) -> InputError:
        """The error for a mistake at `location` of this study; of a repeated fault, where the study
        writes it.
        """
        return mistake(self._source, self.written(location), message)

    def written(self, location: Location) -> Location:
        """The same location with the name under which the study writes a fault."""
        section, *names = location or ("",)
        if section != "faults" or not names:
            return location
        name, *rest = names
        return (section, self._repetitions.written_name(str(name)), *rest)

    def with_values(self, changes: Mapping[str, Any]) -> "Study":
        """The study with some values replaced: `{"solution.export.threads": 64}`; InputError when
        one is wrong.
        """
        data = with_values_of(self._data_of(self._profile), changes)
        changed = {path.partition(".")[0] for path in changes}
        read = {
            **{key: getattr(self, key) for key in READ_ONCE},
            "faults": self._repetitions.written,
        }
        data |= {key: read[key] for key in READ_ONCE if key in data and key not in changed}
        parsed = {key: items for key, items in self._parsed.items() if key[0] not in changed}
        return _build(data, self._source, self._profile, parsed)

    def in_profile(self, profile: Profile) -> "Study":
        """The study with the nodes and the values of a profile.

        A node set may name its `profiles`; without this profile it is left out.
        """
        nodes = self.nodes.values()
        is_this = all(profile in node.profiles for node in nodes) and profile != PAPER
        if self._profile == profile or (is_this and not self.profile_overrides.get(profile)):
            return self
        return _build(self._data_of(profile), self._source, profile)

    def _data_of(self, profile: Profile | None) -> Any:
        """The data of the file, with the values of a profile."""
        changes = self.profile_overrides.get(profile) if profile else None
        return with_values_of(self._source.data, changes) if changes else self._source.data

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The profiles of its nodes: the common ones, or the single one of `in_profile`."""
        return (self._profile,) if self._profile else COMMON_PROFILES

    @property
    def all_profiles(self) -> tuple[Profile, ...]:
        """The same, and the profile `paper` of a study that has one."""
        items = (*self.experiments.values(), *self._repetitions.written.values())
        has_paper = not self._profile and any(is_in(item, PAPER) for item in items)
        return (*self.profiles, PAPER) if has_paper else self.profiles

    def experiments_in(self, profile: Profile) -> dict[str, Experiment]:
        """The experiments of a profile: `quick` and `trial` leave some out or make them shorter."""
        return self._in_profile(self.experiments, profile, "experiments")

    def faults_in(self, profile: Profile) -> dict[str, Fault]:
        """The faults of a profile, each repetition by its own name."""
        return self._repetitions.faults(self.written_faults_in(profile))

    def written_faults_in(self, profile: Profile) -> dict[str, Fault]:
        """The faults of a profile as the study writes them, without their repetitions."""
        return self._in_profile(self._repetitions.written, profile, "faults")

    def background_load_in(self, profile: Profile) -> dict[str, Stream]:
        """The streams on clients during the faults of a profile."""
        return self._in_profile(self.background_load, profile, "background_load")

    def _in_profile(
        self, items: Mapping[str, InProfile], profile: Profile, part: str
    ) -> dict[str, InProfile]:
        key = (part, profile)
        if key not in self._parsed:
            self._parsed[key] = all_in_profile(items, profile, self._source, part)
        return dict(self._parsed[key])


READ_ONCE = (
    "experiments",
    "background_load",
    "faults",
    "criteria",
    "published_claims",
    "size_tables",
    "comparable_to",
)
"""parts of a study that it shares with its variants, which change the rest"""


def load_study(path: Path) -> Study:
    """Read and check the study at `path`, its folder's, or one by name; InputError names mistakes
    with their place.
    """
    return _whole(with_continued(load_yaml(study_file(path))))


def parse_study(text: str, path: Path) -> Study:
    """The study in `text`; `path` is used in messages."""
    return _whole(with_continued(parse_yaml(text, path)))


def _whole(source: YamlFile) -> Study:
    """The study, with the nodes and values of its profile `paper` checked too."""
    study = _build(source.data, source)
    has_further_nodes = len(study.nodes) < len(source.data["nodes"])
    if has_further_nodes or PAPER in study.all_profiles:
        study.in_profile(PAPER)
    return study


def _build(
    data: Any,
    source: YamlFile,
    of_profile: Profile | None = None,
    parsed: Mapping[tuple[str, Profile], dict[str, Any]] | None = None,
) -> Study:
    study = validate(Study, with_nodes_of(data, of_profile or "full"), source)
    study._parsed = dict(parsed or {})
    study._source = source
    study._profile = of_profile
    study._repetitions = repetitions(study.faults)
    study = study.replaced(faults=study._repetitions.faults(study.faults))
    check_rules(study)
    return study
