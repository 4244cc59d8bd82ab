"""Sections read before, by their whole text: two configurations of one router share nearly all of them."""

from __future__ import annotations

from provisioning.pipeline.ios.contents import Finished


class Known:
    """What several texts have in common is read once.

    It belongs to whoever reads them together and ends with it: nothing of a router's configuration is kept longer.
    """

    def __init__(self) -> None:
        self._sections: dict[tuple[bool, str], dict[str, Finished]] = {}

    def sections(self, *, strict: bool, default_mode: str) -> dict[str, Finished]:
        """Finished sections by their text, among texts that are read alike."""
        return self._sections.setdefault((strict, default_mode), {})
