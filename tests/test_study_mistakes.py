"""Messages for mistakes in studies: the place of the mistake, and the probable intention."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from seatrial.basics.errors import InputError
from seatrial.basics.schema import Model
from seatrial.basics.yamlfile import dotted, parse_yaml
from seatrial.check import prepare
from seatrial.judge.base import load_checkers
from seatrial.study.experiment import Experiment
from seatrial.study.faults import Copy
from seatrial.study.nodes import Disks, Node
from seatrial.study.profiles import ALL_PROFILES, Profile
from seatrial.study.study import Study
from seatrial.study.workload import Tree, Workload
from tests.builders.strategies import MINIMAL, changed, study


def message_of(path: str, value: Any) -> str:
    """The error of a study in which one value is wrong, claims included."""
    with pytest.raises(InputError) as caught:
        read(changed(path, value))
    return str(caught.value)


def read(data: dict[str, Any]) -> None:
    """All that reads a study before a run."""
    prepare(found := study(data))
    load_checkers(found)


def test_an_item_of_a_list_has_its_index_and_its_id() -> None:
    """The second claim names a check that does not exist."""
    claims = [{"id": "intact", "check": "integrity"}, {"id": "lucky", "check": "luck"}]
    assert ": criteria[1].check (id lucky): 'luck' is not known" in message_of("criteria", claims)


def test_an_option_of_a_checker_is_named_likewise() -> None:
    """Its model is read apart from the study's."""
    claims = [{"id": "even", "check": "spread", "belwo": 0.1}]
    assert (
        ": criteria[0].belwo (id even): unknown key 'belwo'; did you mean 'below'?"
        in message_of("criteria", claims)
    )


def test_an_item_without_an_id_has_its_index_alone() -> None:
    """In a list within a list, too."""
    assert ": experiments.one.workload.phases[0]: " in message_of(
        "experiments.one.workload.phases", ["wirte"]
    )
    source = parse_yaml("a:\n  - - x\n    - {id: 7}\n", Path("study.yaml"))
    assert source.name_of(("a", 0, 0)) == "a[0][0]"
    assert source.name_of(("a", 0, 1, "b")) == "a[0][1].b (id 7)"
    assert source.name_of(("a", 5, "b")) == "a[5].b"
    assert source.name_of(()) == "study"
    assert dotted(("x", 1, "y")) == "x[1].y"


MEANT = [
    ("experiments.one.workload.bs", "did you mean 'transfer_size'?"),
    ("experiments.one.workload.numjobs", "did you mean 'tasks'?"),
    ("experiments.one.workload.rw", "did you mean 'phases' and 'pattern'?"),
    ("experiments.one.workload.filesize", "did you mean 'file_size'?"),
    ("experiments.one.workload.rate_iops", "did you mean 'arrivals_per_s'?"),
    ("experiments.one.loops", "did you mean 'repeats'?"),
    ("nodes.nas.ram", "did you mean 'memory'?"),
    ("nodes.nas.disks.capacity", "did you mean 'size'?"),
    ("hosts", "did you mean 'nodes'?"),
]


@pytest.mark.parametrize(("path", "question"), MEANT, ids=[path for path, _ in MEANT])
def test_a_key_of_another_tool_gets_a_hint(path: str, question: str) -> None:
    """With the key that has its meaning here, and not with one that merely looks like it."""
    key = path.rpartition(".")[2]
    assert f": {path}: unknown key {key!r}; {question}" in message_of(path, 1)


WITH_ALIASES: list[type[Model]] = [Study, Node, Disks, Experiment, Workload, Tree]


@pytest.mark.parametrize("model", WITH_ALIASES, ids=lambda model: model.__name__)
def test_an_alias_names_existing_keys(model: type[Model]) -> None:
    """And is no wrong one itself: it would be read, not refused."""
    keys = {field.alias or name for name, field in model.model_fields.items()}
    assert model.ALIASES
    assert not keys & set(model.ALIASES)
    assert {key for target in model.ALIASES.values() for key in target.split(" and ")} <= keys


MIXED = [
    ("32MB", "1MiB", "write 32MiB, or the nearest multiple, 31MiB"),
    ("33MB", "2MiB", "write the nearest multiple, 32MiB"),
    ("64kB", "4KiB", "write 64KiB"),
    ("100KiB", "64KiB", "write the nearest multiple, 128KiB"),
    ("1KiB", "64KiB", "write the nearest multiple, 64KiB"),
]


@pytest.mark.parametrize(
    ("file", "transfer", "words"), MIXED, ids=[f"{file}/{transfer}" for file, transfer, _ in MIXED]
)
def test_mixed_prefixes_get_the_nearest_good_size(file: str, transfer: str, words: str) -> None:
    """And the first proposal of the message is accepted."""
    workload = {"transfer_size": transfer, "file_size": file}
    message = message_of("experiments.one.workload", workload)
    assert f"is not a multiple of transfer_size ({transfer}); {words}" in message
    proposed = words.removeprefix("write ").removeprefix("the nearest multiple, ").partition(",")[0]
    prepare(study(changed("experiments.one.workload", {**workload, "file_size": proposed})))


def test_prefixes_mix_where_they_can() -> None:
    """A file of 1 024 000 bytes holds 250 transfers of 4 KiB; a total is divided into whole
    transfers.
    """
    prepare(
        study(changed("experiments.one.workload", {"transfer_size": "4KiB", "file_size": "1024kB"}))
    )
    prepare(
        study(changed("experiments.one.workload", {"transfer_size": "4KiB", "total_size": "10MB"}))
    )


def test_a_transfer_size_gets_the_binary_size_of_its_number() -> None:
    """1 MB is no multiple of 512 B; beyond the largest transfer size there are examples."""
    workload = {"transfer_size": "1MB", "file_size": "16MB"}
    assert "transfer_size is 1000000 B; it must be a multiple of 512 B" in message_of(
        "experiments.one.workload", workload
    )
    assert message_of("experiments.one.workload", workload).endswith("e.g. 1MiB")
    assert message_of("experiments.one.workload", {**workload, "transfer_size": "1TB"}).endswith(
        "e.g. 4KiB or 1MiB"
    )


def test_a_chunk_and_a_copy_get_good_sizes() -> None:
    """For the turns of a shared file, and for copies by dd."""
    workload = {
        "transfer_size": "4KiB",
        "file_size": "1MiB",
        "layout": "n-1-interleaved",
        "chunk": "10kB",
    }
    assert "chunk (10000 B) is not a multiple of transfer_size (4KiB)" in message_of(
        "experiments.one.workload", workload
    )
    with pytest.raises(
        ValidationError, match="part must be whole blocks and whole 4 KiB; write 256KiB"
    ):
        Copy.model_validate({"part": "256kB", "block": "64KiB"})
    with pytest.raises(ValidationError, match="size must be whole parts; write 1MiB"):
        Copy.model_validate({"size": "1MB", "part": "64KiB"})


GONE = [
    ({"quick": False}, "quick: false is gone; write profiles: [trial, full]"),
    ({"trial": False}, "trial: false is gone; write profiles: [quick, full]"),
    ({"trial": False, "quick": False}, "quick: false is gone; write profiles: [full]"),
    (
        {"quick": {"repeats": 1}, "profiles": ["full"]},
        (
            "quick: profiles leaves quick out, so nothing can be different there; remove one of the"
            " two keys"
        ),
    ),
    (
        {"profiles": ["quick"]},
        "profiles: the full profile has every item; add full, or remove the item",
    ),
    ({"profiles": []}, "profiles: the full profile has every item; add full, or remove the item"),
    ({"profiles": ["full", "full"]}, "profiles: a profile is named twice"),
    ({"profiles": ["ful"]}, "profiles[0]: 'ful' is not known; did you mean 'full'?"),
]


@pytest.mark.parametrize(("keys", "words"), GONE, ids=[str(keys) for keys, _ in GONE])
def test_profiles_are_named_once(keys: dict[str, Any], words: str) -> None:
    """The key of an earlier format names the new one, and keys that contradict each other are
    refused.
    """
    experiment = MINIMAL["experiments"]["one"]
    assert f": experiments.one.{words}" in message_of("experiments.one", {**experiment, **keys})


def test_profiles_of_nodes_streams_and_faults_are_checked_likewise() -> None:
    """Each has the same key."""
    node = {"memory": "128MiB", "quick": False}
    stream = {"consistency_test": "locks", "arrivals_per_s": 1}
    fault = {"kind": "panic", "trial": False, "quick": False}
    load = {"locks": {**stream, "trial": False}}
    assert "nodes.c[5-6].quick: false is gone; write" in message_of("nodes.c[5-6]", node)
    assert "background_load.locks.trial: false is gone; write" in message_of(
        "background_load", load
    )
    assert "faults.it.quick: false is gone; write profiles: [full]" in message_of(
        "faults", {"it": fault}
    )


@pytest.mark.parametrize(
    "profiles", [["full"], ["trial", "full"], ["quick", "full"], ["full", "trial", "quick"]]
)
def test_an_item_is_part_of_the_profiles_that_it_names(profiles: list[Profile]) -> None:
    """In any order."""
    experiment = MINIMAL["experiments"]["one"]
    found = study(changed("experiments.two", {**experiment, "profiles": profiles}))
    assert {profile for profile in ALL_PROFILES if "two" in found.experiments_in(profile)} == set(
        profiles
    )
