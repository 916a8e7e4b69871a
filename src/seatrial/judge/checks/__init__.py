"""The checks that a claim can name, one file each."""
