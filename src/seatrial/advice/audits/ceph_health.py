"""What a Ceph cluster says of its own health: lost members, flags, versions, placement groups, full disks, clocks."""

import json
from collections.abc import Iterator, Sequence

from seatrial.advice.audit_base import Facts, Finding, Level

_UNSAFE = ("PG_DEGRADED", "PG_DAMAGED", "OSD_SCRUB_ERRORS", "OBJECT_UNFOUND", "POOL_NO_REDUNDANCY")
"""warnings that mean that one more failure, or none, loses data"""
_BETTER = {
    "MON_CLOCK_SKEW": "one source of time for all monitors (chrony)",
    "OSDMAP_FLAGS": "ceph osd unset FLAG, when the work that it was set for is over",
    "POOL_NO_REDUNDANCY": "replica 3, or parity",
    "AUTH_INSECURE_GLOBAL_ID_RECLAIM_ALLOWED": "auth_allow_insecure_global_id_reclaim=false",
}


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """Every check that fails, as the first monitor that answers has it; and monitors that get no answer."""
    asked = [node for node in facts if "ceph" in node.values]
    for node in asked:
        if not node.values["ceph"]:
            why = "its monitors have no majority that hears it, or they are stopped: nothing can be decided"
            yield Finding(node.node, "fragile", "the Ceph cluster does not answer", "ceph status", why)
    for node in asked:
        try:
            checks = json.loads(node.values["ceph"])["checks"]
        except (ValueError, KeyError, TypeError):
            continue
        for name, check in sorted(checks.items()):
            grave = check.get("severity") == "HEALTH_ERR" or name in _UNSAFE
            level: Level = "unsafe" if grave else "fragile"
            what = f"{name}: {check.get('summary', {}).get('message', '')}"
            better = _BETTER.get(name, "HEALTH_OK")
            yield Finding(node.node, level, what, better, "; ".join(_details(check)) or "the cluster says so itself")
        return


def _details(check: dict[str, list[dict[str, str]]]) -> list[str]:
    return [item["message"].strip() for item in check.get("detail", [])[:3]]
