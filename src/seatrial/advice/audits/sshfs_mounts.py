"""Rules for sshfs mounts."""

from collections.abc import Iterator, Sequence

from seatrial.advice.audit_base import Facts, Finding, Mounted
from seatrial.advice.audit_facts import SshfsProcess


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """Report sshfs itself, and options that slow it down or prevent a reconnection."""
    for node in facts:
        for mount in node.mounts:
            if mount.kind == "fuse.sshfs":
                why = (
                    "sshfs gives no locks and no coherent caches between clients; made for a"
                    " person, not for a cluster"
                )
                yield Finding(
                    node.node, "fragile", f"{mount.path} is mounted by sshfs", "NFS", why, "sshfs"
                )
                # Where the process is unknown, its options are not judged.
                process = process_of(node, mount)
                if process is not None:
                    yield from _of_process(node.node, mount.path, process)


def process_of(node: Facts, mount: Mounted) -> SshfsProcess | None:
    """The process of a mount; None where it cannot be determined."""
    processes = [process for process in node.sshfs if process.serves(mount.source, mount.path)]
    return processes[0] if processes else None


def _of_process(node: str, path: str, process: SshfsProcess) -> Iterator[Finding]:
    if "-C" in process.options or (process.value("compression") or "").lower() == "yes":
        why = (
            "a processor compresses every byte at one end, another expands it: that pays on slow"
            " lines alone"
        )
        yield Finding(
            node, "slow", f"{path} is compressed by ssh", "Compression=no", why, "compression"
        )
    if process.value("reconnect") is None:
        why = "when its connection breaks, every operation gets an error until it is mounted again"
        yield Finding(node, "fragile", f"{path} does not connect again", "reconnect", why)
    if process.value("ServerAliveInterval") in (None, "0"):
        why = "ssh does not probe the server: when it is gone, programs hang"
        yield Finding(
            node, "fragile", f"{path} has no ServerAliveInterval", "ServerAliveInterval=15", why
        )
