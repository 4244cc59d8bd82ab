"""How Django speaks to the databases, where its own way is not enough."""
