"""The checks that a criterion can name, one file each."""
