"""The kinds of consistency tests: how the histories of each are judged, one file each."""
