"""The names of other tools for the keys of a study: the hint for an author who writes one.

One table for each mapping: name elsewhere -> the key here, or two keys joined by ` and `. The names
are those of fio, IOR, mdtest, elbencho, dd and host inventories. An alias is never accepted: one
key has one name.
"""

OF_STUDY = {
    **dict.fromkeys(("name", "identifier"), "id"),
    "hosts": "nodes",
    **dict.fromkeys(("jobs", "tests", "workloads", "benchmarks"), "experiments"),
    **dict.fromkeys(("checks", "assertions", "expectations", "claims"), "criteria"),
    **dict.fromkeys(("storage", "filesystem"), "solution"),
    "lab": "environment",
    "fault_load": "background_load",
    "shares_with": "comparable_to",
}
OF_NODE = {
    **dict.fromkeys(("mem", "ram"), "memory"),
    **dict.fromkeys(("cpu", "cpus", "cores"), "processor"),
    **dict.fromkeys(("nic", "bandwidth", "speed"), "link"),
    **dict.fromkeys(("bond", "bonding", "team", "lacp"), "bonds"),
    **dict.fromkeys(("ip", "hostname"), "address"),
    **dict.fromkeys(("ipmi", "ilo", "idrac"), "bmc"),
    **dict.fromkeys(("drives", "devices"), "disks"),
}
OF_DISKS = {
    **dict.fromkeys(("capacity", "disk_size"), "size"),
    **dict.fromkeys(("bandwidth", "speed", "throughput"), "rate"),
    "drives": "devices",
    **dict.fromkeys(("number", "num"), "count"),
}
OF_EXPERIMENT = {
    **dict.fromkeys(("loops", "iterations", "repetitions", "runs"), "repeats"),
    **dict.fromkeys(("matrix", "parameters", "vary"), "sweep"),
    **dict.fromkeys(("cases", "rows"), "variants"),
    **dict.fromkeys(("job", "load"), "workload"),
    "only": "variants_run",
    "set": "overrides",
    "load_line": "saturation_search",
}
OF_WORKLOAD = {
    **dict.fromkeys(
        ("bs", "block", "blocksize", "block_size", "xfersize", "reclen", "record"), "transfer_size"
    ),
    **dict.fromkeys(("size", "filesize", "file"), "file_size"),
    **dict.fromkeys(("numjobs", "jobs", "threads", "nthreads", "np", "processes"), "tasks"),
    **dict.fromkeys(("iodepth", "io_depth", "qd"), "queue_depth"),
    **dict.fromkeys(("ioengine", "io_engine", "api"), "engine"),
    **dict.fromkeys(("rw", "readwrite"), "phases and pattern"),
    **dict.fromkeys(("runtime", "duration", "stonewall"), "time_limit"),
    "ramp_time": "warm_up",
    **dict.fromkeys(("rate_iops", "iops", "rate"), "arrivals_per_s"),
    **dict.fromkeys(("rwmixread", "rwmixpct"), "read_percent"),
    **dict.fromkeys(("o_direct", "odirect", "buffered"), "direct"),
    **dict.fromkeys(("fadvise", "fadvise_hint"), "hints"),
    **dict.fromkeys(("fdatasync", "end_fsync", "fsync_on_close"), "fsync"),
    "total": "total_size",
}
OF_TREE = {
    **dict.fromkeys(("files", "nfiles", "n"), "items"),
    **dict.fromkeys(("levels", "z"), "depth"),
    **dict.fromkeys(("branch", "branch_factor", "b"), "branching"),
}
