"""Seatrial builds, loads, breaks and judges shared storage for HPC clusters."""

__version__ = "0.1.0"
