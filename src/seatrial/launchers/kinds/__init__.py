"""The launchers; an entry point in the group `seatrial.launchers` adds one."""
