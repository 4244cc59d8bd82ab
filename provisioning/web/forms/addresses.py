"""An address or a prefix as people type it."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, IPv6Network, ip_interface
from typing import Any, Final

import django_filters
from django import forms

NO_ADDRESS: Final = "is no address and no prefix; write one such as 2001:db8::1 or 2001:db8::/32"
# Only what begins with four digits is the beginning of an address: 12:30 is a time, and 00:1b:2a a piece of hardware.
_BEGUN: Final = re.compile(r"[0-9a-f]{4}(:[0-9a-f]{1,4}){1,6}:?")
_MEANT: Final = re.compile(r"[0-9a-f:.]*:[0-9a-f.]*:[0-9a-f:.]*(/.*)?|\d+(\.\d+){3}(/.*)?")
_PIECE: Final = 16


def network_of(text: str) -> IPv4Network | IPv6Network | None:
    """Return the prefix that `text` names in any spelling, an address as one of its full length; None for other text.

    Bits behind the length are left out, as a router does. ``2001:610`` is the beginning of addresses: 2001:610::/32.
    """
    said = text.strip().lower()
    if said.startswith("[") and said.endswith("]"):
        said = said[1:-1]
    if _BEGUN.fullmatch(said) and said.rstrip(":").count(":") < 7:
        pieces = said.rstrip(":").split(":")
        said = f"{':'.join(pieces)}::/{len(pieces) * _PIECE}"
    try:
        return ip_interface(said).network if "%" not in said else None
    except ValueError:
        return None


def meant(text: str) -> bool:
    """Whether `text` looks as if an address was meant, be it one or not."""
    return _MEANT.fullmatch(text.strip().lower()) is not None


def touch(one: IPv4Network | IPv6Network, other: IPv4Network | IPv6Network | None) -> bool:
    """Whether one of the two holds the other, or is it."""
    return other is not None and one.version == other.version and one.overlaps(other)


class NetworkField(forms.CharField):
    """An address or a prefix; None where nothing is typed."""

    def clean(self, value: Any) -> IPv4Network | IPv6Network | None:
        """Return it as a prefix; an error where it is none."""
        text = super().clean(value)
        if not text:
            return None
        found = network_of(text)
        if found is None:
            raise forms.ValidationError(f"“{text}” {NO_ADDRESS}.")
        return found


class NetworkFilter(django_filters.Filter):
    """Rows by an address or a prefix."""

    field_class = NetworkField

    def __init__(self, **more: Any) -> None:
        super().__init__(
            widget=forms.TextInput(attrs={"placeholder": "2001:db8::/32", "maxlength": "60"}), **more
        )
