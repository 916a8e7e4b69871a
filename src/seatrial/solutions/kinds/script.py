"""Solution `script`: storage that a site deploys with its own shell scripts, without Python.

A folder next to the study holds the manifest `solution.yaml` and the scripts that it names. The
plan contains their text unchanged. Scripts get all data about the study and its nodes as
environment variables; no text is ever substituted in a script. docs/writing-a-solution.md explains
how to write such a folder.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model, Nodes, validate
from seatrial.basics.text import Name
from seatrial.basics.units import counted
from seatrial.basics.yamlfile import Location
from seatrial.plan.data_path import DataPath, Resource, link_bytes_per_s
from seatrial.plan.plan import Plan, Stage, Step, command_step, remove_file
from seatrial.plan.site import Site
from seatrial.solutions.base import DaemonLogs, Storage, Wipe, options_data
from seatrial.solutions.parts.at_site import OneNetwork
from seatrial.solutions.parts.checks import check_no_ipv6, check_nodes
from seatrial.solutions.parts.raid import erase
from seatrial.solutions.parts.script_folder import (
    CLIENT,
    MANIFEST,
    CrossedPart,
    Manifest,
    NodePart,
    Role,
    ScriptFolder,
    ScriptStage,
    Value,
    read_folder,
)
from seatrial.solutions.parts.steps import empty_page_cache, mount_steps, need_commands, no_mount
from seatrial.solutions.starter import Starter
from seatrial.study.study import Study
from seatrial.study.timers import Timer

OF_RECORDS = ("agent", "console", "histories", "kernel", "logs", "scripts")
"""folder names that a result uses itself; the solution's folder is kept next to them"""

STARTER = Starter(
    "Storage that scripts build", "script.yaml.j2", folder="studies/script-glusterfs/solution"
)


class Options(Model):
    """The keys of `solution` when its kind is script."""

    kind: Literal["script"]
    folder: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$")] = Field(
        "solution",
        description="Folder next to the study with `solution.yaml` and the scripts that it names.",
    )
    roles: dict[Role, Nodes] = Field(
        default_factory=dict,
        description=(
            "Node sets by role. By default `server`: nodes with disks; `client`: nodes without a"
            " role."
        ),
    )
    network: Name | None = Field(
        None,
        description="Network of the storage. By default the data network.",
    )
    values: dict[str, Value] = Field(
        default_factory=dict,
        description="Values of the manifest that differ in this study.",
    )


FILES = {"solution.yaml": Manifest}
"""files of a study that are no part of it, and their models, for the documents"""


def load(study: Study, site: Site) -> "Scripts":
    """Read the folder.

    InputError, with the place of the mistake, when the folder is wrong or does not fit the study.
    """
    options = validate(Options, options_data(study), study.source, ("solution",))
    check_no_ipv6(study, site, "script")
    path = study.source.path.parent / options.folder
    if options.folder in OF_RECORDS:
        problem = f"every result has its own folder {options.folder!r}; rename this one"
        raise study.mistake(("solution", "folder"), problem)
    if not (path / MANIFEST).is_file():
        raise study.mistake(("solution", "folder"), f"{path / MANIFEST}: no such file")
    folder = read_folder(path)
    roles = _roles(study, site, options)
    values = _values(study, options, folder)
    manifest = folder.manifest
    named_roles: list[tuple[Location, str]] = [
        *((("packages", role), role) for role in manifest.packages),
        *((("logs", role), role) for role in manifest.logs),
        *((("stages", index, "role"), stage.role) for index, stage in enumerate(manifest.stages)),
        *((("data_path", key), CrossedPart.of(key).role) for key in manifest.data_path),
    ]
    for location, role in named_roles:
        if role not in roles:
            adds = f"a study adds one by solution.roles: {{{role}: NODES}}"
            problem = f"no role is called {role!r}; one of {', '.join(roles)}; {adds}"
            raise folder.mistake(location, problem)
    solution = Scripts(study.id, options, site, roles[CLIENT], folder, roles, values)
    solution.check()
    return solution


def _roles(study: Study, site: Site, options: Options) -> dict[str, tuple[str, ...]]:
    nodes_by_role = {role: expand(nodes) for role, nodes in options.roles.items()}
    taken = {name for names in nodes_by_role.values() for name in names}
    disks = tuple(name for name, node in site.nodes.items() if node.devices and name not in taken)
    roles = {"server": nodes_by_role.get("server", disks)}
    rest = tuple(name for name in site.nodes if name not in {*taken, *roles["server"]})
    roles |= {CLIENT: nodes_by_role.get(CLIENT, rest), **nodes_by_role}
    for role, names in roles.items():
        if not names:
            problem = f"no node is a {role}; add roles: {{{role}: NODES}}"
            raise study.mistake(("solution", "roles", role), problem)
        check_nodes(study, site, ("solution", "roles", role), names, options.network)
    return roles


def _values(study: Study, options: Options, folder: ScriptFolder) -> dict[str, str]:
    """Name -> text of every value; the study's values replace the manifest's defaults."""
    defaults = folder.manifest.values
    for name in options.values:
        if name not in defaults:
            choice = ", ".join(defaults) or "none"
            problem = f"{folder.source.path} has no value {name!r}; one of {choice}"
            raise study.mistake(("solution", "values", name), problem)
    texts = {}
    for name, value in {**defaults, **options.values}.items():
        if value is None:
            problem = f"{name} has no default; add values: {{{name}: ...}}"
            raise study.mistake(("solution", "values"), problem)
        texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return texts


@dataclass(frozen=True)
class Scripts(OneNetwork):
    """The solution at a site; see `solutions.base.Solution`."""

    options: Options
    folder: ScriptFolder
    roles: Mapping[str, tuple[str, ...]]
    """role -> its nodes, in order; `server` and `client` always exist"""
    values: Mapping[str, str]

    @property
    def manifest(self) -> Manifest:
        """The manifest of the folder."""
        return self.folder.manifest

    @property
    def files(self) -> Mapping[str, str]:
        """The manifest and the scripts, which a result keeps."""
        return self.folder.texts

    @property
    def servers(self) -> tuple[str, ...]:
        """The nodes of the role `server`."""
        return self.roles["server"]

    @property
    def storage_nodes(self) -> tuple[str, ...]:
        """All nodes of any role but `client`, and every node with disks.

        An experiment may use any node with disks as a server.
        """
        parts = {name for role, names in self.roles.items() if role != CLIENT for name in names}
        return tuple(
            name for name, node in self.site.nodes.items() if name in parts or node.devices
        )

    @property
    def layout(self) -> Hashable:
        """The scripts, the nodes that hold data, and the values that the manifest lists for it."""
        holders = tuple(
            (role, names) for role, names in sorted(self.roles.items()) if role != CLIENT
        )
        return (
            self.options.folder,
            holders,
            tuple(self.values[name] for name in self.manifest.layout),
        )

    def daemon_logs(self, node: str) -> DaemonLogs:
        """The logs that the manifest names for each role of the node."""
        logs = self.manifest.logs.items()
        logs_of_roles = [logs_of_role for role, logs_of_role in logs if node in self.roles[role]]
        units = dict.fromkeys(unit for logs in logs_of_roles for unit in logs.units)
        files = dict.fromkeys(path for logs in logs_of_roles for path in logs.files)
        return DaemonLogs(tuple(units), tuple(files))

    @property
    def packages(self) -> tuple[str, ...]:
        """All packages that any node needs."""
        return tuple(
            name for commands in self.manifest.packages.values() for name in commands.values()
        )

    @property
    def timers(self) -> dict[str, Timer]:
        """The timers of the file system that the manifest names."""
        timers = self.manifest.timers.items()
        return {name: Timer(self._number(timer.seconds), timer.source) for name, timer in timers}

    def check(self) -> None:
        """Check the folder together with the study.

        InputError for unknown variables, for steps that need disks on a node without any, and for
        values that must be numbers and are not.
        """
        self.folder.check_variables(self._variables(self.clients[0]))
        for position, stage in enumerate(self.manifest.stages):
            bare = [name for name in self._nodes(stage) if not self.site.nodes[name].devices]
            for index, step in enumerate(stage.steps):
                if step.destroys and bare:
                    place = ("stages", position, "steps", index, "destroys")
                    raise self.folder.mistake(place, f"{bare[0]!r} has no disks in this study")
        crossings = self.manifest.data_path.items()
        timers = self.manifest.timers.items()
        numbers: list[tuple[Location, float | str]] = [
            *((("data_path", crossed, "read"), crossing.read) for crossed, crossing in crossings),
            *((("data_path", crossed, "write"), crossing.write) for crossed, crossing in crossings),
            *((("timers", name, "seconds"), timer.seconds) for name, timer in timers),
        ]
        for location, number in numbers:
            if not 0 < self._number(number) < math.inf:
                problem = f"{number!r} is not a value with a number above 0"
                raise self.folder.mistake(location, problem)

    def plan(self, wipe: Wipe) -> Plan:
        """Install packages, set the MTU, run the manifest's stages, mount on every client."""
        members = (name for names in self.roles.values() for name in names)
        first = self.servers[0]
        peers = dict.fromkeys(members, self.address(first)) | {first: self.address(self.clients[0])}
        stages = [
            Stage("packages", self._package_steps()),
            Stage("network", self.mtu_steps((self.network, peers))),
            *(
                Stage(
                    stage.title,
                    {name: tuple(self._steps(stage, name, wipe)) for name in self._nodes(stage)},
                )
                for stage in self.manifest.stages
            ),
            Stage("mount", self.each_client(*self._mount_steps())),
        ]
        title = (
            f"{self.manifest.title}: {counted(len(self.servers), 'server')} for"
            f" {counted(len(self.clients), 'client')}"
        )
        return self.planned(title, stages, self.manifest.warnings)

    def removal(self, wipe: Wipe) -> Plan:
        """The deployment in reverse order, of the steps with a script for removal.

        Data stay on the disks except on the devices in `wipe`.
        """
        stages = [
            Stage(
                "unmount",
                self.each_client(*no_mount(self.directory), remove_file(self.mount_record)),
            )
        ]
        for stage in reversed(self.manifest.stages):
            if any(step.remove for step in stage.steps):
                steps = {
                    name: tuple(self._removal_steps(stage, name)) for name in self._nodes(stage)
                }
                stages.append(Stage(f"undo: {stage.title}", steps))
        erase_steps: dict[str, tuple[Step, ...]] = {
            name: (erase(*sorted(devices)),) for name, devices in wipe.items() if devices
        }
        stages += [Stage("erase the disks", erase_steps)] if erase_steps else []
        return Plan(self.study_id, f"take out of service: {self.manifest.title}", tuple(stages))

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """Unmount everywhere, write back and drop the page cache of the storage nodes, mount."""
        clients_first = dict.fromkeys((*clients, *self.clients))
        drop = empty_page_cache()
        meanwhile = Stage("empty the page cache", dict.fromkeys(self.storage_nodes, (drop,)))
        return self.caches_emptied(clients_first, meanwhile, self._mount_steps()[1:])

    @property
    def storage(self) -> Storage:
        """The network of the storage; what the scripts make of the disks is not known."""
        return Storage(network=self.network)

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        """The resources of the manifest that every byte crosses, without those of unknown rate."""
        resources = []
        for key, crossing in self.manifest.data_path.items():
            crossed = CrossedPart.of(key)
            nodes = self.roles[crossed.role]
            names = nodes[:clients] if crossed.is_of_clients else nodes
            rates = [self._rate(name, crossed.part) for name in names]
            is_link = crossed.part is NodePart.LINKS
            if all(rates) and not (local and is_link):
                total = sum(rate for rate in rates if rate)
                read = total / self._number(crossing.read)
                write = total / self._number(crossing.write)
                resources.append(Resource(crossed.resource_role, key, read, write, hard=is_link))
        return DataPath(clients, tuple(resources))

    def parts(self) -> list[tuple[str, str]]:
        """The components for the report."""
        mount = self.manifest.mount
        stages = self.manifest.stages
        values = ", ".join(f"{name} {value}" for name, value in self.values.items())
        count = sum(len(stage.steps) for stage in stages)
        return [
            ("solution", self.manifest.title),
            (
                "scripts",
                (
                    f"{self.options.folder}, {counted(count, 'step')} in"
                    f" {counted(len(stages), 'stage')}"
                ),
            ),
            *([("values", values)] if values else []),
            ("mount", f"{mount.type}, {', '.join(mount.options) or 'no further options'}"),
            ("MTU", str(self.site.mtus[self.network])),
        ]

    # ---- the variables of scripts

    def _variables(self, name: str) -> dict[str, str]:
        """The variables that a script on a node can use: name -> value."""
        node = self.site.nodes[name]
        roles = {}
        for role, names in self.roles.items():
            roles[f"SEATRIAL_{role.upper()}_NODES"] = " ".join(names)
            roles[f"SEATRIAL_{role.upper()}_ADDRESSES"] = " ".join(map(self.address, names))
        return {
            "SEATRIAL_STUDY": self.study_id,
            "SEATRIAL_NODE": name,
            "SEATRIAL_ADDRESS": self.address(name),
            "SEATRIAL_DEVICES": " ".join(node.devices),
            "SEATRIAL_MOUNT": self.directory,
            **roles,
            **self.values,
        }

    def _rate(self, name: str, part: NodePart) -> float | None:
        """Bytes/s of a node's links (payload), storage paths or disks; None when unknown."""
        node = self.site.nodes[name]
        match part:
            case NodePart.LINKS:
                return link_bytes_per_s(self.site, name, self.network)
            case NodePart.PATHS:
                return node.path_rate_bytes_per_s
            case NodePart.DISKS:
                return (node.device_rate_bytes_per_s or 0.0) * len(node.devices) or None

    def _number(self, times: float | str) -> float:
        """A number, or the number in the value of that name; 0 when there is none."""
        try:
            return float(self.values.get(times, "0")) if isinstance(times, str) else times
        except ValueError:
            return 0.0

    # ---- steps

    def _nodes(self, stage: ScriptStage) -> tuple[str, ...]:
        names = self.roles[stage.role]
        return names[:1] if stage.nodes == "first" else names

    def _steps(self, stage: ScriptStage, name: str, wipe: Wipe) -> list[Step]:
        """The steps of a stage on one node.

        Devices in `wipe` are erased first, unless the step's check finds them already in service.
        """
        node = self.site.nodes[name]
        variables = self._variables(name)
        steps = []
        for step in stage.steps:
            check = self.folder.scripts[step.check].call(variables)
            erasable = [device for device in node.devices if device in wipe.get(name, frozenset())]
            if step.destroys and erasable:
                steps.append(erase(*erasable, unless=check))
            apply = self.folder.scripts[step.apply].call(variables)
            destroyed = node.devices if step.destroys else ()
            steps.append(
                command_step(step.title, check, apply, reason=step.reason, destroys=destroyed)
            )
        return steps

    def _removal_steps(self, stage: ScriptStage, name: str) -> list[Step]:
        variables = self._variables(name)
        steps = []
        for step in reversed(stage.steps):
            if step.remove is not None:
                is_done = self.folder.scripts[step.removed or step.check].call(variables)
                check = is_done if step.removed else f"! (\n{is_done}\n)"
                steps.append(
                    command_step(
                        f"undo: {step.title}",
                        check,
                        self.folder.scripts[step.remove].call(variables),
                    )
                )
        return steps

    def _package_steps(self) -> dict[str, tuple[Step, ...]]:
        needed: dict[str, dict[str, str]] = {}
        for role, commands in self.manifest.packages.items():
            for name in self.roles[role] if commands else ():
                needed.setdefault(name, {}).update(commands)
        return {name: (need_commands(commands),) for name, commands in needed.items()}

    def _mount_steps(self) -> list[Step]:
        mount = self.manifest.mount
        path = self.directory
        addresses = [self.address(name) for name in self.servers]
        device = mount.device
        for word, text in {
            "server": addresses[0],
            "servers": ",".join(addresses),
            "study": self.study_id,
        }.items():
            device = device.replace(f"{{{word}}}", text)
        options = ",".join(mount.options) or "defaults"
        recorded_text = f"{device} {mount.type} {options}"
        return mount_steps(
            device, path, mount.type, options, self.mount_record, recorded_text=recorded_text
        )
