"""Labs make nodes, disks and links exist, and can cut them: one file per kind."""
