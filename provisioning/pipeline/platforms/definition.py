"""A platform: what its folder says of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from provisioning.pipeline.platforms.kinds import Kind
from provisioning.pipeline.platforms.profiles import Profile
from provisioning.pipeline.platforms.release import Release


@dataclass(frozen=True, slots=True, eq=False)
class Platform:
    """One platform, made in a folder of its own.

    ``name`` is what stands in an inventory for the family, ``title`` what people are shown, ``assumed`` the inventory's word
    for a router of which only the family is known. ``called`` matches what an inventory or `show version` calls it;
    ``printed`` are (pattern, instead) for chassis as a router prints them and no inventory does. ``usual_release`` stands where
    none is said. ``runs`` says whether a release runs there; ``made`` is the profile of an inventory's word and a release.
    ``cards_decide``: what a router can do goes by the engines of its line cards. ``has_shell``: behind its SSH is a shell and no
    vty; nobody types policies at it, a driver keeps them there and has the kernel hold what they come to.
    """

    name: str
    title: str
    assumed: str
    called: re.Pattern[str]
    usual_release: str
    kinds: tuple[Kind, ...]
    runs: Callable[[Release], bool]
    made: Callable[[str, Release], Profile]
    printed: tuple[tuple[re.Pattern[str], str], ...] = ()
    cards_decide: bool = False
    has_shell: bool = False

    def means(self, word: str) -> bool:
        """Whether an inventory's word, in small letters, is this platform."""
        return word == self.name or self.called.fullmatch(word) is not None
