"""The timers of the highly available pair."""

from seatrial.solutions.parts.nfs_ha_options import Options
from seatrial.study.timers import Timer, detection, iscsi_probe, iscsi_replacement, retransmission


def outage_timers(options: Options) -> dict[str, Timer]:
    """The timers that determine an outage of its clients, in s, with their sources."""
    timers = options.timers
    return {
        "detection": detection(timers.token_ms),
        "delay": Timer(timers.fence_delay_s, f"priority-fencing-delay {timers.fence_delay_s} s"),
        "dead-device": Timer(
            timers.fence_s, f"a fence device is given up after {timers.fence_s} s"
        ),
        "dead-bmc": Timer(
            timers.bmc_answer_s,
            f"fence_ipmilan gives up a BMC that is silent for {timers.bmc_answer_s} s",
        ),
        "monitor": Timer(timers.monitor_s, f"a look at the service each {timers.monitor_s} s"),
        "probe": iscsi_probe(timers.path_probe_s),
        "replacement": iscsi_replacement(timers.path_replace_s),
        "no-path": Timer(
            timers.path_retry_s, f"without any path, fenced after {timers.path_retry_s} s"
        ),
        "grace": Timer(timers.lease_s, f"nfsd's and lockd's grace, {timers.lease_s} s"),
        "retransmission": retransmission(options.mount.options),
        "watchdog": Timer(
            timers.watchdog_s, f"a stop that hangs ends in a reboot: {timers.watchdog_s} s"
        ),
    }
