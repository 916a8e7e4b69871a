"""A lab of real kernels on one machine: its keeper, networks, disks, power, and what is emulated beside them."""
