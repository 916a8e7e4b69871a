"""Faults under load: injection, repair, and observation of the streams meanwhile."""
