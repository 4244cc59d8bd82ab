"""Load and faults, until it is clear what holds: `make soak`."""
