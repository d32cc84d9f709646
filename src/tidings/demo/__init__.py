"""The demonstration: which files are which day, and the world in which day 2 is replayed."""
