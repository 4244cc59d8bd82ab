"""The command line: translates, calls the client once, and says what it answered."""
