"""`scripts/words.py PATH`: a file, a folder, or the whole repository."""

from pathlib import Path

from tests.builders.tools import script

ROOT = Path(__file__).parent.parent
words = script("words")


def test_a_folder_stands_for_the_checked_files_below_it() -> None:
    """The pages of docs are those of the whole list."""
    docs = [name for name in words.files() if name.startswith("docs/")]
    assert words.files_below([str(ROOT / "docs")]) == docs
    assert docs


def test_a_file_is_itself_and_the_root_is_every_file() -> None:
    """Names are relative to the repository."""
    assert words.files_below([str(ROOT / "README.md")]) == ["README.md"]
    assert words.files_below([str(ROOT)]) == words.files()
