"""The forms: they check shape and spelling only; what is allowed the services decide."""
