"""The machine's own apt sources, from which the lab's image and kernel are made."""

import platform
import re
from pathlib import Path

from seatrial.basics.errors import RunError


def codename() -> str:
    """The machine's release of Debian; RunError when there is none."""
    name = platform.freedesktop_os_release().get("VERSION_CODENAME")
    if not name:
        raise RunError(
            "/etc/os-release names no release",
            "the lab's image is made from Debian 12's own sources",
        )
    return name


def debian_sources(apt: Path, codename: str) -> str:
    """The machine's apt sources of the release `codename`, without third parties.

    A source counts when its suite is the release, its updates or its security archive, and it
    offers `main`.
    """
    suites = {codename, f"{codename}-updates", f"{codename}-security"}
    lines: list[str] = []
    for path in [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*.list"))]:
        if path.exists():
            lines += [
                line for line in path.read_text().splitlines() if _one_line_counts(line, suites)
            ]
    stanzas: list[str] = []
    for path in sorted((apt / "sources.list.d").glob("*.sources")):
        body = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("#"))
        stanzas += [text for text in re.split(r"\n\s*\n", body) if _stanza_counts(text, suites)]
    if not lines and not stanzas:
        raise RunError(
            f"no apt source of {codename} found in /etc/apt",
            "add Debian's own sources for this release",
        )
    return _as_one_line(stanzas, suites) + "".join(f"{line}\n" for line in lines)


def _one_line_counts(line: str, suites: set[str]) -> bool:
    parts = re.sub(r"\[[^]]*\]", "", line).split()
    return len(parts) >= 4 and parts[0] == "deb" and parts[2] in suites and "main" in parts[3:]


def _fields(stanza: str) -> dict[str, str]:
    joined = re.sub(r"\n[ \t]+", " ", stanza)
    return {
        key.lower(): value.strip()
        for key, value in re.findall(r"^([A-Za-z-]+):(.*)$", joined, re.MULTILINE)
    }


def _stanza_counts(stanza: str, suites: set[str]) -> bool:
    fields = _fields(stanza)
    return (
        "deb" in fields.get("types", "").split()
        and bool(suites & set(fields.get("suites", "").split()))
        and "main" in fields.get("components", "").split()
        and fields.get("enabled", "yes").lower() not in {"no", "false"}
    )


def _as_one_line(stanzas: list[str], suites: set[str]) -> str:
    """Deb822 stanzas as one-line entries, so that one file can hold both formats."""
    lines = []
    for fields in map(_fields, stanzas):
        signed = fields.get("signed-by", "")
        options = f"[signed-by={signed}] " if signed.startswith("/") else ""
        lines += [
            f"deb {options}{uri} {suite} main\n"
            for uri in fields["uris"].split()
            for suite in fields["suites"].split()
            if suite in suites
        ]
    return "".join(lines)


def of_suite(sources: str, suite: str, other: str) -> str:
    """The sources of `suite`, changed to another suite of the same mirrors; these may be outdated.

    >>> print(of_suite("deb [signed-by=/k.gpg] http://deb.example/debian bookworm main", "bookworm",
    "forky"), end="") deb [check-valid-until=no signed-by=/k.gpg] http://deb.example/debian forky
    main
    """
    lines = []
    for line in sources.splitlines():
        entry = re.match(r"deb\s+(?:\[([^]]*)\]\s+)?(\S+)\s+(\S+)\s", line)
        if entry and entry[3] == suite:
            options = " ".join(["check-valid-until=no", *(entry[1] or "").split()])
            lines.append(f"deb [{options}] {entry[2]} {other} main\n")
    return "".join(lines)
