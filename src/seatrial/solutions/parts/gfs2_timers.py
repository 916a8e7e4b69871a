"""The times of `gfs2-iscsi` that a study may change, and what an outage of its nodes is made of."""

from pydantic import Field

from seatrial.basics.schema import Model
from seatrial.study.timers import Timer, detection, iscsi_probe, iscsi_replacement


class Timers(Model):
    """How long everything may take."""

    token_ms: int = Field(3000, ge=500, le=30000, description="corosync: a node that is silent for so long is lost")
    path_probe_s: int = Field(5, ge=1, le=60, description="between two looks at an idle session to a member")
    path_replace_s: int = Field(
        600, ge=1, le=86400, description="commands wait so long for a lost session; then the file system withdraws"
    )
    server_replace_s: int = Field(
        5, ge=1, le=600, description="commands wait so long for a lost block server; then they go by the other"
    )
    fence_s: int = Field(15, ge=5, le=300, description="a controller that has not done it by then is asked again")

    def by_name(self) -> dict[str, Timer]:
        """By the names that a study's limits use."""
        return {
            "detection": detection(self.token_ms),
            "fencing": Timer(self.fence_s, f"a controller is asked again after {self.fence_s} s"),
            "probe": iscsi_probe(self.path_probe_s),
            "replacement": iscsi_replacement(self.path_replace_s),
            "server-replacement": iscsi_replacement(self.server_replace_s),
        }
