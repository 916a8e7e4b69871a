"""Why the judgement of a consistency test found a violation, or cannot decide: one code for each
rule.

docs/consistency-rules.md has the meaning and the source of every code. Programs decide by the code;
the words next to it are for people.
"""

from enum import StrEnum


class Wrong(StrEnum):
    """Observations that no correct storage could have shown."""

    # locks
    TWO_HOLDERS = "two-holders"
    """a range was granted to a client while another certainly held it"""
    FOREIGN_TOKEN = "foreign-token"
    """another client wrote into a range that was held"""
    NEVER_FREED = "never-freed"
    """a range that no client held was refused to every client"""

    # append and close-to-open
    STALE = "stale"
    """a look showed less than had been acknowledged before it began"""
    WENT_BACK = "went-back"
    """a client no longer saw data that it had seen before"""
    NOT_WRITTEN = "not-written"
    """a look, or the end, showed data that no client had begun to write"""
    TORN = "torn"
    """parts of records or generations, while no client wrote"""
    LOST = "lost"
    """in the end, data that was acknowledged or seen is missing"""
    OUT_OF_ORDER = "out-of-order"
    """records that occur twice, or after later ones"""

    # exclusive and rename
    WON_TWICE = "won-twice"
    WON_BY_NONE = "won-by-none"
    """EEXIST for every client that tried"""
    EXISTED_TOO_EARLY = "existed-too-early"
    """EEXIST before the only create that succeeded had begun"""
    NAME_LOST = "name-lost"
    """a name that was made is missing in the end"""
    NOT_MADE = "not-made"
    """a name in the end that no client made"""
    TWO_NAMES = "two-names"
    WRONG_NAME = "wrong-name"
    """an item has another name than its rename reported"""
    UNEXPLAINED = "unexplained"
    """an error that nothing but a repeated request could explain, and none was repeated"""
    UNDONE_TOO_OLD = "undone-too-old"
    """a crash undid a change that a journal must have had on disk"""
    UNDONE_BETWEEN = "undone-between"
    """a crash undid a change, and kept a later one of the same journal"""


class Unknown(StrEnum):
    """Why it cannot be decided whether the histories fit one storage."""

    NO_END = "no-end"
    """the content of the storage in the end could not be inspected"""
    NO_HISTORY = "no-history"
    CUT_HISTORY = "cut-history"
    CLOCKS = "clocks"
    """the clock error is larger than the tested interval"""
    FEW_ANSWERS = "few-answers"
    """too small a share of a client's operations was answered"""
    NO_CONTENTION = "no-contention"
    """no client was refused a lock of another, or no range passed from one client to another"""
    NO_PROGRESS = "no-progress"
    """the server granted none of the locks that clients requested"""
    NOTHING_NEW = "nothing-new"
    """no look had anything new to show"""
    NOT_LISTED = "not-listed"
    """a look did not list all records that it missed"""
    WRITER_FAILED = "writer-failed"
    """an operation that ended in an error, or was not noted, may have been done or not"""
    UNSTABLE = "unstable"
    """the data seen had not been acknowledged when the fault began; the server may have lost it
    with its memory"""
    SENT_AGAIN = "sent-again"
    """an error may be the answer to a request that was sent again"""
    UNSUPPORTED = "unsupported"
    """the file system has no such call"""
