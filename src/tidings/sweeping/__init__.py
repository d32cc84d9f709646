"""Sweeps: one scenario with many values and seeds, spread over processes, gone on with after a kill, one table at the end."""
