"""A lab of real kernels on one machine: supervisor, networks, disks, power, emulated devices."""
