"""Conditions that must hold within the lines of a result, whatever was measured: one file for each
kind of line.
"""
