"""The documents are followed: every command that one of them tells to type is typed, in order, on a checkout of its own."""
