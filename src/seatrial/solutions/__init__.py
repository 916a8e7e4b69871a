"""What is under test and how it is built: one file per kind."""
