"""Spark: recorded traffic, failures, delays and movements become tables that scenarios name."""
