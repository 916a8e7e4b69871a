"""The rules of `seatrial audit`: one file for each area."""
