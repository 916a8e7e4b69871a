"""The meaning of fio's job options: sizes in fio's own units, the transfer size, and the identity
of a point.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from seatrial.advice.foreign import Access

Options = Mapping[str, str]

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)([kmgtp]?)(i?)b?", re.IGNORECASE)
_NEAR = 0.005
"""a mean transfer within this share of a size is of that size: the last transfer may be shorter"""
_NO_FIXED_SIZE = ("bssplit", "bsrange", "blocksize_range", "bs_unaligned", "blocksize_unaligned")
_DEFAULT_TRANSFER_BYTES = 4096
_READ_FROM_OPTIONS = frozenset(
    (
        *(
            "rw",
            "readwrite",
            "bs",
            "blocksize",
            "ba",
            "blockalign",
            "iodepth",
            "ioengine",
            "direct",
        ),
        *("buffered", "size", "filesize", "nrfiles", "numjobs", "kb_base"),
    )
)
_NO_DIFFERENCE = frozenset(
    (
        *("name", "description", "filename", "directory", "filename_format", "opendir", "output"),
        *(
            "output-format",
            "group_reporting",
            "new_group",
            "stonewall",
            "wait_for",
            "hostname",
            "port",
        ),
        *(
            "unit_base",
            "percentile_list",
            "clat_percentiles",
            "lat_percentiles",
            "slat_percentiles",
        ),
        *("disable_lat", "disable_clat", "disable_slat", "unified_rw_reporting", "disk_util"),
        *("significant_figures", "per_job_logs", "write_bw_log", "write_lat_log", "write_iops_log"),
        *(
            "write_hist_log",
            "log_avg_msec",
            "log_hist_msec",
            "log_hist_coarseness",
            "log_max_value",
        ),
        *("log_offset", "log_compression", "log_unix_epoch", "uid", "gid", "unlink"),
        *("create_serialize", "create_fsync", "create_on_open", "create_only", "allow_file_create"),
        *("exec_prerun", "exec_postrun", "bwavgtime", "iopsavgtime"),
        *("randseed", "allrandrepeat", "randrepeat"),
    )
)
"""options for where and how fio reports, which do not change the measurement"""


@dataclass(frozen=True)
class Amount:
    """Total data of one direction."""

    moved_bytes: int
    operations: int


@dataclass(frozen=True)
class Job:
    """The options of jobs that ran together under one name."""

    options: Options
    """of the first of them"""
    has_options: bool
    """False where fio printed no options, or those of another job"""
    others: Sequence[Options] = field(default=())
    """of the others"""

    @property
    def how(self) -> str | None:
        """`randread`, `write`, ...; None where it is not known."""
        if not self.has_options:
            return None
        return (self._value("rw", "readwrite") or "read").partition(":")[0].lower()

    @property
    def pattern(self) -> str | None:
        """`random` or `sequential`; None where it is not known."""
        if self.how is None:
            return None
        return "random" if self.how.startswith("rand") else "sequential"

    @property
    def numjobs(self) -> int | None:
        """How many tasks one section starts; None where it is not known."""
        return whole(self.options.get("numjobs", "1")) if self.has_options else None

    @property
    def queue_depth(self) -> int | None:
        """Operations that one task keeps in flight."""
        return whole(self.options.get("iodepth", "1")) if self.has_options else None

    @property
    def api(self) -> str | None:
        """Fio's engine; its default depends on the version and the platform."""
        return self.options.get("ioengine") or None

    @property
    def direct(self) -> bool | None:
        """Whether it used O_DIRECT."""
        if not self.has_options:
            return None
        if "buffered" in self.options:
            return self.options["buffered"] == "0"
        return "direct" in self.options and self.options["direct"] != "0"

    @property
    def file_bytes(self) -> int | None:
        """The size of one file; None where it is unknown."""
        if "filesize" in self.options:
            return self._size(self.options["filesize"])
        size = self._size(self.options.get("size", ""))
        files = whole(self.options.get("nrfiles", "1"))
        return size // files if size and files else None

    @property
    def access(self) -> Access | None:
        """Whether tasks share a file; None for one task, and where it is not known."""
        if not self.has_options or (self.numjobs or 1) < 2:
            return None
        return "shared file" if self.options.get("filename") else "file per process"

    @property
    def settings(self) -> dict[str, str]:
        """All other settings that identify a point; differing values of jobs are listed, `2m /
        none`.
        """
        everyone = [self.options, *self.others]
        keys = dict.fromkeys(key for options in everyone for key in options)
        shown = {}
        for key in keys:
            values = [_setting(options[key]) if key in options else "none" for options in everyone]
            distinct = list(dict.fromkeys(values))
            same = len(distinct) == 1
            if key not in _NO_DIFFERENCE and not (same and key in _READ_FROM_OPTIONS):
                shown[f"jobs' {key}" if key in _READ_FROM_OPTIONS else key] = " / ".join(distinct)
        rw = self._value("rw", "readwrite")
        if ":" in rw:
            shown["rw"] = rw
        return shown

    def transfer_bytes(self, direction: str, amount: Amount) -> int | None:
        """The size of one transfer; None where there is not one fixed size, or it is unknown.

        The options decide where they give one size. fio's units depend on `kb_base`: the moved data
        show which one it used. Without options, moved bytes divided by the number of transfers is
        the size where it divides exactly.
        """
        if any(
            key in options for options in (self.options, *self.others) for key in _NO_FIXED_SIZE
        ):
            return None
        exact, rest = divmod(amount.moved_bytes, amount.operations) if amount.operations else (0, 1)
        measured = exact if exact and not rest else None
        if not self.has_options:
            return measured
        texts = {
            _of_direction(_transfer_text(options), direction)
            for options in (self.options, *self.others)
        }
        text = next(iter(texts))
        if len(texts) != 1 or text is None:
            return None
        if not text:
            near = amount.operations and _is_near(
                amount.moved_bytes / amount.operations, _DEFAULT_TRANSFER_BYTES
            )
            return _DEFAULT_TRANSFER_BYTES if near else measured
        stated_bytes = self._size(text)
        readings = [stated_bytes, *(size_bytes(text, base) for base in ("1024", "1000"))]
        mean = amount.moved_bytes / amount.operations if amount.operations else 0.0
        near_ones = [size for size in readings if size and _is_near(mean, size)]
        return near_ones[0] if near_ones else stated_bytes or measured

    def _size(self, text: str) -> int | None:
        return size_bytes(text, self.options.get("kb_base", "1024"))

    def _value(self, *names: str) -> str:
        return next((self.options[name] for name in names if name in self.options), "")


def size_bytes(text: str, kb_base: str) -> int | None:
    """A size as fio reads it; None where the text is not one size.

    With kb_base=1024, its default, `4k` is 4096 B and `4Ki` is 4000 B; with kb_base=1000 it is the
    other way round.
    """
    if re.fullmatch(r"0x[0-9a-f]+", text.strip(), re.IGNORECASE):
        return int(text, 16)
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        return None
    binary = (kb_base != "1000") != bool(match[3])
    factor = (1024 if binary else 1000) ** _POWERS[match[2].lower()]
    return int(float(match[1]) * factor)


def whole(text: str) -> int | None:
    """A whole number above 0, or None."""
    return int(text) if re.fullmatch(r"\s*0*[1-9][0-9]{0,8}\s*", text) else None


def in_common(all_options: Iterable[Options]) -> dict[str, str]:
    """The options that all have with one value."""
    all_of_them = list(all_options)
    first = all_of_them[0] if all_of_them else {}
    return {
        key: value
        for key, value in first.items()
        if all(other.get(key) == value for other in all_of_them)
    }


def _setting(value: str) -> str:
    return value or "1"


def _transfer_text(options: Options) -> str:
    return options.get("bs") or options.get("blocksize") or ""


def _of_direction(text: str, direction: str) -> str | None:
    """`bs=R,W,T`: a missing last one is as the one before it; an empty one is the default.

    None for both directions at once, where their sizes differ.
    """
    sizes = [part.strip() for part in text.split(",")]
    if direction == "mixed":
        return sizes[0] if len(set(sizes[:2])) == 1 else None
    index = 0 if direction == "read" else 1
    return sizes[index] if len(sizes) > index else sizes[-1]


def _is_near(value: float, size: int) -> bool:
    return abs(value - size) <= _NEAR * size
