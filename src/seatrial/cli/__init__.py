"""The command line: `program` has the program, `verbs` one file for each verb."""

from seatrial.cli.program import app, guarded, invoke, main

__all__ = ["app", "guarded", "invoke", "main"]
