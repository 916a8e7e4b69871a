"""The properties of a fault that a published sentence may be about: one file each."""
