"""Samples of `/proc` of a server that another operator runs, as text over ssh.

A server of existing storage gets no agent: nothing is written there. A shell loop prints the
counters once a second. The figures have the names and meanings of the agent's telemetry
(`crates/agent/src/telemetry`), per second.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

LOOP = r"""
for path in /sys/class/net/*; do
    [ -e "$path/device" ] || continue
    case "$(echo "$path"/lower_*)" in *'*') echo "interface ${path##*/}" ;; esac
done
for path in /sys/block/*; do
    [ -z "$(ls "$path/slaves" 2>/dev/null)" ] || continue
    case "$(readlink "$path")" in
        */nvme-subsystem/*) ;;
        */virtual/*) continue ;;
    esac
    echo "disk ${path##*/}"
done
while :; do
    grep -E '^(cpu |processes )' /proc/stat /dev/null
    grep '' /proc/uptime /proc/net/dev /proc/net/snmp /proc/diskstats 2>/dev/null
    grep -E '^(MemAvailable|Dirty|Writeback):' /proc/meminfo /dev/null
    echo end || exit
    sleep 1
done
"""
"""sh, read-only: the counted interfaces and disks, then a sample after each second, until the
connection closes"""
END = "end"
SECTOR_BYTES = 512
"""unit of /proc/diskstats (Documentation/admin-guide/iostats.rst of Linux)"""
KIB = 1024
CPU_FIELDS = 8
"""user, nice, system, idle, iowait, irq, softirq, steal (proc_stat(5)); guest time is in user"""
IDLE_FIELDS = (3, 4)
INTERFACE_SENT_FIELD = 8
READ_FIELD = 5
"""of a line of /proc/diskstats, from 0: sectors read"""
WRITTEN_FIELD = 9
"""sectors written"""
BUSY_FIELD = 12
"""milliseconds with a request in progress"""
Figures = dict[str, float | None]
Carried = tuple[int, int]
"""bytes received, bytes sent"""


@dataclass(frozen=True)
class Sample:
    """The counters of one moment; None where the server does not show one."""

    uptime_s: float
    cpu_ticks: tuple[int, ...] = ()
    processes: int | None = None
    received_bytes: int | None = None
    sent_bytes: int | None = None
    retransmitted: int | None = None
    read_bytes: int | None = None
    written_bytes: int | None = None
    disks_busy_ms: int | None = None
    available_bytes: int | None = None
    dirty_bytes: int | None = None


@dataclass
class SampleReader:
    """Makes samples of the lines of `LOOP`."""

    interfaces: set[str] = field(default_factory=set)
    disks: set[str] = field(default_factory=set)
    _lines: dict[str, list[str]] = field(default_factory=dict)

    def take(self, line: str) -> Sample | None:
        """Take one line; returns the sample that it completes. ValueError for a broken sample."""
        word, _, rest = line.partition(" ")
        if word == "interface":
            self.interfaces.add(rest)
        elif word == "disk":
            # A slash in the name of a device is an exclamation mark in sysfs.
            self.disks.add(rest.replace("!", "/"))
        elif line == END:
            lines, self._lines = self._lines, {}
            return self._sample(lines)
        elif line.startswith("/proc/"):
            path, _, text = line.partition(":")
            self._lines.setdefault(path.removeprefix("/proc/"), []).append(text)
        return None

    def _sample(self, lines: Mapping[str, list[str]]) -> Sample:
        stat = {text.split()[0]: text.split()[1:] for text in lines.get("stat", ())}
        memory = {text.split(":")[0]: text.split()[1] for text in lines.get("meminfo", ())}
        network = dict(_interface_counters(lines.get("net/dev", ())))
        carried = _of_interfaces(network, self.interfaces)
        disks = [text.split() for text in lines.get("diskstats", ())]
        counted = [fields for fields in disks if fields[2] in self.disks]
        dirty_kib = [int(memory[name]) for name in ("Dirty", "Writeback") if name in memory]
        available_kib = memory.get("MemAvailable")
        started = stat.get("processes")
        return Sample(
            uptime_s=float(lines["uptime"][0].split()[0]) if lines.get("uptime") else 0.0,
            cpu_ticks=tuple(int(field) for field in stat.get("cpu", ())[:CPU_FIELDS]),
            processes=int(started[0]) if started else None,
            received_bytes=sum(received for received, _ in carried) if network else None,
            sent_bytes=sum(sent for _, sent in carried) if network else None,
            retransmitted=_retransmitted(lines.get("net/snmp", ())),
            read_bytes=_sum_of(counted, READ_FIELD, SECTOR_BYTES),
            written_bytes=_sum_of(counted, WRITTEN_FIELD, SECTOR_BYTES),
            disks_busy_ms=_sum_of(counted, BUSY_FIELD, 1),
            available_bytes=int(available_kib) * KIB if available_kib else None,
            dirty_bytes=sum(dirty_kib) * KIB if len(dirty_kib) == 2 else None,
        )


def figures(before: Sample, after: Sample) -> Figures:
    """The figures of the time between two samples; counters are per second.

    None where a sample lacks a counter, or where no time has passed.
    """
    interval_s = after.uptime_s - before.uptime_s

    def per_s(earlier: int | None, later: int | None) -> float | None:
        if earlier is None or later is None or interval_s <= 0:
            return None
        return max(later - earlier, 0) / interval_s

    busy_ms_per_s = per_s(before.disks_busy_ms, after.disks_busy_ms)
    return {
        "cpus_busy_share": _busy_share(before.cpu_ticks, after.cpu_ticks),
        "memory_available_bytes": after.available_bytes,
        "memory_dirty_bytes": after.dirty_bytes,
        "network_received_bytes": per_s(before.received_bytes, after.received_bytes),
        "network_sent_bytes": per_s(before.sent_bytes, after.sent_bytes),
        "retransmitted_segments": per_s(before.retransmitted, after.retransmitted),
        "processes_started": per_s(before.processes, after.processes),
        "disk_read_bytes": per_s(before.read_bytes, after.read_bytes),
        "disk_written_bytes": per_s(before.written_bytes, after.written_bytes),
        "disk_busy_share": None if busy_ms_per_s is None else busy_ms_per_s / 1000.0,
    }


def _busy_share(before: tuple[int, ...], after: tuple[int, ...]) -> float | None:
    """The share of processor time that was neither idle nor a wait for disks."""
    total = sum(after) - sum(before)
    if len(before) != len(after) or len(after) < CPU_FIELDS or total <= 0:
        return None
    idle = sum(after[field] - before[field] for field in IDLE_FIELDS)
    return min(max(total - idle, 0) / total, 1.0)


def _interface_counters(lines: Iterable[str]) -> Iterator[tuple[str, Carried]]:
    """(interface, its counters) of the lines of /proc/net/dev."""
    for line in lines:
        name, colon, numbers = line.partition(":")
        fields = numbers.split()
        if colon and len(fields) > INTERFACE_SENT_FIELD:
            yield name.strip(), (int(fields[0]), int(fields[INTERFACE_SENT_FIELD]))


def _of_interfaces(network: Mapping[str, Carried], hardware: set[str]) -> list[Carried]:
    """The counters of the hardware; without hardware, as in a container, of all but `lo`."""
    hardware_names = hardware & set(network)
    counted = hardware_names or {name for name in network if name != "lo"}
    return [network[name] for name in sorted(counted)]


def _retransmitted(lines: Iterable[str]) -> int | None:
    """RetransSegs of /proc/net/snmp: the names are on one line, the numbers on the next."""
    tcp = [line.split()[1:] for line in lines if line.startswith("Tcp:")]
    if len(tcp) != 2:
        return None
    counters = dict(zip(tcp[0], tcp[1], strict=False))
    return int(counters["RetransSegs"]) if "RetransSegs" in counters else None


def _sum_of(disks: Iterable[list[str]], at: int, unit: int) -> int | None:
    """The sum of a counter over all disks; None without a disk."""
    values = [int(fields[at]) * unit for fields in disks if len(fields) > at]
    return sum(values) if values else None
