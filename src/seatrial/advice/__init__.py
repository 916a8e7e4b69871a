"""Verbs on results and systems: compare, audit, advise, exchange results, and measure
this machine.
"""
