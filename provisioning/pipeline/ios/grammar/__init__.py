"""What IOS takes, line by line and to the last word: the grammar that a line somebody types is held against.

The parser of `provisioning.pipeline.ios` reads what a router printed and keeps what it does not know. A person mistypes, and a
line that is kept as it is would be sent as it is. `Understanding` raises ParseFailure with line, column and reason for every
line of a class-map, policy-map, access list or interface that is not IOS to its end, with the ranges of a platform.
"""

from provisioning.pipeline.ios.grammar.understanding import Understanding

__all__ = ["Understanding"]
