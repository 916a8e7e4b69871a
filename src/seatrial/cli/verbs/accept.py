"""The verb `accept`."""

from __future__ import annotations

from seatrial.basics.printable import say_aside
from seatrial.cli import output
from seatrial.cli.arguments import JsonOption, ResultPath


def accept(result_path: ResultPath, as_json: JsonOption = False) -> None:
    """Mark a result as the reference of its study and profile, for the criterion `regression`.

    The file `accepted` in the folder of results gets a line with the result's name. Remove the line
    to withdraw the mark.
    """
    from seatrial.judge.references import accept as mark
    from seatrial.result.opened import Opened

    result = Opened(say_aside).read(result_path)
    path = mark(result)
    first = result.first("run")
    data = {
        "result": str(result_path),
        "study": first.get("study"),
        "profile": first.get("profile"),
        "accepted": str(path),
    }
    if as_json:
        output.print_json(data)
    else:
        print(f"{path}: {data['profile']} of {data['study']}: {result.folder.absolute().name}")
