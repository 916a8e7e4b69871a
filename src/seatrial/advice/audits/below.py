"""What lies below: arrays, local file systems, the network."""

from collections.abc import Iterator, Sequence

from seatrial.advice.audit_base import Facts, Finding


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """Arrays that are not whole, file systems without barriers, MTUs that do not agree."""
    for node in facts:
        if "md" in node.values:
            why = "the next disk may take the data with it, and reads are put together from the others"
            yield Finding(node.node, "unsafe", f"array {node.values['md']} is not whole", "replace the disk", why)
        for mount in node.mounts:
            if mount.kind in ("ext3", "ext4", "xfs") and (
                mount.option("nobarrier") is not None or mount.option("barrier") == "0"
            ):
                why = "the file system does not wait for its disks' caches: a power cut may damage it"
                yield Finding(node.node, "unsafe", f"{mount.path} is mounted without barriers", "barriers", why)
    mtus = {node.node: node.values["mtu"] for node in facts if "mtu" in node.values}
    if len(set(mtus.values())) > 1:
        usual = max(mtus.values(), key=lambda mtu: (list(mtus.values()).count(mtu), int(mtu)))
        odd = next(name for name, mtu in mtus.items() if mtu != usual)
        told = ", ".join(f"{name} {mtu}" for name, mtu in mtus.items())
        why = "large packets are lost on the way to those that take smaller ones, and connections hang"
        yield Finding(odd, "fragile", f"the MTUs differ: {told}", "one MTU for nodes and switch", why, "jumbo")
