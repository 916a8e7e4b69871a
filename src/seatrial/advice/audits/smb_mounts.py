"""Rules for SMB mounts."""

from collections.abc import Iterator, Sequence

from seatrial.advice.audit_base import Facts, Finding, Mounted, mounts_of, small_requests


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """Old protocols, caches that are off or stale, locks that are not sent, small requests."""
    for node, mount, where in mounts_of(facts, "cifs", "smb3"):
        yield from _of(node, mount, where)


def _of(node: str, mount: Mounted, where: str) -> Iterator[Finding]:
    if (mount.option("vers") or "3").split(".")[0] in ("1", "2"):
        why = "no encryption, no durable handles: a connection that breaks loses open files"
        yield Finding(
            node, "fragile", f"{where} speaks SMB {mount.option('vers')}", "vers=3.1.1", why
        )
    if mount.option("nobrl") is not None:
        why = "locks hold on this client only: programs on two clients both get them"
        yield Finding(node, "unsafe", f"{where} sends no locks", "leave nobrl out", why)
    if mount.option("cache") == "none":
        why = "every read and write goes to the server, however small"
        yield Finding(node, "slow", f"{where} has cache=none", "cache=strict", why, "cache=none")
    if mount.option("cache") == "loose":
        why = "writes of other clients may not be visible"
        yield Finding(node, "unsafe", f"{where} has cache=loose", "cache=strict", why)
    if mount.option("soft") is not None and mount.option("hard") is None:
        why = "a server that is away for a while gives programs errors"
        yield Finding(node, "fragile", f"{where} is mounted soft", "hard", why)
    yield from small_requests(node, mount, where)
