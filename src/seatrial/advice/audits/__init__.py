"""What `seatrial audit` looks for: one file for each kind of thing."""
