"""How clients mount sshfs."""

from collections.abc import Iterator, Sequence

from seatrial.advice.audit_base import Facts, Finding


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """That they do, and options of the process behind it that slow it down, or that it does not come back without."""
    for node in facts:
        for mount in node.mounts:
            if mount.kind == "fuse.sshfs":
                why = (
                    "sshfs gives no locks and no coherent caches between clients; made for a person, not for a cluster"
                )
                yield Finding(node.node, "fragile", f"{mount.path} is mounted by sshfs", "NFS", why, "sshfs")
                # Where the process is not known, nothing is said of its options.
                if mount.path in node.sshfs:
                    yield from _of_process(node.node, mount.path, node.sshfs[mount.path])


def _of_process(node: str, path: str, words: Sequence[str]) -> Iterator[Finding]:
    if "-C" in words or "compression=yes" in [word.lower() for word in words]:
        why = "a processor compresses every byte at one end, another expands it: that pays on slow lines alone"
        yield Finding(node, "slow", f"{path} is compressed by ssh", "Compression=no", why, "compression")
    if "reconnect" not in words:
        why = "when its connection breaks, every operation gets an error until somebody mounts it again"
        yield Finding(node, "fragile", f"{path} does not connect again", "reconnect", why)
    if not any(word.startswith("ServerAliveInterval=") for word in words):
        why = "ssh does not ask whether the server is there: when it has gone, programs hang"
        yield Finding(node, "fragile", f"{path} has no ServerAliveInterval", "ServerAliveInterval=15", why)
