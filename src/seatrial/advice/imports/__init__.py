"""Readers of other programs' results, one file for each program: they recognise and parse its
output.
"""
