"""Faults: one file per kind, which says what is done to inject it and to heal it; nothing here acts."""
