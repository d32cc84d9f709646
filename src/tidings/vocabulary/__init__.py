"""What all rooms talk about: instants, values, topics, events, filters, frames, machines, overlays, named streams."""
