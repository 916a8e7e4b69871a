"""The live view of a run: its state from the files of its result, in a terminal and on a page."""
