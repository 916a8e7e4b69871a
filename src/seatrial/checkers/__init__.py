"""Checkers answer claims from a record: one file per kind of check."""
