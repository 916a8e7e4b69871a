"""Faults: one file per kind, which says what is done to inject it and to repair it; nothing here acts."""
