"""The observations of one run: the lines of its folder, and their only reader."""
