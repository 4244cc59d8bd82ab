"""Rows of the inventory: edited, retired, and what keeps them."""
