"""Conditions that must hold within the lines of any result: one file for each kind of line."""
