"""Figures of the report that it draws itself: rows of bars, and lines over time or latency."""
