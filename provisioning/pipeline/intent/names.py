"""The names of objects that belong to one access link: access lists, class-maps, policy-maps."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class LinkNames:
    """IOS names of one link's own objects; kept with the link, never renamed.

    `suffix` is the link's place among those of its router that have objects of their own, counted from 1. The first
    carries the scheme's names (6NET: those of D4.4.2v2 Appendix A); the n-th gets `-Ln`. The letter keeps a link's
    second object apart from a second *version* of an object, which is BASE-2. Raises InvalidInput below 1.
    """

    suffix: int

    def __post_init__(self) -> None:
        if self.suffix < 1:
            raise InvalidInput(f"links are counted from 1, not {self.suffix}", field="suffix")

    def of(self, base: str) -> str:
        """The link's name for the scheme's class-map or policy-map `base`."""
        return base if self.suffix == 1 else f"{base}-L{self.suffix}"

    def access_list(self, base: str, family: int) -> str:
        """The link's access list of IP version 4 or 6: the two cannot share a name on IOS (ios-facts 2.7), so the
        IPv4 one ends in -v4.
        """
        return self.of(base) + ("-v4" if family == 4 else "")


def link_names(suffix: int) -> LinkNames:
    """Return the names for the `suffix`-th link of a router that has objects of its own."""
    return LinkNames(suffix)
