"""Fault kinds: one file each, which returns the actions that inject and repair the fault; nothing
here acts.
"""
