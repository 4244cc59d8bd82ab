"""What the server answers, as the types of its JSON. Rates are bit/s at layer 3, instants RFC 3339 text with their offset."""
