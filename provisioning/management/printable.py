"""Text for a terminal: nothing in it moves the cursor, hides, or turns the direction of what follows."""

from __future__ import annotations


def printable(text: str) -> str:
    """``text`` with every character that is not shown as itself written as its escape; line breaks and tabs stay.

    What routers answer and what rows of before hold may carry terminal sequences (ESC), direction marks (U+202E) and
    invisible characters (U+200B). Input refuses them; this is for what is there already.
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in "\n\t" else ascii(character)[1:-1]
        for character in text
    )
