"""The machines as real processes: sockets, disks, clocks and signals around what the simulator runs."""
