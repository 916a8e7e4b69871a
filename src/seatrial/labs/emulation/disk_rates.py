"""Commands that limit a disk in a lab node: the blkio controller of cgroup v1, set up by lab-init.

The limits apply to the root group (Documentation/admin-guide/cgroup-v1/blkio-controller.rst), which
includes the kernel threads of md and nfsd. They apply at once, also to waiting requests.
"""

FOLDER = "/srv/lab-blkio"
UBD_MAJOR = 98
UBD_MINORS = 16
"""minor numbers per disk; the first disk is the root"""
LOOP_MAJOR = 7


def device_of(number: int, *, cached: bool) -> str:
    """The device by which disk `number` (from 1) is limited; with a cache it is a loop device."""
    return f"{LOOP_MAJOR}:{number - 1}" if cached else f"{UBD_MAJOR}:{UBD_MINORS * number}"


def command(device: str, rate_bytes_per_s: float | None, requests_per_s: float | None) -> str:
    """Limit a device in both directions; None is no limit, the controller's 0."""
    values = {"bps": rate_bytes_per_s or 0, "iops": requests_per_s or 0}
    writes = [
        f"echo {device} {value:.0f} >{FOLDER}/blkio.throttle.{way}_{what}_device"
        for what, value in values.items()
        for way in ("read", "write")
    ]
    mount = (
        f"[ -e {FOLDER}/blkio.throttle.read_bps_device ] || mount -t cgroup -o blkio none {FOLDER}"
    )
    return " && ".join([f"{{ {mount}; }}", *writes])
