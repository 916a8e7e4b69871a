"""The kinds of events that nodes and labs log during a fault; results have their values."""

from enum import StrEnum


class EventKind(StrEnum):
    """The kind of a failover event."""

    DETECTED = "detected"
    """a member was declared dead"""
    MEMBERSHIP = "membership"
    QUORUM = "quorum"
    QUORUM_LOST = "quorum-lost"
    FENCING = "fencing"
    """a fencing was requested"""
    FENCED = "fenced"
    FENCING_FAILED = "fencing-failed"
    BOOTED = "booted"
    STOPPING = "stopping"
    STOPPED = "stopped"
    STARTING = "starting"
    STARTED = "started"
    GRACE = "grace"
    """the grace period of an NFS server began"""
    GRACE_ENDED = "grace-ended"
    RECOVERING = "recovering"
    """the recovery of a journal began"""
    RECOVERED = "recovered"
    WITHDRAWN = "withdrawn"
    """a file system stopped on a node after an error"""
    PATHS = "paths"
    """the number of active paths changed"""


class PowerState(StrEnum):
    """The state of a node in the power log of a lab."""

    ON = "on"
    OFF = "off"
    ENDED_BY_ITSELF = "ended by itself"
    """the process of a kernel or an emulator ended without a request"""
    FROZEN = "frozen"
    THAWED = "thawed"


WITHOUT_POWER = frozenset({PowerState.OFF, PowerState.ENDED_BY_ITSELF})
