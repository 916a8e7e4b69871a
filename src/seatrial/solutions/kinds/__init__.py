"""The kinds of solution, one file each."""
