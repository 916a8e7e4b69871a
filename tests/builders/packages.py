"""A package of a third party: one module, which an entry point names."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "seatrial"


class Packages:
    """Installs small packages for one test."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._number = 0

    def install(
        self, group: str, name: str, text: str, files: Mapping[str, str] | None = None
    ) -> None:
        """Install a package with the kind `name` of a group of entry points.

        Its module has the text, and the other files are next to the module.
        """
        self._number += 1
        package = f"third_party_{self.folder.name.replace('-', '_')}_{self._number}"
        place = self.folder / f"site-{self._number}"
        (place / package).mkdir(parents=True)
        (place / package / "__init__.py").write_text(text)
        for file, content in (files or {}).items():
            (place / package / file).write_text(content)
        about = place / f"{package}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[{group}]\n{name} = {package}\n")
        self._monkeypatch.syspath_prepend(str(place))
        self._monkeypatch.delitem(sys.modules, package, raising=False)


def names_it(name: str) -> list[str]:
    """The files of Seatrial that contain a word: none for a kind of a third party."""
    texts = (path for path in SOURCE.rglob("*") if path.suffix in {".py", ".j2", ".sh"})
    return [str(path) for path in texts if name in path.read_text(encoding="utf-8")]
