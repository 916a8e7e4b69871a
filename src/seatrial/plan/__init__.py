"""Plans (the scripts for each node) and the expected rates of the hardware between them."""
