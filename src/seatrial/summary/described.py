"""The configuration of the dataclasses of a result summary."""

from pydantic import ConfigDict

DESCRIBED = ConfigDict(use_attribute_docstrings=True)
"""the JSON Schema has the docstring of each attribute as its description"""
