"""The one failure of a reader: which file, where in it, and why."""

from __future__ import annotations


class NetworkFileError(ValueError):
    """A network file that cannot be meant.

    `file` is the name as given, `path` the place inside it (``access_links[3].interface``, empty for the
    file as a whole), `reason` a sentence for the person who wrote it. No value of a secret key ever appears
    in `reason`.
    """

    def __init__(self, file: str, path: str, reason: str) -> None:
        self.file = file
        self.path = printable(path)
        self.reason = printable(reason)
        super().__init__(": ".join(part for part in (file, self.path, self.reason) if part))


def printable(text: str) -> str:
    """`text` for a terminal: what a file's own keys could smuggle into an error message is written out as escapes."""
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)
