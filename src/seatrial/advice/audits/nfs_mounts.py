"""Rules for NFS mounts."""

from collections.abc import Iterator, Sequence

from seatrial.advice.audit_base import Facts, Finding, Mounted, mounts_of, small_requests


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """Options that lose data, stop programs, or reduce performance."""
    for node, mount, where in mounts_of(facts, "nfs", "nfs4"):
        yield from _of(node, mount, where)


def _of(node: str, mount: Mounted, where: str) -> Iterator[Finding]:
    if mount.option("soft") is not None or mount.option("softerr") is not None:
        why = "a write fails after its timeouts; a program that ignores the error loses the data"
        yield Finding(node, "unsafe", f"{where} is mounted soft", "hard", why, "soft")
    if mount.option("nolock") is not None or mount.option("local_lock") in (
        "all",
        "posix",
        "flock",
    ):
        why = "locks hold on this client only: programs on two clients both get them"
        yield Finding(
            node, "unsafe", f"{where} keeps locks to itself", "leave nolock and local_lock out", why
        )
    if mount.option("proto") in ("udp", "udp6"):
        why = "fragments may be reassembled wrongly when the identifier wraps around (nfs(5))"
        yield Finding(node, "unsafe", f"{where} uses UDP", "proto=tcp", why, "udp")
    if (
        mount.option("noac") is not None
        or mount.option("actimeo") == "0"
        or mount.option("acregmax") == "0"
    ):
        why = "every access to attributes asks the server; with noac every write is synchronous"
        yield Finding(node, "slow", f"{where} caches no attributes", "leave noac out", why, "noac")
    elif mount.option("sync") is not None:
        why = (
            "every write waits for the server; programs that need it open with O_SYNC or call fsync"
        )
        yield Finding(node, "slow", f"{where} is mounted sync", "leave sync out", why)
    yield from small_requests(node, mount, where, "rsize")
