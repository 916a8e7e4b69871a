"""Rules for a Ceph cluster: health, clocks, versions, placement groups, flags and full ratios of
OSDs.
"""

import json
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

from seatrial.advice.audit_base import Facts, Finding, Level

_COMMANDS = {
    "ceph_status": "ceph status",
    "ceph_versions": "ceph versions",
    "ceph_osd_dump": "ceph osd dump",
}
"""queries of the probe in addition to health, where health is answered"""
_UNSAFE = (
    "OBJECT_UNFOUND",
    "OSD_SCRUB_ERRORS",
    "PG_BACKFILL_FULL",
    "PG_DAMAGED",
    "PG_DEGRADED",
    "PG_RECOVERY_FULL",
    "POOL_NO_REDUNDANCY",
)
"""warnings that mean that one more failure, or none, loses data"""
_BETTER = {
    "MON_CLOCK_SKEW": "one source of time for all monitors (chrony)",
    "OSDMAP_FLAGS": "ceph osd unset FLAG, when the work that it was set for is over",
    "POOL_NO_REDUNDANCY": "replica 3, or parity",
    "PG_BACKFILL_FULL": "more disks, or fewer data",
    "PG_RECOVERY_FULL": "more disks, or fewer data",
    "AUTH_INSECURE_GLOBAL_ID_RECLAIM_ALLOWED": "auth_allow_insecure_global_id_reclaim=false",
}
_WAITS = "every client waits until it goes"
_NOT_MADE_ANEW = "copies on a lost OSD are not recreated: one more failure may lose data"
_FLAGS: dict[str, tuple[Level, str]] = {
    "noout": ("unsafe", _NOT_MADE_ANEW),
    "nobackfill": ("unsafe", _NOT_MADE_ANEW),
    "norecover": ("unsafe", _NOT_MADE_ANEW),
    "noscrub": (
        "unsafe",
        "copies are not compared: a damaged one is found when the other copies are gone",
    ),
    "nodeep-scrub": (
        "unsafe",
        "data on disks are not read: a bad block is found when the other copies are gone",
    ),
    "nodown": ("fragile", "an OSD that died stays in the map, and clients wait for it"),
    "noup": ("fragile", "an OSD that starts is not taken back"),
    "noin": ("fragile", "a new OSD, or one that comes back, gets no data"),
    "norebalance": ("fragile", "data stay where they are, also where OSDs fill up"),
    "pauserd": ("fragile", _WAITS),
    "pausewr": ("fragile", _WAITS),
    "pauserec": ("fragile", "recovery waits until it goes"),
    "full": ("fragile", "clients' writes are refused, or wait"),
    "nosnaptrim": ("fragile", "space of removed snapshots is not released"),
    "notieragent": ("fragile", "a cache tier is not emptied, until it is full"),
}
_RATIOS: dict[str, tuple[float, Level, str]] = {
    "nearfull": (0.85, "fragile", "the warning comes with less room left to act"),
    "backfillfull": (
        0.90,
        "fragile",
        "recovery fills an OSD further, and leaves less space for clients' writes",
    ),
    "full": (
        0.95,
        "unsafe",
        "an OSD without room for its own metadata stops, and may not start again",
    ),
}
"""ratio of the OSD map -> (Ceph's default, a higher value, why): mon_osd_nearfull_ratio and its
siblings
"""
_FAILSAFE = 0.97
"""osd_failsafe_full_ratio: an OSD stops writing there, unless the map's full ratio is higher"""
_WHOLE = {"active", "clean", "scrubbing", "deep", "snaptrim", "snaptrim_wait"}
"""states of a complete placement group"""
_LOSING = {
    *("degraded", "undersized", "down", "incomplete", "stale", "inconsistent", "failed_repair"),
    *("recovery_unfound", "backfill_unfound", "recovery_toofull", "backfill_toofull"),
}
_NAMED_MAX = 8


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """The findings of the first monitor that answers; and monitors without an answer."""
    monitors = [node for node in facts if "ceph" in node.values]
    for node in monitors:
        answer = _answer_of(node, "ceph")
        if "overall_status" in answer and "checks" not in answer:
            why = (
                "it answers without the checks that Ceph has had since 12 (Luminous):"
                f" {answer['overall_status']}"
            )
            what = "the Ceph cluster is too old for the audit"
            yield Finding(node.node, "fragile", what, "a version that is maintained", why)
        elif "checks" not in answer:
            why = "its monitors have no majority, or they are stopped: nothing can be decided"
            yield Finding(
                node.node, "fragile", "the Ceph cluster does not answer", "ceph status", why
            )
    for node in monitors:
        checks = _answer_of(node, "ceph").get("checks")
        if isinstance(checks, dict):
            yield from _of_cluster(node, checks)
            return


def _answer_of(node: Facts, key: str) -> dict[str, Any]:
    """The answer; empty where it is none."""
    try:
        answer = json.loads(node.values.get(key, ""))
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _of_cluster(node: Facts, checks: dict[str, Any]) -> Iterator[Finding]:
    dump = _answer_of(node, "ceph_osd_dump")
    # Health contains these two as well, with fewer words, and not where they were muted.
    own_findings = {
        "OSDMAP_FLAGS": [*_flags(node.node, dump)],
        "OSD_OUT_OF_ORDER_FULL": [*_disorder(node.node, dump)],
    }
    for key, command in _COMMANDS.items():
        if key in node.values and not _answer_of(node, key):
            why = "the monitors answered the health query, and not this one: its facts are unknown"
            yield Finding(
                node.node, "fragile", f"`{command}` is not answered", "an answer within 30 s", why
            )
    yield from _health(
        node.node, {name: check for name, check in checks.items() if not own_findings.get(name)}
    )
    yield from chain.from_iterable(own_findings.values())
    yield from _raised(node.node, dump)
    yield from _versions(node)
    yield from _groups(node)


def _health(node: str, checks: dict[str, Any]) -> Iterator[Finding]:
    """Every check that fails, clocks among them."""
    for name, check in sorted(checks.items()):
        grave = check.get("severity") == "HEALTH_ERR" or name in _UNSAFE
        level: Level = "unsafe" if grave else "fragile"
        muted = " (muted)" if check.get("muted") else ""
        what = f"{name}: {check.get('summary', {}).get('message', '')}{muted}"
        better = _BETTER.get(name, "HEALTH_OK")
        details = "; ".join(item["message"].strip() for item in check.get("detail", [])[:3])
        yield Finding(node, level, what, better, details or "reported by the cluster")


def _flags(node: str, dump: dict[str, Any]) -> Iterator[Finding]:
    for flag in str(dump.get("flags", "")).split(","):
        if flag in _FLAGS:
            level, why = _FLAGS[flag]
            better = (
                f"ceph osd unset {'pause' if flag in ('pauserd', 'pausewr') else flag}, when its"
                " work is over"
            )
            yield Finding(node, level, f"the OSD map has the flag {flag}", better, why)


def _ratios(dump: dict[str, Any]) -> dict[str, float]:
    """As they are set; the map has them as floats of 32 bits."""
    return {
        name: round(float(dump[key]), 4) for name in _RATIOS if (key := f"{name}_ratio") in dump
    }


def _disorder(node: str, dump: dict[str, Any]) -> Iterator[Finding]:
    ratios = _ratios(dump)
    steps = [*ratios.items(), ("failsafe full", _FAILSAFE)] if ratios else []
    wrong = [
        f"{low} {at:g} is above {high} {limit:g}"
        for (low, at), (high, limit) in pairwise(steps)
        if at > limit
    ]
    if wrong:
        better = ", ".join(f"{name} {default:g}" for name, (default, *_) in _RATIOS.items())
        why = "an OSD uses the higher one for both, and exceeds its limit (OSD_OUT_OF_ORDER_FULL)"
        yield Finding(
            node, "unsafe", f"full ratios are out of order: {'; '.join(wrong)}", better, why
        )


def _raised(node: str, dump: dict[str, Any]) -> Iterator[Finding]:
    for name, ratio in _ratios(dump).items():
        default, level, why = _RATIOS[name]
        if ratio > default:
            better = f"ceph osd set-{name}-ratio {default:g}"
            yield Finding(
                node,
                level,
                f"the {name} ratio is {ratio:g}, Ceph's own is {default:g}",
                better,
                why,
            )


def _versions(node: Facts) -> Iterator[Finding]:
    """The versions of the daemons, where they differ: by name where known, else by count of each
    kind.
    """
    answer = _answer_of(node, "ceph_versions")
    by_kind = {kind: counts for kind, counts in answer.items() if kind != "overall"}
    kinds = {kind: counts for kind, counts in by_kind.items() if isinstance(counts, dict)}
    texts = sorted(
        {text for counts in kinds.values() for text in counts if text.startswith("ceph version ")}
    )
    if len(texts) < 2:
        return
    short = {text: text.split()[2] for text in texts}
    if len(set(short.values())) < len(texts):
        short = {text: text.removeprefix("ceph version ") for text in texts}
    parts = []
    for text in texts:
        who: list[str] = []
        for kind, counts in kinds.items():
            if text in counts:
                who += _daemons_with(node, kind, text) or [f"{counts[text]} {kind}"]
        more = f" and {len(who) - _NAMED_MAX} more" if len(who) > _NAMED_MAX else ""
        parts.append(f"{short[text]} has {', '.join(who[:_NAMED_MAX])}{more}")
    why = "daemons of two versions are meant to meet during an upgrade only"
    what = f"daemons of {len(texts)} versions: {'; '.join(parts)}"
    yield Finding(
        node.node, "fragile", what, "one version: end the upgrade, start the old ones again", why
    )


def _daemons_with(node: Facts, kind: str, version: str) -> list[str]:
    """The daemons of a kind that have a version, by `ceph KIND metadata`."""
    try:
        answer = json.loads(node.values.get(f"ceph_{kind}", ""))
    except ValueError:
        return []
    items = [item for item in answer if isinstance(item, dict)] if isinstance(answer, list) else []
    return [
        f"{kind}.{item.get('name', item.get('id'))}"
        for item in items
        if item.get("ceph_version") == version
    ]


def _groups(node: Facts) -> Iterator[Finding]:
    pgmap = _answer_of(node, "ceph_status").get("pgmap", {})
    states = {str(item["state_name"]): int(item["count"]) for item in pgmap.get("pgs_by_state", ())}
    lacking = {
        name: count
        for name, count in states.items()
        if not {"active", "clean"} <= set(name.split("+")) <= _WHOLE
    }
    if not lacking:
        return
    losing = any(_LOSING & set(name.split("+")) for name in lacking)
    why = "they are in transition, and their data may wait"
    if losing:
        why = "copies are missing, or differ"
    elif "unknown" in lacking:
        why = "the managers have no report on some: their OSDs may be away"
    parts = [
        f"{count} {name}"
        for name, count in sorted(lacking.items(), key=lambda item: (-item[1], item[0]))
    ]
    more = f" and {len(parts) - _NAMED_MAX} states more" if len(parts) > _NAMED_MAX else ""
    what = (
        f"{sum(lacking.values())} of {sum(states.values())} placement groups are not active+clean: "
    )
    what += f"{', '.join(parts[:_NAMED_MAX])}{more}"
    better = "active+clean; which they are: ceph pg dump_stuck"
    yield Finding(node.node, "unsafe" if losing else "fragile", what, better, why)
