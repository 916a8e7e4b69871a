"""One lab for the tests that can share it: a server with six disks and two clients."""

import os
from collections.abc import Iterator

import pytest

from tests.builders.labs import Bench, booted, lab_study


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Up once; down at the end."""
    with booted(lab_study(f"tests-{os.getpid()}"), tmp_path_factory.mktemp("bench")) as found:
        yield found
