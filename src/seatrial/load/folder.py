"""The only folder of the load on a node, which belongs to root, or to the user, alone.

In a directory that every user can write (/var/tmp), another user could create the path first: a
program that root then runs, or a link through which root's log overwrites a file.
"""

from pathlib import PurePosixPath

from seatrial.labs.node_state import make_folder
from seatrial.service.session import Session

FOLDER = "/var/lib/seatrial/load"
MAKE = make_folder(FOLDER)


def load_folder(session: Session) -> str:
    """The folder of the load on every node of a session: root's, or the user's own."""
    return FOLDER if session.node_state is None else session.node_state.folder


def folder_of(agent: str) -> str:
    """The folder of the load on every node, from the path of the agent in it."""
    return str(PurePosixPath(agent).parent)
