"""`seatrial format`: studies in one style of YAML."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from seatrial.basics.shipped import study_file
from seatrial.basics.yamlfile import load_yaml
from seatrial.basics.yamlstyle import styled


def format_studies(paths: Iterable[Path], *, check: bool) -> Iterator[Path]:
    """The files that are not in the style, each rewritten unless `check`; InputError where one is
    no YAML.
    """
    for path in paths:
        file = study_file(path)
        text = load_yaml(file).text
        result = styled(text, file)
        if result == text:
            continue
        if not check:
            file.write_text(result, encoding="utf-8")
        yield file
