"""What the show commands print."""
