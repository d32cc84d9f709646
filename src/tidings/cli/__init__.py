"""The command line: one file for each verb, and `app` that gathers them."""
