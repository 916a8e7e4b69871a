"""What to do with a record or a system: compare, audit, advise, and measure this machine."""
