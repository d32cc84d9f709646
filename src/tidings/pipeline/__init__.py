"""The data pipeline on Spark: traces into profiles, logs of any size into an audit. Import what you need by module."""
