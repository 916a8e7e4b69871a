"""Rules for the lower layers: arrays, local file systems, the network."""

from collections.abc import Iterator, Sequence

from seatrial.advice.audit_base import Facts, Finding
from seatrial.advice.audit_facts import Array

_WITHOUT_REDUNDANCY = ("raid0", "linear")
"""kernels before 5.4 show a lost member of these as `(F)`, and the array as active"""


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """Degraded arrays, file systems without barriers, and MTUs that differ."""
    for node in facts:
        for array in node.arrays:
            yield from _of_array(node.node, array)
        for mount in node.mounts:
            if mount.kind in ("ext3", "ext4", "xfs") and (
                mount.option("nobarrier") is not None or mount.option("barrier") == "0"
            ):
                why = (
                    "the file system does not wait for its disks' caches: a power cut may damage it"
                )
                yield Finding(
                    node.node,
                    "unsafe",
                    f"{mount.path} is mounted without barriers",
                    "barriers",
                    why,
                )
    mtus = {node.node: node.values["mtu"] for node in facts if "mtu" in node.values}
    if len(set(mtus.values())) > 1:
        usual = max(mtus.values(), key=lambda mtu: (list(mtus.values()).count(mtu), int(mtu)))
        odd = next(name for name, mtu in mtus.items() if mtu != usual)
        mtus_text = ", ".join(f"{name} {mtu}" for name, mtu in mtus.items())
        why = "large packets to nodes with a smaller MTU are lost, and connections hang"
        what = f"the MTUs differ: {mtus_text}"
        yield Finding(odd, "fragile", what, "one MTU for nodes and switch", why, "jumbo")


def _of_array(node: str, array: Array) -> Iterator[Finding]:
    """Every way in which an array of md is incomplete."""
    if array.state == "inactive" and not array.container:
        what = f"array {array.name} is inactive: its data cannot be reached"
        better = f"mdadm --examine its members, then mdadm --run /dev/{array.name}"
        yield Finding(
            node, "unsafe", what, better, "it was not assembled, as when members are missing"
        )
    elif array.state == "broken" or (array.failed and array.level in _WITHOUT_REDUNDANCY):
        what = f"array {array.name} ({array.level or 'unknown level'}) is broken"
        why = "a member is gone and the level has no redundancy: its data are lost or unreachable"
        yield Finding(node, "unsafe", what, "bring the member back, or restore from a backup", why)
    elif array.missing:
        yield _degraded(node, array)
    elif array.failed:
        what = f"array {array.name} still has the failed member {', '.join(array.failed)}"
        why = "a spare has taken its place, and there may be no other for the next failure"
        better = f"mdadm /dev/{array.name} --remove it, and add a new disk"
        yield Finding(node, "fragile", what, better, why)


def _degraded(node: str, array: Array) -> Finding:
    next_failure = "the next disk that fails takes the data with it"
    if array.redundant:
        next_failure = "one more disk may fail, then none"
    elif array.redundant is None:
        next_failure = "a second disk of the same mirror takes the data with it"
    state = ", and is being rebuilt" if array.rebuilding else ""
    what = (
        f"array {array.name} {array.map} is not whole: {array.missing} of {array.members} members"
        f" of {array.level or 'it'} are missing{state}"
    )
    better = "wait for the rebuild" if array.rebuilding else "replace the disk"
    return Finding(
        node, "unsafe", what, better, f"{next_failure}; reads are computed from the others"
    )
