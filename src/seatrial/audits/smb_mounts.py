"""How clients mount SMB, and sshfs."""

from collections.abc import Iterator, Sequence

from seatrial.audits.base import Facts, Finding, Mounted


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """Old protocols, caches that are off, connections that do not come back."""
    for node in facts:
        for mount in node.mounts:
            if mount.kind == "cifs":
                yield from _of_cifs(node.node, mount)
            if mount.kind == "fuse.sshfs":
                yield from _of_sshfs(node.node, mount)


def _of_cifs(node: str, mount: Mounted) -> Iterator[Finding]:
    where = f"{mount.path} ({mount.source})"
    if (mount.option("vers") or "3").split(".")[0] in ("1", "2"):
        why = "no encryption, no durable handles: a connection that breaks loses open files"
        yield Finding(node, "fragile", f"{where} speaks SMB {mount.option('vers')}", "vers=3.1.1", why)
    if mount.option("nobrl") is not None:
        why = "locks hold on this client only: programs on two clients both get them"
        yield Finding(node, "unsafe", f"{where} sends no locks", "leave nobrl out", why)
    if mount.option("cache") == "none":
        why = "every read and write goes to the server, however small"
        yield Finding(node, "slow", f"{where} has cache=none", "cache=strict", why, "cache=none")
    if mount.option("cache") == "loose":
        why = "what other clients write may not be seen"
        yield Finding(node, "unsafe", f"{where} has cache=loose", "cache=strict", why)
    if mount.option("soft") is not None and mount.option("hard") is None:
        why = "a server that is away for a while gives programs errors"
        yield Finding(node, "fragile", f"{where} is mounted soft", "hard", why)


def _of_sshfs(node: str, mount: Mounted) -> Iterator[Finding]:
    why = "sshfs gives no locks and no coherent caches between clients; made for a person, not for a cluster"
    yield Finding(node, "fragile", f"{mount.path} is mounted by sshfs", "NFS", why, "sshfs")
