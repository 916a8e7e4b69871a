"""The parts of solutions: arrays, file systems, iSCSI, corosync, pacemaker, failover services."""
