"""A lab of real kernels on one machine: its supervisor, networks, disks, power, and what is emulated beside them."""
