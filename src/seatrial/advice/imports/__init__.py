"""Readers of other programs' results, one file for each program: whether a text is theirs, and what was measured."""
