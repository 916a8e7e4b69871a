"""The user who runs Seatrial."""

import os
import pwd
import re


def login_name() -> str:
    """The user's login name, safe as part of a file name; the user id where it has no name."""
    user_id = os.geteuid()
    try:
        name = pwd.getpwuid(user_id).pw_name
    except KeyError:
        name = str(user_id)
    return re.sub(r"[^A-Za-z0-9._-]", "-", name)
