"""The available studies, and the parts of one study with their expected times."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from seatrial.basics.errors import SeatrialError
from seatrial.basics.shipped import study_places
from seatrial.labs.base import traits_named
from seatrial.matrix.resolve import resolve_profiles
from seatrial.start.beforehand import lab_memory, memory_text
from seatrial.start.times import Times, times_of
from seatrial.study.profiles import Profile
from seatrial.study.study import Study, load_study


def listed_studies() -> Iterator[dict[str, Any]]:
    """Each study: name, folder, title, lab, and memory of its nodes in the trial profile.

    A study that cannot be read has its error instead.
    """
    # Studies in the current folder and in ./studies come before the installed ones.
    folders = {name: folder for place in reversed(study_places()) for name, folder in place.items()}
    for name, folder in sorted(folders.items()):
        try:
            study = load_study(folder)
        except SeatrialError as error:
            yield {"name": name, "folder": str(folder), "mistake": str(error)}
            continue
        memory = (
            lab_memory(study.in_profile("trial"))[0]
            if traits_named(study.environment.kind).sets_memory
            else None
        )
        parts = {"experiments": len(study.experiments), "faults": len(study.faults)}
        kinds = {"solution": study.solution.kind, "environment": study.environment.kind}
        yield {
            "name": name,
            "folder": str(folder),
            "title": study.title,
            **kinds,
            **parts,
            "memory_bytes": memory,
        }


def studies_text(studies: Sequence[dict[str, Any]]) -> str:
    """Text for the operator: a header and a line for each study, in columns that `awk` can split
    up to the title.
    """
    rows = [("study", "solution", "memory", "experiments", "faults", "title")]
    for item in studies:
        if "mistake" in item:
            rows.append((item["name"], "-", "-", "-", "-", item["mistake"]))
            continue
        memory = f"{item['memory_bytes'] / 2**30:.1f}GiB" if item["memory_bytes"] else "hosts"
        counts = (str(item["experiments"]), str(item["faults"]))
        rows.append((item["name"], item["solution"], memory, *counts, item["title"] or ""))
    return _columns(rows)


def listed_parts(study: Study, results: Path) -> dict[str, Any]:
    """A study's experiments and faults: the profiles that have each one, and its expected time."""
    profiles = resolve_profiles(study)
    times_by_profile = {profile: times_of(matrix, results) for profile, matrix in profiles.items()}
    parts = [
        _part("experiment", name, item.title, times_by_profile)
        for name, item in study.experiments.items()
    ]
    planned = {item.name: item.planned for of in profiles.values() for item in of.planned_faults}
    parts += [_part("fault", name, planned[name].title, times_by_profile) for name in study.faults]
    listed = {
        "study": study.id,
        "title": study.title,
        "parts": parts,
        "total": {
            profile: {"seconds": times.total_s, "text": times.text()}
            for profile, times in times_by_profile.items()
        },
        "basis": {profile: times.basis for profile, times in times_by_profile.items()},
    }
    if not traits_named(study.environment.kind).sets_memory:
        return listed
    memory = {profile: memory_text(study.in_profile(profile)) for profile in study.all_profiles}
    return listed | {"memory": memory}


def _part(
    kind: str, name: str, title: str | None, times_by_profile: dict[Profile, Times]
) -> dict[str, Any]:
    times = {
        profile: {"seconds": times.items_s[name], "text": times.text(name)}
        for profile, times in times_by_profile.items()
        if name in times.items_s
    }
    return {"kind": kind, "name": name, "title": title, "times": times}


def parts_text(listed: dict[str, Any]) -> str:
    """Text for the operator: a header, a line for each part, then the total of each profile."""
    profiles = tuple(listed["total"])
    rows = [("kind", "name", *profiles, "title")]
    for part in listed["parts"]:
        times = [part["times"].get(profile, {}).get("text", "-") for profile in profiles]
        rows.append((part["kind"], part["name"], *times, part["title"] or ""))
    totals = (listed["total"][profile]["text"] for profile in profiles)
    rows.append(("total", "all", *totals, ""))
    return _columns(rows)


def basis_text(listed: dict[str, Any]) -> str:
    """Text for the operator: the study's title, the basis of the times, and the memory of a lab."""
    title = f"{listed['study']}: {listed['title'] or ''}"
    memory = _by_profile(listed.get("memory", {}))
    return "\n".join([title, *_by_profile(listed["basis"]), *memory])


def _by_profile(texts: dict[str, str]) -> Iterator[str]:
    """A line for each different text (profile -> text), which begins with its profiles."""
    for text in dict.fromkeys(texts.values()):
        yield f"{', '.join(profile for profile in texts if texts[profile] == text)}: {text}"


def _columns(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    return "\n".join(
        "  ".join(
            [*(text.ljust(width) for text, width in zip(row[:-1], widths, strict=True)), row[-1]]
        ).rstrip()
        for row in rows
    )
