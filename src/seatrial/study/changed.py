"""A study with some of its values replaced permanently: `run --set` runs it, and the result of the
run has it.
"""

from collections.abc import Mapping
from typing import Any

from seatrial.basics.yamlfile import yaml_text
from seatrial.study.profiles import with_values_of
from seatrial.study.study import Study, parse_study

WRITTEN = (
    "# Written by Seatrial: the study with the values of --set. Comments and anchors are not"
    " kept.\n"
)


def changed_study(study: Study, values: Mapping[str, Any]) -> Study:
    """The study with other values, and a text that lists them.

    `values`: dotted path -> value, `{"nodes.nas.link": "25Gbit/s"}`. InputError names a wrong one
    by its place in the study's file. In contrast to `Study.with_values`, further changes keep
    these.
    """
    if not values:
        return study
    study.with_values(values)  # its errors have the places of the file as the user wrote it
    data = with_values_of(_without_overrides(study.source.data, values), values)
    return parse_study(WRITTEN + yaml_text(data), study.source.path)


def _without_overrides(data: Any, values: Mapping[str, Any]) -> Any:
    """The data without the overrides of profiles that would hide these values."""
    overrides = data.get("profile_overrides")
    if not overrides:
        return data
    kept_overrides = {
        profile: {path: value for path, value in changes.items() if path not in values}
        for profile, changes in overrides.items()
    }
    return {**data, "profile_overrides": kept_overrides}
