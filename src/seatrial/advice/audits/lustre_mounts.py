"""Rules for Lustre mounts: file locks that hold on one client only, or not at all
(mount.lustre(8), options `localflock` and `noflock`).
"""

from collections.abc import Iterator, Sequence

from seatrial.advice.audit_base import Facts, Finding

PROBE = r"""
while read -r _ path kind options _; do
    [ "$kind" != lustre ] || printf '%s %s\n' "$options" "$path"
done </proc/mounts
"""
"""prints the options and the path of each mount"""


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """Mounts without locks that all clients see."""
    for node in facts:
        for line in node.lines.get("lustre-mounts", ()):
            options, _, path = line.partition(" ")
            yield from _of_mount(node.node, path, options.split(","))


def _of_mount(node: str, path: str, options: Sequence[str]) -> Iterator[Finding]:
    """The finding of one mount, where it has one."""
    if "localflock" in options:
        why = "two clients can hold the same lock at the same time, and overwrite each other's data"
        yield Finding(node, "unsafe", f"{path} has localflock", "flock", why)
    elif "noflock" in options:
        why = "an application that locks a file gets an error"
        yield Finding(node, "fragile", f"{path} has noflock", "flock", why)
