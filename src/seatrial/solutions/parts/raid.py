"""Linux md RAID of a server's disks: geometry; steps that assemble, create, stop and erase it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from seatrial.basics.schema import Model, Rate, Size
from seatrial.basics.text import shortened
from seatrial.basics.units import counted, format_size
from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.plan.site import Site

Level = Literal[0, 1, 5, 6, 10, 50]
MdSet = tuple[str, int, int, tuple[str, ...]]
"""(name, level, chunk bytes, members without spares) of one md array"""
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
        description="Rate of a rebuild or check per disk, with and without load. A lab scales it. "
        "By default md's limits.",
    )


def mistake_in(raid: Raid, disks: int) -> tuple[str, str] | None:
    """(key, message) when `disks` disks cannot profile this array; None when they can."""
    if problem := _mistake_in_spares(raid) or _mistake_in_chunk(raid):
        return problem
    disks = max(disks - raid.spares, 0)
    needed = _DISKS_MIN[raid.level]
    if raid.level == 50:
        if raid.spans < 2:
            return "spans", "RAID 50 needs at least 2 spans"
        if disks % raid.spans:
            return "spans", f"{disks} disks cannot be divided into {raid.spans} equal spans"
        if disks // raid.spans < needed:
            size = disks // raid.spans
            return "spans", f"a span of {size} disks is too small; RAID 5 needs at least 3 per span"
        return None
    if raid.spans != 1:
        return "spans", f"spans belong to RAID 50; RAID {raid.level} has none"
    if disks < needed:
        return "level", f"RAID {raid.level} needs at least {needed} disks, {_count(raid, disks)}"
    if raid.level == 10 and disks % 2:
        return "level", f"RAID 10 needs an even number of disks, {_count(raid, disks)}"
    return None


def _count(raid: Raid, disks: int) -> str:
    """The number of disks, without the spares that are subtracted from it."""
    spares = f" besides {counted(raid.spares, 'spare')}" if raid.spares else ""
    return f"the server has {disks}{spares}"


CHUNK_LEAST = 4096
"""bytes of a page: md's chunks are whole pages"""


def _mistake_in_chunk(raid: Raid) -> tuple[str, str] | None:
    """A chunk must be a power of two; for RAID 0 any multiple of a page."""
    chunk = raid.chunk
    if chunk < CHUNK_LEAST or chunk % CHUNK_LEAST or (raid.level != 0 and chunk & (chunk - 1)):
        advice = "write a power of two from 4KiB on, like 64KiB"
        return "chunk", f"{format_size(chunk)} is not a valid chunk; {advice}"
    return None


def _mistake_in_spares(raid: Raid) -> tuple[str, str] | None:
    if raid.spares and raid.level == 0:
        return "spares", "RAID 0 cannot replace a failed disk; leave spares out"
    if raid.spares % raid.spans:
        return "spares", f"{raid.spares} spares cannot be divided into {raid.spans} equal spans"
    return None


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

    @classmethod
    def of(cls, raid: Raid, study_id: str, site: Site, node: str) -> "Array":
        """All disks of a node as the array of a study."""
        disks = site.nodes[node]
        return cls(raid, shortened(study_id, 20), disks.devices, disks.devices_hold_zeros, site.scale)

    @property
    def device(self) -> str:
        """The device for the file system."""
        return f"/dev/md/{self.name}"

    @property
    def data_disks(self) -> int:
        """The number of disks of data in a full stripe."""
        disks = len(self.working)
        if self.raid.level == 1:
            return 1
        if self.raid.level == 10:
            return disks // 2
        return disks - self.raid.spans * _PARITY[self.raid.level]

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
        spares, sets = self.devices[len(self.working) :], [item[0] for item in self.sets()][: self.raid.spans]
        return spares[sets.index(name) :: self.raid.spans] if name in sets else ()

    def sets(self) -> list[MdSet]:
        """(name, level, chunk bytes, members) of every md set, bottom first."""
        if self.raid.level != 50:
            return [(self.name, self.raid.level, self.raid.chunk, self.working)]
        size = len(self.working) // self.raid.spans
        spans = [self.working[start : start + size] for start in range(0, len(self.working), size)]
        # A chunk of the upper RAID 0 is a full stripe of a span, so large writes fill stripes.
        upper_chunk = self.raid.chunk * (size - 1)
        lower = [(f"{self.name}-s{index}", 5, self.raid.chunk, members) for index, members in enumerate(spans)]
        return [*lower, (self.name, 0, upper_chunk, tuple(f"/dev/md/{item[0]}" for item in lower))]

    def describe(self) -> str:
        """The array in words, for the report."""
        disks = f"{counted(len(self.working), 'disk')}"
        if self.raid.level == 50:
            disks += f" in {self.raid.spans} spans"
        if self.raid.spares:
            disks += f" and {counted(self.raid.spares, 'spare')}"
        return f"RAID {self.raid.level}, {disks}, chunk {format_size(self.raid.chunk)}, {self.data_disks} data disks"


def wipe_steps(array: Array, devices: frozenset[str]) -> list[Step]:
    """Erase the signatures on the named devices, unless the array is active."""
    named = tuple(device for device in array.devices if device in devices)
    if not named:
        return []
    return [
        Step(
            title=f"erase the signatures on {', '.join(named)}, as --wipe allows",
            check=f"[ -b {array.device} ] || all_must_be_blank {' '.join(named)}",
            apply=_erase_command(named, array.holds_zeros),
        )
    ]


def _erase_command(devices: Sequence[str], holds_zeros: bool) -> str:
    """Erase signatures and discard blocks in parallel; with a busy device no device is touched.

    When parity relies on zeros on disk, the discard must succeed.
    """
    discard = "blkdiscard $device" if holds_zeros else "{ blkdiscard $device 2>/dev/null || true; }"
    return (
        f"for device in {' '.join(devices)}; do\n"
        "    wipefs --no-act --all $device >/dev/null || "
        '{ echo "$device is in use; nothing was erased" >&2; exit 1; }\n'
        f"done\npids=\nfor device in {' '.join(devices)}; do\n"
        f'    {{ wipefs --all $device && {discard}; }} & pids="$pids $!"\n'
        "done\nfor pid in $pids; do wait $pid; done"
    )


def create_steps(array: Array) -> list[Step]:
    """Assemble an existing array, or create it on blank disks; spans of RAID 50 in parallel."""
    sets = array.sets()
    layers = [sets[:-1], sets[-1:]] if len(sets) > 1 else [sets]
    steps = [step for layer in layers for step in _layer_steps(array, layer)]
    lines = "\n".join(f"ARRAY /dev/md/{name} metadata=1.2 name=any:{name}" for name, *_ in sets)
    limits = "".join(
        f"\nSYSFS name=/dev/md/{name} sync_speed_min={speed} sync_speed_max={speed}"
        for name, speed in _rebuild_kib(array).items()
    )
    steps.append(write_file(_conf(array), lines + limits, title="enable the assembly of the array at boot"))
    return steps + [_rebuild_step(name, speed) for name, speed in _rebuild_kib(array).items()]


def _rebuild_kib(array: Array) -> dict[str, int]:
    """Name of each md set that can be rebuilt -> KiB/s per disk."""
    rate = array.raid.rebuild_rate
    names = [name for name, level, *_ in array.sets() if level != 0]
    return {name: max(round(rate * array.scale / 1024), 1) for name in names} if rate else {}


def _rebuild_step(name: str, speed_kib_per_s: int) -> Step:
    """Set the rebuild rate; see md(4), sync_speed_min and _max.

    mdadm.conf(5), SYSFS, sets it again at every boot. The minimum is set with the maximum: below it
    md considers neither the maximum nor clients.
    """
    place = f"set_=$(readlink -f /dev/md/{name}); set_=/sys/block/${{set_##*/}}/md/sync_speed_"
    is_set = " && ".join(
        f'read -r speed _ <"${{set_}}{end}" && [ "$speed" = {speed_kib_per_s} ]' for end in ("min", "max")
    )
    return Step(
        f"set the rebuild rate of {name} to {speed_kib_per_s} KiB/s per disk",
        f'{place}\n[ -e "${{set_}}max" ] && {is_set}',
        f"{place}\n" + "\n".join(f'echo {speed_kib_per_s} >"${{set_}}{end}"' for end in ("max", "min")),
        reason="md uses seemingly idle disks, and a disk with queued requests seems idle: "
        "clients would wait for the rebuild",
    )


def _layer_steps(array: Array, layer: list[MdSet]) -> list[Step]:
    names = ", ".join(name for name, *_ in layer)
    missing = " ||\n".join(
        f"{{ [ ! -b /dev/md/{name} ] && mdadm --examine --export {members[0]} 2>/dev/null | "
        f"grep -q '^MD_NAME=any:{name}$'; }}"
        for name, _level, _chunk, members in layer
    )
    assemble = "\n".join(
        f"[ -b /dev/md/{name} ] || mdadm --assemble /dev/md/{name} {' '.join((*members, *array.spares_of(name)))}"
        for name, *_, members in layer
    )
    level = layer[0][1]
    return [
        Step(
            title=f"assemble the existing array {names}",
            check=f"! {{ {missing}; }}",
            apply=f"{assemble}\n{_settle(layer)}",
        ),
        Step(
            title=f"create array {names}: RAID {level}",
            check=" &&\n".join(_is_active(item) for item in layer),
            apply=_create(array, layer),
            reason=_reason(array, level),
            destroys=tuple(device for name, *_, members in layer for device in (*members, *array.spares_of(name))),
            labels=tuple(f"any:{name}" for name, *_ in layer),
        ),
    ]


def _is_active(item: MdSet) -> str:
    name, level, chunk_bytes, members = item
    check = (
        f"[ -b /dev/md/{name} ] && set_=$(readlink -f /dev/md/{name}) && set_=/sys/block/${{set_##*/}}/md &&\n"
        f'    read -r level <$set_/level && [ "$level" = raid{level} ] &&\n'
        f'    read -r disks <$set_/raid_disks && [ "$disks" = {len(members)} ]'
    )
    return check if level == 1 else f'{check} &&\n    read -r chunk <$set_/chunk_size && [ "$chunk" = {chunk_bytes} ]'


def _conf(array: Array) -> str:
    return f"/etc/mdadm/mdadm.conf.d/seatrial-{array.name}.conf"


def _settle(layer: list[MdSet]) -> str:
    return "\n".join(f"udevadm settle --timeout=120 --exit-if-exists=/dev/md/{name}" for name, *_ in layer)


def _create(array: Array, layer: list[MdSet]) -> str:
    commands = ["pids="]
    for name, level, chunk_bytes, members in layer:
        chunk = f" --chunk={chunk_bytes // 1024}" if level != 1 else ""
        clean = " --assume-clean" if array.holds_zeros and level in {1, 5, 6, 10} else ""
        spares = array.spares_of(name)
        count = f" --spare-devices={len(spares)}" if spares else ""
        commands.append(
            f"mdadm --create /dev/md/{name} --run --metadata=1.2 --homehost=any --name={name} --level={level} \\\n"
            f"    --raid-devices={len(members)}{count}{chunk}{clean} {' '.join((*members, *spares))} & "
            f'pids="$pids $!"'
        )
    level = layer[0][1]
    module = "raid456" if level in {5, 6} else f"raid{level}"
    return (
        f"modprobe {module} || true\n"
        + "\n".join(commands)
        + f"\nfor pid in $pids; do wait $pid; done\n{_settle(layer)}"
    )


def _reason(array: Array, level: int) -> str | None:
    if level == 0 and array.raid.level == 50:
        return "an upper chunk is a full stripe of a span: large writes need no read-modify-write"
    if array.holds_zeros and level in {1, 5, 6, 10}:
        return "the new devices hold zeros, so parity is consistent without an initial resync"
    return None


def remove_steps(array: Array, wipe: frozenset[str]) -> list[Step]:
    """Stop the array and erase the members in `wipe`."""
    steps = [
        Step(
            f"stop array {name}",
            f"[ ! -e /dev/md/{name} ]",
            f"mdadm --stop /dev/md/{name}\nudevadm settle --timeout=120\nrm -f /dev/md/{name}",
        )
        for name, *_ in reversed(array.sets())
    ]
    steps.append(remove_file(_conf(array)))
    named = tuple(device for device in array.devices if device in wipe)
    return [*steps, erase(*named, holds_zeros=array.holds_zeros)] if named else steps


def erase(*devices: str, holds_zeros: bool = False) -> Step:
    """Erase the named devices; with `holds_zeros` they must read as zeros afterwards."""
    names = ", ".join(devices)
    return Step(
        f"erase {names}, as --wipe allows",
        f"all_must_be_blank {' '.join(devices)}",
        _erase_command(devices, holds_zeros),
        named=True,
    )
