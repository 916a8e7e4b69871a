"""Folders of the repository that tests read."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "studies"
PUBLISHED = ROOT / "published"
DATA = ROOT / "tests" / "data"
CLUSTERS = ROOT / "tests" / "clusters"
"""what the nodes of real clusters have answered"""
