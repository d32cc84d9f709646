"""The client's side of MQTT 5 as a pure machine: one session over any number of connections."""
