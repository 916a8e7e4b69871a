"""Seatrial builds, loads, breaks and certifies shared storage for HPC clusters."""

__version__ = "0.1.0"
