"""The contests of `make bench`, in the order of docs/performance.md."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench import agent, fio, local, others
from bench.contest import Contest
from bench.processes import missing
from bench.ratios import Figures, Spec

KIB = 2**10
MIB = 2**20
PEERS = ("fio", "elbencho", "ior", "mdtest", "iozone")
RATE = "operations/s"
PER_CPU = "operations/CPU s"
TRIVIAL_LIMIT_MS = 4.0


@dataclass(frozen=True)
class Scale:
    """How much work the contests do."""

    seconds: float = 1.0
    """of a job that begins again until its time is over"""
    memory_file_bytes: int = 64 * MIB
    disk_file_bytes: int = 512 * MIB
    items: int = 20_000
    """files of the metadata phases"""
    agents: int = 1000


@dataclass(frozen=True)
class Places:
    """Empty directories; the caller removes their content."""

    memory: Path
    """on tmpfs"""
    disk: Path
    """on a local file system"""


def contests(places: Places, scale: Scale) -> list[Contest]:
    """All of them; a program that is not on the PATH does not take part."""
    return [
        small_reads(places.memory, scale),
        large_reads(places.memory, scale),
        small_writes(places.memory, scale),
        large_writes(places.memory, scale),
        cached_depth_32(places.disk, scale),
        direct_depth_32(places.disk, scale),
        direct_sequential(places.disk, scale),
        trivial_run(places.memory),
        metadata(places.memory, scale),
        frozen_open_loop(places.memory, scale),
        many_agents(places.memory, scale),
        verifier(places.memory, scale),
        log(places.memory, scale),
    ]


def _absent(*contestants: str) -> dict[str, str]:
    """Contestant -> reason; a contestant's name begins with the name of its program."""
    absent = missing(*PEERS)
    pairs = ((name, absent.get(name.split(" ")[0])) for name in contestants)
    return {name: reason for name, reason in pairs if reason}


def _contest(
    name: str,
    contestants: Mapping[str, Callable[[], Figures]],
    *specs: Spec,
    prepare: Callable[[], None] = lambda: None,
) -> Contest:
    return Contest(name, contestants, specs, _absent(*contestants), prepare)


def _repeated(seconds: float) -> dict[str, Any]:
    return {"time_based": True, "time_limit_s": seconds}


def _job(phase: str, transfer_bytes: int, scale: Scale, **more: Any) -> dict[str, Any]:
    """A job of our agent on the file in memory, for the time of a turn."""
    return {
        "phase": phase,
        "transfer_bytes": transfer_bytes,
        "file_bytes": scale.memory_file_bytes,
        **_repeated(scale.seconds),
        **more,
    }


def _fio(
    data: Path, mode: str, transfer_bytes: int, scale: Scale, *options: str
) -> Callable[[], Figures]:
    """Fio on the same file, for the same time."""
    limit = fio.for_seconds(scale.seconds)
    return lambda: fio.measured(fio.on_file(data, mode, transfer_bytes, *options, *limit))


def small_reads(directory: Path, scale: Scale) -> Contest:
    """Random reads of 4 KiB from tmpfs, one at a time."""
    data = directory / "data"
    job = _job("read", 4 * KIB, scale, pattern="random")
    return _contest(
        "tmpfs-read-4k",
        {
            "ours": partial(agent.measured, directory, **job),
            "ours verified": partial(agent.measured, directory, **job, verify=True),
            "fio": _fio(data, "randread", 4 * KIB, scale, "--ioengine=psync"),
            "elbencho": lambda: others.elbencho(data, "read", 4 * KIB, scale.seconds, "--rand"),
        },
        Spec("tmpfs-read-4k", "operations_per_s", RATE, "ours", ("fio",), 1.0),
        Spec(
            "tmpfs-read-4k-cpu",
            "operations_per_process_cpu_s",
            PER_CPU,
            "ours",
            ("elbencho",),
            1.15,
        ),
        Spec("verified-read-4k", "operations_per_s", RATE, "ours verified", ("ours",), 0.92),
        prepare=lambda: agent.write_file(
            directory, scale.memory_file_bytes, block_bytes=4 * KIB, transfer_bytes=4 * KIB
        ),
    )


def large_reads(directory: Path, scale: Scale) -> Contest:
    """Sequential reads of 1 MiB from tmpfs."""
    data = directory / "data"
    job = _job("read", MIB, scale)
    return _contest(
        "tmpfs-read-1m",
        {
            "ours": partial(agent.measured, directory, **job),
            "ours verified": partial(agent.measured, directory, **job, verify=True),
            "fio": _fio(data, "read", MIB, scale, "--ioengine=psync"),
            "elbencho": lambda: others.elbencho(data, "read", MIB, scale.seconds),
            "ior": lambda: others.ior(data, "read", MIB),
            "iozone": lambda: others.iozone(data, "read", MIB),
        },
        Spec(
            "sequential-read-1m",
            "bytes_per_s",
            "bytes/s",
            "ours",
            ("fio", "elbencho", "ior", "iozone"),
            1.0,
        ),
        Spec("verified-read-1m", "bytes_per_s", "bytes/s", "ours verified", ("ours",), 0.92),
        prepare=lambda: agent.write_file(directory, scale.memory_file_bytes),
    )


def small_writes(directory: Path, scale: Scale) -> Contest:
    """Sequential writes of 4 KiB to an existing file of tmpfs; ours have verifiable content."""
    data = directory / "data"
    job = _job("write", 4 * KIB, scale, existing="keep")
    return _contest(
        "tmpfs-write-4k",
        {
            "ours": partial(agent.measured, directory, **job),
            "fio": _fio(data, "write", 4 * KIB, scale, "--ioengine=psync"),
            "elbencho": lambda: others.elbencho(
                data, "write", 4 * KIB, scale.seconds, "--verify", "1"
            ),
        },
        Spec("verifiable-write-4k", "operations_per_s", RATE, "ours", ("fio",), 1.0),
        Spec(
            "verifiable-write-4k-cpu",
            "operations_per_process_cpu_s",
            PER_CPU,
            "ours",
            ("elbencho",),
            1.0,
        ),
        prepare=lambda: agent.write_file(directory, scale.memory_file_bytes),
    )


def large_writes(directory: Path, scale: Scale) -> Contest:
    """Sequential writes of 1 MiB to an existing file of tmpfs; ours have verifiable content."""
    data = directory / "data"
    job = _job("write", MIB, scale, existing="keep")
    return _contest(
        "tmpfs-write-1m",
        {
            "ours": partial(agent.measured, directory, **job),
            "fio": _fio(data, "write", MIB, scale, "--ioengine=psync"),
            "elbencho": lambda: others.elbencho(data, "write", MIB, scale.seconds),
            "ior": lambda: others.ior(data, "write", MIB),
            "iozone": lambda: others.iozone(data, "write", MIB),
        },
        Spec(
            "sequential-write-1m",
            "bytes_per_s",
            "bytes/s",
            "ours",
            ("fio", "elbencho", "ior", "iozone"),
            1.0,
        ),
        prepare=lambda: agent.write_file(directory, scale.memory_file_bytes),
    )


def cached_depth_32(directory: Path, scale: Scale) -> Contest:
    """Random reads of 4 KiB from the page cache of the local file system, 32 at a time."""
    data = directory / "data"
    job = _job("read", 4 * KIB, scale, pattern="random", queue_depth=32, engine="io-uring")
    peers = ("fio io_uring",)
    return _contest(
        "cached-read-4k-depth-32",
        {
            "ours": partial(agent.measured, directory, **job),
            "fio io_uring": _fio(data, "randread", 4 * KIB, scale, *fio.TUNED_RING),
        },
        Spec("cached-read-4k-depth-32", "operations_per_s", RATE, "ours", peers, 1.0),
        Spec("cached-read-4k-depth-32-cpu", "operations_per_cpu_s", PER_CPU, "ours", peers, 1.0),
        prepare=lambda: agent.write_file(directory, scale.memory_file_bytes),
    )


def direct_depth_32(directory: Path, scale: Scale) -> Contest:
    """Random reads of 4 KiB with O_DIRECT from the disk, 32 at a time, one pass over the file."""
    data = directory / "data"
    job = {
        "phase": "read",
        "pattern": "random",
        "transfer_bytes": 4 * KIB,
        "file_bytes": scale.disk_file_bytes,
        "queue_depth": 32,
        "engine": "io-uring",
        "direct": True,
        "time_limit_s": 4 * scale.seconds,
    }
    limit = fio.for_seconds(2 * scale.seconds)

    def by_fio(tuning: tuple[str, ...]) -> Figures:
        options = ("--direct=1", *tuning, *limit)
        return fio.measured(fio.on_file(data, "randread", 4 * KIB, *options))

    peers = ("fio io_uring", "fio libaio")
    return _contest(
        "direct-read-4k-depth-32",
        {
            "ours": partial(agent.measured, directory, **job),
            "fio io_uring": partial(by_fio, fio.TUNED_RING),
            "ours verified": partial(agent.measured, directory, **job, verify=True),
            "fio libaio": partial(by_fio, fio.TUNED_AIO),
        },
        Spec("direct-read-4k-depth-32", "operations_per_s", RATE, "ours", peers, 1.05),
        Spec("direct-read-4k-depth-32-cpu", "operations_per_cpu_s", PER_CPU, "ours", peers, 1.0),
        Spec(
            "direct-read-4k-depth-32-verified",
            "operations_per_s",
            RATE,
            "ours verified",
            ("ours",),
            0.97,
        ),
        prepare=lambda: agent.write_file(directory, scale.disk_file_bytes),
    )


def direct_sequential(directory: Path, scale: Scale) -> Contest:
    """Sequential reads of 1 MiB with O_DIRECT from the disk, one at a time."""
    data = directory / "data"
    job = {
        "phase": "read",
        "transfer_bytes": MIB,
        "file_bytes": scale.disk_file_bytes,
        "direct": True,
        **_repeated(scale.seconds),
    }
    limit = fio.for_seconds(scale.seconds)
    return _contest(
        "direct-read-1m",
        {
            "ours": partial(agent.measured, directory, **job),
            "fio": lambda: fio.measured(
                fio.on_file(data, "read", MIB, "--ioengine=psync", "--direct=1", *limit)
            ),
            "elbencho": lambda: others.elbencho(data, "read", MIB, scale.seconds, "--direct"),
        },
        Spec("direct-read-1m", "bytes_per_s", "bytes/s", "ours", ("fio", "elbencho"), 1.0),
        prepare=lambda: agent.write_file(directory, scale.disk_file_bytes),
    )


def trivial_run(directory: Path) -> Contest:
    """One write of 4 KiB, with the start and the end of the process."""
    return _contest(
        "trivial-run",
        {
            "ours": partial(agent.trivial, directory),
            "elbencho": partial(others.elbencho_trivial, directory),
            "limit of 4 ms": lambda: {"elapsed_ms": TRIVIAL_LIMIT_MS},
        },
        Spec("trivial-run", "elapsed_ms", "ms", "ours", ("elbencho",), 1.0, lower_is_better=True),
        Spec(
            "trivial-run-limit",
            "elapsed_ms",
            "ms",
            "ours",
            ("limit of 4 ms",),
            1.0,
            lower_is_better=True,
        ),
    )


def metadata(directory: Path, scale: Scale) -> Contest:
    """Create, stat and remove empty files of one directory of tmpfs."""
    peers = ("fio", "elbencho", "mdtest")
    folders = {name: directory / f"names-{name}" for name in ("ours", *peers)}

    def prepare() -> None:
        for folder in folders.values():
            folder.mkdir(exist_ok=True)

    def by_fio() -> Figures:
        rates = {
            f"{phase}_per_s": fio.metadata(folders["fio"], phase, scale.items)
            for phase in fio.METADATA
        }
        for path in folders["fio"].iterdir():
            path.unlink()
        return rates

    return _contest(
        "metadata",
        {
            "ours": partial(agent.metadata, folders["ours"], scale.items),
            "fio": by_fio,
            "elbencho": partial(others.elbencho_metadata, folders["elbencho"], scale.items),
            "mdtest": partial(others.mdtest, folders["mdtest"], scale.items),
        },
        *(
            Spec(f"metadata-{phase}", f"{phase}_per_s", RATE, "ours", peers, 1.05)
            for phase in fio.METADATA
        ),
        prepare=prepare,
    )


def accuracy(reported_s: float, caused_s: float) -> Figures:
    """How near the sum of all latencies is to the delay that the freeze caused: 1 is exact.

    Too much counts as too little does.
    """
    share = reported_s / caused_s
    return {"accuracy": min(share, 1 / share) if share > 0 else 0.0}


def frozen_open_loop(directory: Path, scale: Scale) -> Contest:
    """An open loop with a stopped process: the share of the delay in the latencies."""
    data = directory / "data"
    arrivals_per_s = 1000
    length_s = scale.seconds / 2
    freeze = agent.Freeze(after_s=scale.seconds, length_s=length_s)
    duration_s = 3 * scale.seconds
    job = agent.job(
        directory,
        phase="read",
        pattern="random",
        transfer_bytes=4 * KIB,
        file_bytes=scale.memory_file_bytes,
        arrivals_per_s=arrivals_per_s,
        **_repeated(duration_s),
    )
    caused_s = arrivals_per_s * length_s**2 / 2
    """each of the operations that arrive in the freeze waits for the rest of it"""

    def by_agent() -> Figures:
        latency = agent.run(job, freeze)[0]["latency"]["read"]
        return accuracy(latency["mean_ns"] * latency["count"] / 1e9, caused_s)

    def by_fio() -> Figures:
        open_loop = (f"--rate_iops={arrivals_per_s}", "--rate_process=poisson")
        options = ("--ioengine=psync", *open_loop, *fio.for_seconds(duration_s))
        read = fio.frozen(fio.on_file(data, "randread", 4 * KIB, *options), freeze)["read"]
        return accuracy(read["lat_ns"]["mean"] * read["total_ios"] / 1e9, caused_s)

    return _contest(
        "open-loop-freeze",
        {"ours": by_agent, "fio": by_fio, "truth": lambda: {"accuracy": 1.0}},
        Spec("open-loop-freeze", "accuracy", "share of the delay", "ours", ("fio",), 1.0),
        Spec("open-loop-freeze-truth", "accuracy", "share of the delay", "ours", ("truth",), 0.98),
        prepare=lambda: agent.write_file(directory, scale.memory_file_bytes),
    )


def many_agents(directory: Path, scale: Scale) -> Contest:
    """The start of many agents on this machine; `cat` is the floor of a process."""
    return _contest(
        "agents-start",
        {
            "ours": partial(local.agents_start, directory, scale.agents),
            "plain processes": partial(local.processes_start, scale.agents),
        },
        Spec(
            f"agents-start-{scale.agents}",
            "elapsed_ms",
            "ms",
            "ours",
            ("plain processes",),
            0.5,
            lower_is_better=True,
        ),
    )


def verifier(directory: Path, scale: Scale) -> Contest:
    """`verify` of a synced file of tmpfs, and a plain read of the same file."""
    place = directory / "verified"
    log = place / "log"

    def prepare() -> None:
        place.mkdir(exist_ok=True)
        local.write_with_log(place, 4 * scale.memory_file_bytes, MIB)

    return _contest(
        "verifier",
        {
            "ours": partial(local.verifier, place, log),
            "dd": partial(local.plain_reader, place),
        },
        Spec("verifier", "bytes_per_s", "bytes/s", "ours", ("dd",), 0.5),
        prepare=prepare,
    )


def log(directory: Path, scale: Scale) -> Contest:
    """Writes of 4 KiB with and without the operation log, which is on the same tmpfs."""
    place = directory / "logged"
    job = _job("write", 4 * KIB, scale, existing="keep")

    def logged() -> Figures:
        path = place / "log"
        path.unlink(missing_ok=True)
        return agent.measured(place, **job, log=str(path))

    def prepare() -> None:
        place.mkdir(exist_ok=True)
        agent.write_file(place, scale.memory_file_bytes)

    return _contest(
        "operation-log",
        {"ours": logged, "ours without log": partial(agent.measured, place, **job)},
        Spec("operation-log", "operations_per_s", RATE, "ours", ("ours without log",), 0.95),
        prepare=prepare,
    )
