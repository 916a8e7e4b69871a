"""The patterns of a workload: the properties and the numbers of each, one file each."""
