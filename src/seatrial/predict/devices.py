"""Figures of devices that are missing in a study or a paper, each with its source. MB/s are 10^6
bytes per second.

Data sheet values were entered from memory, without the sheet at hand: verify one before a decision
depends on it.
"""

from dataclasses import dataclass

MB = 1e6


@dataclass(frozen=True)
class Parameter:
    """A figure and where it comes from."""

    value: float
    source: str


@dataclass(frozen=True)
class Disk:
    """A rotating disk."""

    rate_bytes_per_s: float
    """sustained, at the outer edge: an upper bound"""
    seek_s: float
    """average, for reading"""
    rpm: int
    source: str

    @property
    def access_s(self) -> float:
        """An average seek and half a turn."""
        return self.seek_s + 30.0 / self.rpm


SAS_15K = Disk(
    171 * MB,
    0.0034,
    15_000,
    "data sheet of a 450 GB 15000 rpm disk (Cheetah 15K.6): 112 to 171 MB/s, 3.4 ms",
)
SAS_15K_73 = Disk(
    125 * MB,
    0.0035,
    15_000,
    "data sheet of a 73 GB 15000 rpm disk (Cheetah 15K.5): 73 to 125 MB/s, 3.5 ms",
)
NEARLINE_3TB = Disk(
    155 * MB,
    0.0085,
    7_200,
    "data sheet of a 3 TB 7200 rpm SAS disk (Constellation ES.2): 155 MB/s, 8.5 ms",
)
FC_10K = Disk(
    85 * MB,
    0.0047,
    10_000,
    "assumed: a 10000 rpm FC disk of 2003 (Cheetah 10K.6 data sheet: 38 to 85 MB/s, 4.7 ms)",
)
SATA_750 = Disk(78 * MB, 0.0085, 7_200, "data sheet of the Barracuda ES 750 GB: 78 MB/s, 8.5 ms")
SATA_320 = Disk(
    78 * MB,
    0.0085,
    7_200,
    "data sheet of the Barracuda 7200.10 family: 78 MB/s, 8.5 ms; the SV35 is its sister",
)

SEQUENTIAL_SHARE = Parameter(
    0.7,
    "a disk's average over all tracks is about 0.7 of the outermost: data sheets give the inner"
    " rate as about half",
)
GIGABIT = 125 * MB
SAS_LANE_6G = Parameter(600 * MB, "6 Gbit/s after 8b/10b code")
QDR = Parameter(4000 * MB, "InfiniBand QDR 4x: 40 Gbit/s after 8b/10b code")
FDR = Parameter(6788 * MB, "InfiniBand FDR 4x: 56 Gbit/s (54.5 after 64b/66b code)")
ROUND_TRIP = Parameter(
    100e-6, "assumed: a request and its answer through one switch and two IP stacks of the time"
)
IPOIB_BYTES = Parameter(
    1500 * MB, "assumed: what one client's IP stack does in connected mode over QDR"
)
CACHED_WRITE = Parameter(100e-6, "assumed: a write into the cache of a RAID controller")
