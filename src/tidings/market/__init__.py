"""A market that was never there: trades of hundreds of symbols, day after day, for trying things out."""
