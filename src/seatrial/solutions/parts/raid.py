"""Linux md RAID of a server's disks: geometry; steps that assemble, create, stop and erase it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from seatrial.basics.schema import Model, Rate, Size
from seatrial.basics.text import shortened
from seatrial.basics.units import counted, format_size
from seatrial.plan.plan import Step, command_step, remove_file, write_file
from seatrial.plan.resources import call
from seatrial.plan.site import Site

Level = Literal[0, 1, 5, 6, 10, 50]
_PARITY = {0: 0, 5: 1, 6: 2, 50: 1}
_DISKS_MIN = {0: 2, 1: 2, 5: 3, 6: 4, 10: 4, 50: 3}


class Raid(Model):
    """`raid: {level: 50, spans: 4, chunk: 64KiB}`."""

    level: Level = Field(description="RAID level.")
    spans: int = Field(
        1,
        ge=1,
        description="RAID 50: number of RAID 5 sets that the disks are divided into, at least 2.",
    )
    spares: int = Field(
        0,
        ge=0,
        description="Spare disks that replace a failed one, the same number in each span.",
    )
    chunk: Size = Field(64 * 1024, description="Bytes per disk and stripe.")
    rebuild_rate: Rate | None = Field(
        None,
        description=(
            "Rate of a rebuild or check per disk, with and without load. A lab scales it. "
            "By default md's limits."
        ),
    )


@dataclass(frozen=True)
class RaidMistake:
    """Why disks cannot form an array."""

    key: str
    """the key of `raid` that is wrong"""
    message: str


def mistake_in(raid: Raid, disks: int, owner: str = "the server") -> RaidMistake | None:
    """Why the `disks` disks of `owner` cannot form this array; None when they can."""
    if problem := _mistake_in_spares(raid) or _mistake_in_chunk(raid):
        return problem
    working = max(disks - raid.spares, 0)
    if raid.level == 50:
        return _mistake_in_spans(raid, working)
    if raid.spans != 1:
        return RaidMistake("spans", f"spans belong to RAID 50; RAID {raid.level} has none")
    needed = _DISKS_MIN[raid.level]
    spares = f" besides {counted(raid.spares, 'spare')}" if raid.spares else ""
    available = f"{owner} has {working}{spares}"
    if working < needed:
        message = f"RAID {raid.level} needs at least {needed} disks, {available}"
        return RaidMistake("level", message)
    if raid.level == 10 and working % 2:
        return RaidMistake("level", f"RAID 10 needs an even number of disks, {available}")
    return None


def _mistake_in_spans(raid: Raid, disks: int) -> RaidMistake | None:
    """RAID 50 needs several spans of the same size. `disks`: without spares."""
    if raid.spans < 2:
        return RaidMistake("spans", "RAID 50 needs at least 2 spans")
    size, rest = divmod(disks, raid.spans)
    if rest:
        message = f"{disks} disks cannot be divided into {raid.spans} equal spans"
        return RaidMistake("spans", message)
    if size < _DISKS_MIN[50]:
        message = f"a span of {size} disks is too small; RAID 5 needs at least 3 per span"
        return RaidMistake("spans", message)
    return None


CHUNK_LEAST = 4096
"""bytes of a page: md's chunks are whole pages"""


def _mistake_in_chunk(raid: Raid) -> RaidMistake | None:
    """A chunk must be a power of two; for RAID 0 any multiple of a page."""
    chunk_bytes = raid.chunk
    is_whole_pages = chunk_bytes >= CHUNK_LEAST and chunk_bytes % CHUNK_LEAST == 0
    is_power_of_two = chunk_bytes & (chunk_bytes - 1) == 0
    if is_whole_pages and (is_power_of_two or raid.level == 0):
        return None
    advice = "write a power of two from 4KiB on, like 64KiB"
    return RaidMistake("chunk", f"{format_size(chunk_bytes)} is not a valid chunk; {advice}")


def _mistake_in_spares(raid: Raid) -> RaidMistake | None:
    if raid.spares and raid.level == 0:
        return RaidMistake("spares", "RAID 0 cannot replace a failed disk; leave spares out")
    if raid.spares % raid.spans:
        message = f"{raid.spares} spares cannot be divided into {raid.spans} equal spans"
        return RaidMistake("spares", message)
    return None


@dataclass(frozen=True)
class MdSet:
    """One md array of the kernel; the upper array of RAID 50 has md arrays as its members."""

    name: str
    level: int
    chunk_bytes: int
    members: tuple[str, ...]
    """the devices without spares"""

    @property
    def device(self) -> str:
        """The device node of the array."""
        return f"/dev/md/{self.name}"

    @property
    def has_chunks(self) -> bool:
        """Whether data are divided into chunks: a mirror has none."""
        return self.level != 1

    @property
    def needs_resync(self) -> bool:
        """Whether md makes the members consistent after the creation."""
        return self.level in {1, 5, 6, 10}


@dataclass(frozen=True)
class Array:
    """An array of named devices."""

    raid: Raid
    name: str
    """at most 24 characters; the md name is derived from it"""
    devices: tuple[str, ...]
    holds_zeros: bool
    """the devices are known to hold zeros: parity is consistent without an initial resync"""
    scale: float = 1.0
    """ratio of the site's rates to those of the modelled system"""
    parts: int = 1
    """arrays of equal size that the devices are divided into; several have no spares or spans"""

    @classmethod
    def of(cls, raid: Raid, study_id: str, site: Site, node: str, parts: int = 1) -> "Array":
        """All disks of a node as the array of a study, or as several."""
        disks = site.nodes[node]
        name = shortened(study_id, 20)
        return cls(raid, name, disks.devices, disks.devices_hold_zeros, site.scale, parts)

    @property
    def first_part(self) -> "Array":
        """The first of several arrays."""
        return replace(self, devices=self.devices[: len(self.devices) // self.parts], parts=1)

    @property
    def part_devices(self) -> tuple[str, ...]:
        """The device of each array."""
        if self.parts == 1:
            return (self.device,)
        return tuple(md_set.device for md_set in self.sets())

    @property
    def device(self) -> str:
        """The device for the file system."""
        return f"/dev/md/{self.name}"

    @property
    def data_disks(self) -> int:
        """The number of disks of data in a full stripe."""
        disks = len(self.working)
        if self.raid.level == 1:
            return self.parts
        if self.raid.level == 10:
            return disks // 2
        return disks - max(self.raid.spans, self.parts) * _PARITY[self.raid.level]

    @property
    def working(self) -> tuple[str, ...]:
        """The devices with data or parity; the last ones are spares."""
        return self.devices[: len(self.devices) - self.raid.spares]

    def reading_disks(self, *, skips_parity: bool) -> int:
        """The number of disks that serve a large read: all of a mirror, no spares.

        In a parity set a real disk passes parity chunks in the time of reading them. A lab's disk
        is limited by the bytes that it moves, so it passes them in no time (`skips_parity`).
        """
        return len(self.working) if skips_parity or self.raid.level in {1, 10} else self.data_disks

    def spares_of(self, name: str) -> tuple[str, ...]:
        """The spares of the md set `name`."""
        spares = self.devices[len(self.working) :]
        names = [md_set.name for md_set in self.sets()][: self.raid.spans]
        return spares[names.index(name) :: self.raid.spans] if name in names else ()

    def sets(self) -> list[MdSet]:
        """Every md array, the ones on disks first."""
        if self.parts > 1:
            return self._separate_sets()
        if self.raid.level == 50:
            return self._spans_and_upper_set()
        return [MdSet(self.name, self.raid.level, self.raid.chunk, self.working)]

    def _separate_sets(self) -> list[MdSet]:
        size = len(self.devices) // self.parts
        groups = [self.devices[part * size : (part + 1) * size] for part in range(self.parts)]
        return [
            MdSet(f"{self.name}-a{part}", self.raid.level, self.raid.chunk, members)
            for part, members in enumerate(groups)
            if members
        ]

    def _spans_and_upper_set(self) -> list[MdSet]:
        """RAID 50: one RAID 5 per span, and a RAID 0 of them."""
        size = len(self.working) // self.raid.spans
        starts = range(0, len(self.working), size)
        spans = [
            MdSet(f"{self.name}-s{span}", 5, self.raid.chunk, self.working[start : start + size])
            for span, start in enumerate(starts)
        ]
        # A chunk of the upper RAID 0 is a full stripe of a span, so large writes fill stripes.
        upper_chunk_bytes = self.raid.chunk * (size - 1)
        members = tuple(span.device for span in spans)
        return [*spans, MdSet(self.name, 0, upper_chunk_bytes, members)]

    def describe(self) -> str:
        """The array in words, for the report."""
        disks = f"{counted(len(self.working), 'disk')}"
        if self.raid.level == 50:
            disks += f" in {self.raid.spans} spans"
        if self.parts > 1:
            disks += f" in {self.parts} arrays"
        if self.raid.spares:
            disks += f" and {counted(self.raid.spares, 'spare')}"
        return (
            f"RAID {self.raid.level}, {disks}, chunk {format_size(self.raid.chunk)},"
            f" {self.data_disks} data disks"
        )


def wipe_steps(array: Array, devices: frozenset[str]) -> list[Step]:
    """Erase the signatures on the named devices, unless the array is active."""
    erasable = tuple(device for device in array.devices if device in devices)
    if not erasable:
        return []
    active = " && ".join(f"[ -b {device} ]" for device in array.part_devices)
    return [
        command_step(
            title=f"erase the signatures on {', '.join(erasable)}, as --wipe allows",
            check=f"{active} || all_must_be_blank {' '.join(erasable)}",
            apply=_erase_command(erasable, array.holds_zeros),
        )
    ]


def _erase_command(devices: Sequence[str], holds_zeros: bool) -> str:
    """Erase signatures and discard blocks in parallel; with a busy device no device is touched.

    When parity relies on zeros on disk, the discard must succeed.
    """
    return call("erase_devices", "zero" if holds_zeros else "discard", *devices)


def create_steps(array: Array) -> list[Step]:
    """Assemble an existing array, or create it on blank disks; spans of RAID 50 in parallel."""
    sets = array.sets()
    layers = [sets[:-1], sets[-1:]] if array.raid.level == 50 else [sets]
    steps = [step for layer in layers for step in _layer_steps(array, layer)]
    lines = "\n".join(
        f"ARRAY {md_set.device} metadata=1.2 name=any:{md_set.name}" for md_set in sets
    )
    limits = "".join(
        f"\nSYSFS name=/dev/md/{name} sync_speed_min={speed} sync_speed_max={speed}"
        for name, speed in _rebuild_kib(array).items()
    )
    steps.append(
        write_file(_conf(array), lines + limits, title="enable the assembly of the array at boot")
    )
    return steps + [_rebuild_step(name, speed) for name, speed in _rebuild_kib(array).items()]


def _rebuild_kib(array: Array) -> dict[str, int]:
    """Name of each md set that can be rebuilt -> KiB/s per disk."""
    rate = array.raid.rebuild_rate
    if not rate:
        return {}
    speed_kib_per_s = max(round(rate * array.scale / 1024), 1)
    return {md_set.name: speed_kib_per_s for md_set in array.sets() if md_set.level != 0}


def _rebuild_step(name: str, speed_kib_per_s: int) -> Step:
    """Set the rebuild rate; see md(4), sync_speed_min and _max.

    mdadm.conf(5), SYSFS, sets it again at every boot. The minimum is set with the maximum: below it
    md considers neither the maximum nor clients.
    """
    place = f"set_=$(readlink -f /dev/md/{name}); set_=/sys/block/${{set_##*/}}/md/sync_speed_"
    is_set = " && ".join(
        f'read -r speed _ <"${{set_}}{end}" && [ "$speed" = {speed_kib_per_s} ]'
        for end in ("min", "max")
    )
    return command_step(
        f"set the rebuild rate of {name} to {speed_kib_per_s} KiB/s per disk",
        f'{place}\n[ -e "${{set_}}max" ] && {is_set}',
        f"{place}\n"
        + "\n".join(f'echo {speed_kib_per_s} >"${{set_}}{end}"' for end in ("max", "min")),
        reason=(
            "md uses seemingly idle disks, and a disk with queued requests seems idle: "
            "clients would wait for the rebuild"
        ),
    )


def _layer_steps(array: Array, layer: list[MdSet]) -> list[Step]:
    names = ", ".join(md_set.name for md_set in layer)
    idle = " ||\n".join(call("md_is_idle", md_set.name, md_set.members[0]) for md_set in layer)
    assemble = "\n".join(
        call("assemble_md", md_set.name, *_devices_of(array, md_set)) for md_set in layer
    )
    level = layer[0].level
    return [
        command_step(
            title=f"assemble the existing array {names}",
            check=f"! {{ {idle}; }}",
            apply=f"{assemble}\n{_settle(layer)}",
        ),
        command_step(
            title=f"create array {names}: RAID {level}",
            check=" &&\n".join(_is_active(md_set) for md_set in layer),
            apply=_create(array, layer),
            reason=_reason(array, layer[0]),
            destroys=tuple(device for md_set in layer for device in _devices_of(array, md_set)),
            labels=tuple(f"any:{md_set.name}" for md_set in layer),
        ),
    ]


def _devices_of(array: Array, md_set: MdSet) -> tuple[str, ...]:
    """The members of an md array, and its spares."""
    return (*md_set.members, *array.spares_of(md_set.name))


def _is_active(md_set: MdSet) -> str:
    chunk = str(md_set.chunk_bytes) if md_set.has_chunks else ""
    return call("md_is", md_set.name, str(md_set.level), str(len(md_set.members)), chunk)


def _conf(array: Array) -> str:
    return f"/etc/mdadm/mdadm.conf.d/seatrial-{array.name}.conf"


def _settle(layer: list[MdSet]) -> str:
    return call("settle_md", *(md_set.name for md_set in layer))


def _create(array: Array, layer: list[MdSet]) -> str:
    """Load the module of the level, and create the md arrays in parallel."""
    level = layer[0].level
    module = "raid456" if level in {5, 6} else f"raid{level}"
    commands = "\n".join(f'{_create_command(array, md_set)} & pids="$pids $!"' for md_set in layer)
    return (
        f"modprobe {module} || true\n"
        f"pids=\n{commands}\n"
        f"for pid in $pids; do wait $pid; done\n{_settle(layer)}"
    )


def _create_command(array: Array, md_set: MdSet) -> str:
    spares = array.spares_of(md_set.name)
    spare_count = f" --spare-devices={len(spares)}" if spares else ""
    chunk = f" --chunk={md_set.chunk_bytes // 1024}" if md_set.has_chunks else ""
    clean = " --assume-clean" if array.holds_zeros and md_set.needs_resync else ""
    return (
        f"mdadm --create {md_set.device} --run --metadata=1.2 --homehost=any --name={md_set.name}"
        f" --level={md_set.level} \\\n"
        f"    --raid-devices={len(md_set.members)}{spare_count}{chunk}{clean}"
        f" {' '.join(_devices_of(array, md_set))}"
    )


def _reason(array: Array, md_set: MdSet) -> str | None:
    if md_set.level == 0 and array.raid.level == 50:
        return "an upper chunk is a full stripe of a span: large writes need no read-modify-write"
    if array.holds_zeros and md_set.needs_resync:
        return "the new devices hold zeros, so parity is consistent without an initial resync"
    return None


def remove_steps(array: Array, wipe: frozenset[str]) -> list[Step]:
    """Stop the array and erase the members in `wipe`."""
    steps = [
        command_step(
            f"stop array {md_set.name}",
            f"[ ! -e {md_set.device} ]",
            f"mdadm --stop {md_set.device}\nudevadm settle --timeout=120\nrm -f {md_set.device}",
        )
        for md_set in reversed(array.sets())
    ]
    steps.append(remove_file(_conf(array)))
    erasable = tuple(device for device in array.devices if device in wipe)
    return [*steps, erase(*erasable, holds_zeros=array.holds_zeros)] if erasable else steps


def erase(
    *devices: str, holds_zeros: bool = False, unless: str = "", folders: Sequence[str] = ()
) -> Step:
    """Erase the named devices; with `holds_zeros` they must read as zeros afterwards.

    `unless`: sh, exit 0 means that they are in service. `folders` on the node belong to the
    devices, and are removed first.
    """
    names = ", ".join(devices)
    exempt = f"(\n{unless}\n) || " if unless else ""
    folders_are_absent = f"no_file {shlex.join(folders)} && " if folders and not unless else ""
    removed = f"rm -rf {shlex.join(folders)}\n" if folders else ""
    return command_step(
        f"erase {names}, as --wipe allows",
        f"{exempt}{folders_are_absent}all_must_be_blank {' '.join(devices)}",
        f"{removed}{_erase_command(devices, holds_zeros)}",
        named=True,
    )
