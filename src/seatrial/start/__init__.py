"""The first steps: what there is, what a run will take, what this machine can do, a study to begin with."""
