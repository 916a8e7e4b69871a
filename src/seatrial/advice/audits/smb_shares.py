"""Rules for Samba shares."""

from collections.abc import Iterator, Sequence

from seatrial.advice.audit_base import Facts, Finding, Level

YES = ("yes", "true", "1")
NO = ("no", "false", "0")
RULES: tuple[tuple[tuple[str, ...], tuple[str, ...], Level, str, str], ...] = (
    (
        ("strict sync",),
        NO,
        "unsafe",
        "strict sync = yes",
        "the server answers a flush while the data are in its memory only, and are lost with it",
    ),
    (
        ("guest ok", "public"),
        YES,
        "unsafe",
        "a password",
        "anyone who reaches the server may read, and change writable files",
    ),
    (("locking",), NO, "unsafe", "locking = yes", "locks are granted to everybody who asks"),
    (
        ("server smb encrypt", "smb encrypt"),
        ("off",),
        "unsafe",
        "if_required",
        "a client that requests encryption gets none, too: its data can be read in transit",
    ),
    (
        ("server signing",),
        ("disabled", *NO),
        "unsafe",
        "auto, or mandatory",
        "data can be changed in transit",
    ),
    (
        ("sync always",),
        YES,
        "slow",
        "sync always = no",
        (
            "every write waits for the disks; programs that need it call fsync, which strict sync"
            " honours"
        ),
    ),
    (
        ("oplocks", "smb2 leases"),
        NO,
        "slow",
        "leave it out",
        "clients may keep nothing: every read and write goes to the server",
    ),
)
"""(names of the key, values, level, better value, why)"""


def findings(facts: Sequence[Facts]) -> Iterator[Finding]:
    """Settings that lose data, expose them, or reduce performance."""
    for node in facts:
        for section, settings in node.shares.items():
            for names, values, level, better, why in RULES:
                for name in names:
                    if settings.get(name) in values:
                        what = f"[{section}] has {name} = {settings[name]}"
                        yield Finding(node.node, level, what, better, why, name)
