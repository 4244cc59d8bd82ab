"""What may not be passed over in a bare list that somebody intends: a binding that is misspelt, or that goes."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

from provisioning.errors import ParseFailure
from provisioning.pipeline.ios.dialects import is_of_a_router
from provisioning.pipeline.ios.lines import clean

_BINDING: Final = "service-policy"
_DIRECTIONS: Final = frozenset({"input", "output"})
_NEAR: Final = 0.8
"""Of a word that resembles another so much it is taken to be that one, mistyped."""


def refuse_lost_bindings(text: str) -> None:
    """Raises ParseFailure at a line that would bind a policy, or unbind one, and that nothing makes a binding of; in a
    whole running-config, which shows what a router took, nothing is looked for.

    On a router such a line may be some other feature's and is kept as a use of the policy; here it would be taken for
    a place about which nothing is intended, and the router called equal.
    """
    text = clean(text)
    for number, line in enumerate([] if is_of_a_router(text) else text.split("\n"), start=1):
        words = line.split()
        if len(words) < 2:
            continue
        if words[:2] == ["no", _BINDING]:
            raise ParseFailure(
                f"`{line.strip()}` removes something; a list of objects holds none", line=number
            )
        if words[0] == _BINDING:
            misread = len(words) > 2 and words[1:] != ["history"] and "type" not in words[1:3]
            if misread and (words[1] not in _DIRECTIONS or len(words) > 3):
                raise ParseFailure(
                    f"`{line.strip()}` is no binding, which is `{_BINDING} input NAME` or `{_BINDING} output NAME`",
                    line=number,
                )
        elif len(words) == 3 and words[1] in _DIRECTIONS and _resembles(words[0]):
            raise ParseFailure(f"`{line.strip()}`: is `{_BINDING}` meant?", line=number)


def _resembles(word: str) -> bool:
    return SequenceMatcher(None, word, _BINDING).ratio() >= _NEAR
