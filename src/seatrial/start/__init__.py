"""The first steps: available studies, times of a run, abilities of this machine, a new study."""
