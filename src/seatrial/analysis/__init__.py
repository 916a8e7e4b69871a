"""Pure functions from measured numbers to figures."""
