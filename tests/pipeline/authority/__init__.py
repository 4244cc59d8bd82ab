"""The table of roles and the separation of duties."""
