"""The kinds of lab, one file each."""
