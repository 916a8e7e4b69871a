"""Mistakes of criteria on rates and latency are refused before a run, with file and line."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from seatrial.basics.errors import InputError
from seatrial.judge.judge import check_published
from seatrial.study.study import parse_study
from tests.builders.strategies import MINIMAL, text_of

EXPERIMENTS: dict[str, Any] = {
    "one": {
        "workload": {"transfer_size": "64KiB", "file_size": "8MiB"},
        "sweep": {"clients": [1, 2]},
        "quick": {"sweep": {"clients": [1, 4]}},
    },
    "variants": {
        "workload": {"transfer_size": "64KiB", "file_size": "8MiB", "phases": ["write"]},
        "variants": {"a": {}, "b": {"workload": {"tasks": 2}}, "c": {"skip": "not here"}},
    },
    "both": {
        "workload": {"transfer_size": "64KiB", "file_size": "8MiB", "phases": ["write"]},
        "sweep": {"clients": [1, 2], "tasks": [1, 4]},
    },
    "names": {"workload": {"phases": ["create", "stat"], "tree": {"items": 10}}},
    "open": {
        "workload": {
            "transfer_size": "4KiB",
            "file_size": "8MiB",
            "phases": ["write"],
            "arrivals_per_s": 50,
        },
    },
    "rates": {
        "workload": {"transfer_size": "4KiB", "file_size": "8MiB", "phases": ["write"]},
        "sweep": {"arrivals_per_s": [10, 20]},
    },
    "search": {
        "workload": {
            "transfer_size": "4KiB",
            "file_size": "8MiB",
            "phases": ["write"],
            "time_based": True,
            "time_limit": "10s",
        },
        "saturation_search": {"objective": "20ms"},
    },
    "kinds": {
        "workload": {"transfer_size": "64KiB", "file_size": "8MiB", "phases": ["write"]},
        "kinds": {"nfs": {"file_size": "1MiB"}},
        "sweep": {"clients": [1, 2]},
    },
}
FAULT_LOAD = {
    "closed": {"workload": {"transfer_size": "4KiB", "file_size": "1MiB", "phases": ["write"]}},
    "open": {
        "workload": {
            "transfer_size": "4KiB",
            "file_size": "1MiB",
            "phases": ["write"],
            "arrivals_per_s": 20,
        }
    },
}
FAULTS = {"stop": {"kind": "panic", "repeat": 3}}
PUBLISHED = {
    "experiments": [{"id": "T2", "columns": ["clients", "write"], "rows": [[1, 100.0], [2, None]]}]
}


def check(criterion: dict[str, Any]) -> None:
    """Check a study with this criterion, as `seatrial validate` does."""
    data = {
        **MINIMAL,
        "experiments": EXPERIMENTS,
        "background_load": FAULT_LOAD,
        "faults": FAULTS,
        "criteria": [{"id": "intact", "check": "integrity"}, {"id": "it", **criterion}],
    }
    check_published(parse_study(text_of(data), Path("study.yaml")), PUBLISHED)


def criterion(name: str, experiment: str, **options: Any) -> dict[str, Any]:
    """A criterion on an experiment."""
    return {"check": name, "experiment": experiment, **options}


def throughput(experiment: str = "variants", **options: Any) -> dict[str, Any]:
    """With a limit, where none is given."""
    limits = {} if {"at_least", "at_most"} & set(options) else {"at_least": "5 GB/s"}
    return criterion("throughput", experiment, **options, **limits)


def latency(experiment: str = "open", **options: Any) -> dict[str, Any]:
    """Of p99 below 20 ms."""
    return criterion("latency", experiment, **{"percentile": 99, "below": "20ms", **options})


def of_published(**changes: Any) -> dict[str, Any]:
    """A share of a published figure."""
    keys = {"share": 0.9, "of": "published", "figure": "T2", "column": "write", "line": 1}
    return {key: value for key, value in {**keys, **changes}.items() if value is not None}


def of_variant(name: str) -> dict[str, Any]:
    """A share of another variant."""
    return {"share": 0.9, "of": "variant", "variant": name}


STREAM = {"check": "latency", "stream": "open", "percentile": 99, "below": "2s"}


@pytest.mark.parametrize(
    "it",
    [
        throughput(),
        throughput("one", phase="read", at={"clients": 4}),
        throughput(at_least={"share": 0.8, "of": "bound"}),
        throughput(at_least="5 GB/s", at_most="6 GB/s"),
        throughput(at_least={"rate": "5 GB/s"}),
        throughput(at_least={"share": 0.9, "of": "bound"}, at_most="10 GB/s"),
        throughput(at_least=of_published()),
        throughput(at={"variant": "b"}, at_least=of_variant("a")),
        criterion("iops", "variants", at_least=12000),
        criterion("iops", "variants", at_least={"operations_per_s": 12000}),
        criterion("metadata-rate", "names", phase="create", at_least=500.5),
        latency(at_rate=50),
        latency("rates", at_rate=20),
        latency("search", at_rate=37.5),
        STREAM,
        {**STREAM, "faults": ["stop"]},
        {**STREAM, "faults": ["stop-02"]},
        criterion("scaling", "one", phase="read", clients=4, at_least=0.8),
        criterion("scaling", "both", at={"tasks": 4}, at_least=0.8),
        criterion("variation", "variants", between="clients", below=0.1),
        criterion("variation", "kinds", between="seconds", below=0.1),
    ],
)
def test_a_criterion_that_fits(it: dict[str, Any]) -> None:
    """Also values that only another profile has."""
    check(it)


@pytest.mark.parametrize(
    ("it", "key", "message"),
    [
        (throughput("on"), "experiment", "'on' is not known; did you mean 'one'"),
        (throughput("names"), "experiment", "no phase that this check judges"),
        (throughput("one"), "experiment", "several phases; add phase: write"),
        (throughput("one", phase="mixed"), "phase", "'mixed' is not known; one of write, read"),
        (throughput("one", phase="raed"), "phase", "did you mean 'read'"),
        (
            throughput("one", phase="read", at={"clients": 3}),
            "at",
            "no point with 3; one of 1, 2, 4",
        ),
        (throughput(at={"clients": 1}), "at", "it varies variant"),
        (throughput("open", at={"clients": 1}), "at", "it varies nothing"),
        (throughput(at={"variant": "c"}), "at", "no point with 'c'; one of a, b"),
        (throughput("search"), "experiment", "searches for a rate"),
        (criterion("throughput", "open"), "it", "a limit is missing"),
        (throughput(at_least="5"), "at_least", "'5' has no unit; write it like 130MB/s"),
        (throughput(at_least="5 GB"), "at_least", "unknown unit"),
        (throughput(at_least="5 GB/s", at_most="4 GB/s"), "it", "at_least is above at_most"),
        (
            throughput(at_least={"share": 2, "of": "bound"}, at_most={"share": 1, "of": "bound"}),
            "it",
            "at_least is above at_most",
        ),
        (throughput(at_least={}), "at_least", "either a value (rate) or a share"),
        (throughput(at_least={"share": 0.8}), "at_least", "a share has a reference"),
        (throughput(at_least={"share": 0, "of": "bound"}), "at_least.share", "greater than 0"),
        (throughput(at_least={"share": 1, "of": "link"}), "at_least.of", "'link' is not known"),
        (throughput(at_least=of_published(line=None)), "at_least", "of published needs line"),
        (throughput(at_least=of_published(variant="a")), "at_least", "variant does not belong"),
        (throughput(at_least=of_published(figure="T3")), "at_least", "has no table 'T3'"),
        (throughput(at_least=of_published(line=3)), "at_least", "has no line 3; one of 1, 2"),
        (throughput(at_least=of_published(line=2)), "at_least", "has no number 'write'"),
        (throughput(at_least=of_published(column="x")), "at_least", "has no number 'x'"),
        (throughput(at_least=of_variant("d")), "at_least.variant", "no variant is called 'd'"),
        (throughput(at_least=of_variant("a")), "at_least.variant", "add at: {variant: NAME}"),
        (
            throughput(at={"variant": "a"}, at_least=of_variant("a")),
            "at_least.variant",
            "needs another variant",
        ),
        (throughput(at_least=of_variant("a"), at_most="9 GB/s"), "it", "share of the same variant"),
        (criterion("iops", "variants", at_least="12k"), "at_least", ""),
        (criterion("iops", "variants", at_least=0), "at_least", "greater than 0"),
        (criterion("iops", "names", at_least=1), "experiment", "it judges write, read, mixed"),
        (criterion("metadata-rate", "names", at_least=1), "experiment", "add phase: create"),
        (
            criterion("metadata-rate", "names", at_least={"share": 1, "of": "bound"}),
            "at_least.of",
            "'bound' is not known",
        ),
        (latency(percentile=100), "percentile", "less than 100"),
        (latency(percentile=0), "percentile", "greater than 0"),
        (latency(below="20"), "below", "has no unit"),
        (criterion("latency", "open", percentile=99), "below", "this key is missing"),
        (latency(at_rate=60), "at_rate", "no phase at 60; one of 50"),
        (latency("rates", at_rate=15), "at_rate", "one of 10, 20"),
        (latency("variants", at_rate=15), "at_rate", "is not an open loop"),
        (latency("search"), "experiment", "add at_rate"),
        (latency("nothing"), "experiment", "'nothing' is not known"),
        ({**STREAM, "experiment": "open"}, "it", "either experiment or stream"),
        ({**STREAM, "phase": "write"}, "it", "belong to an experiment"),
        (latency(faults=["stop"]), "it", "faults belong to a stream"),
        ({**STREAM, "stream": "opn"}, "stream", "did you mean 'open'"),
        ({**STREAM, "stream": "closed"}, "stream", "is not an open loop"),
        ({**STREAM, "faults": ["stp"]}, "faults[0]", "did you mean 'stop'"),
        (criterion("scaling", "open", at_least=0.8), "experiment", "does not sweep clients"),
        (criterion("scaling", "both", at_least=0.8), "experiment", "add at: {tasks: 1}"),
        (
            criterion("scaling", "one", phase="read", clients=3, at_least=1),
            "clients",
            "with 3 clients",
        ),
        (
            criterion("scaling", "one", phase="read", relative_to=8, at_least=1),
            "relative_to",
            "with 8",
        ),
        (
            criterion("scaling", "one", phase="read", clients=2, relative_to=4, at_least=1),
            "it",
            "relative_to is the smaller",
        ),
        (criterion("scaling", "one", at={"clients": 2}, at_least=1), "it", "write clients and"),
        (criterion("scaling", "one", phase="read"), "at_least", "this key is missing"),
        (criterion("variation", "open", below=0.1), "between", "this key is missing"),
        (criterion("variation", "open", between="clients"), "below", "this key is missing"),
        (criterion("variation", "open", between="tasks", below=0.1), "between", "'tasks' is not"),
        (criterion("variation", "open", between="clients", below=1), "below", "less than 1"),
        (
            criterion("variation", "kinds", between="clients", below=0.1),
            "between",
            "different workloads",
        ),
    ],
)
def test_a_mistake_has_its_place(it: dict[str, Any], key: str, message: str) -> None:
    """The line of the criterion or of the key, and the correction."""
    with pytest.raises(InputError) as caught:
        check(it)
    words = str(caught.value)
    first = next(number for number, line in enumerate(yaml_lines(it), start=1) if "id: it" in line)
    place = re.match(r"study\.yaml:(\d+):\d+: criteria\[1\](\S*)", words)
    assert place, words
    assert int(place[1]) >= first
    assert key == "it" or place[2].removeprefix(".").rstrip(":").startswith(key), words
    assert message in words
    assert "Traceback" not in words


def yaml_lines(it: dict[str, Any]) -> list[str]:
    """The lines of the study."""
    data = {
        **MINIMAL,
        "experiments": EXPERIMENTS,
        "background_load": FAULT_LOAD,
        "faults": FAULTS,
        "criteria": [{"id": "intact", "check": "integrity"}, {"id": "it", **it}],
    }
    return yaml.safe_dump(data, sort_keys=False).splitlines()
