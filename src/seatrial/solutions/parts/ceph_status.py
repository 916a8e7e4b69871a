"""The state of a Ceph cluster from `ceph status`, and failover events from its monitors' log."""

import json
import re
from collections.abc import Sequence
from datetime import datetime

from seatrial.basics.event_kinds import EventKind
from seatrial.solutions.base import ClusterStatus, Moment

METADATA = "metadata"
"""the one service that fails over: rank 0 of the file system"""


def read(answer: str, osds: int, monitors: Sequence[str], metadata: Sequence[str]) -> ClusterStatus:
    """The state in the output of `ceph status --format json`.

    `osds` OSDs and these daemons must be up for a healthy cluster.
    """
    status = json.loads(answer)
    counts = status["osdmap"]
    groups = status["pgmap"]
    clean = sum(
        item["count"]
        for item in groups.get("pgs_by_state", [])
        if item["state_name"].startswith("active+clean")
    )
    ranks = status["fsmap"].get("by_rank", [])
    active = [str(item["name"]) for item in ranks if item["status"] == "up:active"]
    others = len(ranks) - len(active) + int(status["fsmap"].get("up:standby", 0))
    quorum = status.get("quorum_names", [])
    troubles = (
        [] if counts["num_up_osds"] == osds else [f"{counts['num_up_osds']} of {osds} OSDs are up"]
    )
    troubles += (
        []
        if counts["num_in_osds"] == osds
        else [f"{counts['num_in_osds']} of {osds} OSDs hold data"]
    )
    troubles += (
        []
        if clean == groups["num_pgs"]
        else [f"{clean} of {groups['num_pgs']} placement groups are clean"]
    )
    troubles += (
        [] if len(quorum) == len(monitors) else [f"{len(quorum)} of {len(monitors)} monitors agree"]
    )
    troubles += [] if active else ["no metadata server is active"]
    wanting = len(metadata) - len(active) - others
    troubles += [f"{wanting} metadata servers are missing"] if active and wanting > 0 else []
    checks = sorted(status["health"].get("checks", {}).items())
    checks_text = ", ".join(f"{name}: {item['summary']['message']}" for name, item in checks)
    health = f"{status['health']['status']}: {checks_text or 'no warning'}"
    text = "; ".join([health, *troubles])
    return ClusterStatus({METADATA: active[0]} if active else {}, not troubles, text)


LOG = "/var/log/ceph/ceph.log"
_PATTERNS = (
    (r"(osd\.\d+) failed", EventKind.DETECTED),
    (r"(mds\.\S+) is not responding", EventKind.DETECTED),
    (r"(mds\.\S+) assigned to filesystem", EventKind.STARTING),
    (r"(mds\.\S+) is now active in filesystem", EventKind.STARTED),
    (r"(mon\.\S+) is new leader", EventKind.MEMBERSHIP),
    (r"(osd\.\d+) \S+ boot", EventKind.BOOTED),
)
COMMAND = (
    f'read -r uptime rest </proc/uptime\necho "now $(date +%s.%N) $uptime"\ntail -n 2000 {LOG}'
    " 2>/dev/null | grep -E 'failed|not responding|filesystem|new leader|boot' | cut -c1-300"
)
"""The cluster's own log, written by its monitors; the journal of a busy node would delay one."""


def moments(node: str, answer: str) -> list[Moment]:
    """The failover events in a monitor's log; its times are of the wall clock only."""
    head, _, rest = answer.partition("\n")
    fields = head.split()
    if len(fields) != 3 or fields[0] != "now":
        return []
    booted_unix_s = float(fields[1]) - float(fields[2])
    events = (_moment(node, line, booted_unix_s) for line in rest.splitlines())
    return sorted((event for event in events if event), key=lambda event: event.boottime_s)


def _moment(node: str, line: str, booted_unix_s: float) -> Moment | None:
    time, _, text = line.partition(" ")
    # Every monitor has the whole log: only the author of a line counts its event.
    if not text.startswith(f"mon.{node} "):
        return None
    for pattern, what in _PATTERNS:
        if match := re.search(pattern, text):
            try:
                at_s = datetime.strptime(time, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() - booted_unix_s
            except ValueError:
                return None
            return Moment(
                at_s, node, what, text.partition(" : ")[2] or text, match[1], by_wall_clock=True
            )
    return None
