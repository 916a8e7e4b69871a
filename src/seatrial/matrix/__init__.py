"""Everything that one run does, resolved and checked before any node exists."""
