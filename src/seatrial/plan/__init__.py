"""What is done to each node, as text, and what the hardware on the way should give."""
