"""The stages of one fault: each takes the context and earlier results, and returns a typed result.

`faults/trial.py` has their order. No stage changes the result of another one.
"""
