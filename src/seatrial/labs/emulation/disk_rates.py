"""What a lab node is told to limit one of its disks: the blkio controller of cgroup v1, as lab-init sets it up.

The limits are those of the root group (Documentation/admin-guide/cgroup-v1/blkio-controller.rst): the kernel threads of
md and nfsd are in it too. They apply from the next request on, to requests that wait as well.
"""

FOLDER = "/srv/lab-blkio"
UBD_MAJOR = 98
UBD_MINORS = 16
"""minor numbers of each disk; the first disk is the root"""
LOOP_MAJOR = 7


def device_of(number: int, *, cached: bool) -> str:
    """Where disk `number`, from 1, is limited: a disk with a cache in front of it, which is a loop device."""
    return f"{LOOP_MAJOR}:{number - 1}" if cached else f"{UBD_MAJOR}:{UBD_MINORS * number}"


def command(device: str, rate_bytes_per_s: float | None, requests_per_s: float | None) -> str:
    """Limit a device, both ways; None is no limit, which the controller calls 0."""
    values = {"bps": rate_bytes_per_s or 0, "iops": requests_per_s or 0}
    writes = [
        f"echo {device} {value:.0f} >{FOLDER}/blkio.throttle.{way}_{what}_device"
        for what, value in values.items()
        for way in ("read", "write")
    ]
    mount = f"[ -e {FOLDER}/blkio.throttle.read_bps_device ] || mount -t cgroup -o blkio none {FOLDER}"
    return " && ".join([f"{{ {mount}; }}", *writes])
