"""The house, for every test of this folder."""

from tests.services.house import bare_house, house

__all__ = ["bare_house", "house"]
