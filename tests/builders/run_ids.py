"""Run ids of tests."""

import secrets


def new_run_id() -> str:
    """An id that no other test has: agents on this machine share one folder of operation logs."""
    return f"{secrets.randbits(60):016x}"
