"""Reading what a Ceph cluster says of itself: `ceph status`, and what its monitors noted in its log."""

import json
import re
from collections.abc import Sequence
from datetime import datetime

from seatrial.solutions.base import ClusterStatus, Moment

METADATA = "metadata"
"""the one service that moves: rank 0 of the file system"""


def read(answer: str, osds: int, monitors: Sequence[str], metadata: Sequence[str]) -> ClusterStatus:
    """The answer of `ceph status --format json`, of a cluster that should have so many OSDs, and these daemons."""
    status = json.loads(answer)
    counts, groups = status["osdmap"], status["pgmap"]
    clean = sum(
        item["count"] for item in groups.get("pgs_by_state", []) if item["state_name"].startswith("active+clean")
    )
    ranks = status["fsmap"].get("by_rank", [])
    active = [str(item["name"]) for item in ranks if item["status"] == "up:active"]
    others = len(ranks) - len(active) + int(status["fsmap"].get("up:standby", 0))
    quorum = status.get("quorum_names", [])
    troubles = [] if counts["num_up_osds"] == osds else [f"{counts['num_up_osds']} of {osds} OSDs are up"]
    troubles += [] if counts["num_in_osds"] == osds else [f"{counts['num_in_osds']} of {osds} OSDs hold data"]
    troubles += [] if clean == groups["num_pgs"] else [f"{clean} of {groups['num_pgs']} placement groups are clean"]
    troubles += [] if len(quorum) == len(monitors) else [f"{len(quorum)} of {len(monitors)} monitors agree"]
    troubles += [] if active else ["no metadata server is active"]
    wanting = len(metadata) - len(active) - others
    troubles += [f"{wanting} metadata servers are missing"] if active and wanting > 0 else []
    checks = sorted(status["health"].get("checks", {}).items())
    told = ", ".join(f"{name}: {item['summary']['message']}" for name, item in checks) or "no warning"
    text = "; ".join([f"{status['health']['status']}: {told}", *troubles])
    return ClusterStatus({METADATA: active[0]} if active else {}, not troubles, text)


LOG = "/var/log/ceph/ceph.log"
_WORDS = (
    (r"(osd\.\d+) failed", "detected"),
    (r"(mds\.\S+) is not responding", "detected"),
    (r"(mds\.\S+) assigned to filesystem", "starting"),
    (r"(mds\.\S+) is now active in filesystem", "started"),
    (r"(mon\.\S+) is new leader", "membership"),
    (r"(osd\.\d+) \S+ boot", "booted"),
)
COMMAND = (
    "read -r uptime rest </proc/uptime\n"
    'echo "now $(date +%s.%N) $uptime"\n'
    f"tail -n 2000 {LOG} 2>/dev/null | grep -E 'failed|not responding|filesystem|new leader|boot' | cut -c1-300"
)
"""The cluster's own log, which its monitors write; the journal of a busy node would hold a monitor up."""


def moments(node: str, answer: str) -> list[Moment]:
    """What a monitor noted of OSDs, metadata servers and its own quorum; its log has times of the wall clock alone."""
    head, _, rest = answer.partition("\n")
    words = head.split()
    if len(words) != 3 or words[0] != "now":
        return []
    booted_unix_s = float(words[1]) - float(words[2])
    found = (_moment(node, line, booted_unix_s) for line in rest.splitlines())
    return sorted((item for item in found if item), key=lambda item: item.boottime_s)


def _moment(node: str, line: str, booted_unix_s: float) -> Moment | None:
    time, _, text = line.partition(" ")
    # Every monitor has the whole log: each event is told by the one that said it.
    if not text.startswith(f"mon.{node} "):
        return None
    for pattern, what in _WORDS:
        if match := re.search(pattern, text):
            try:
                at_s = datetime.strptime(time, "%Y-%m-%dT%H:%M:%S.%f%z").timestamp() - booted_unix_s
            except ValueError:
                return None
            return Moment(at_s, node, what, text.partition(" : ")[2] or text, match[1], by_wall_clock=True)
    return None
