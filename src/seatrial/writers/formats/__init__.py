"""The formats of `seatrial export`, one file each."""
