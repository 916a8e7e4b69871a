"""What a user writes, as frozen models in SI units: a study, its experiments, workloads, faults and
limits.
"""
