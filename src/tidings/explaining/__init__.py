"""Why an event was late, lost or held back: its story, from the logs of a run, in words and times."""
