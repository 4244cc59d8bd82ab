"""An IP network in one text column that sorts and compares the same on SQLite and PostgreSQL.

The column holds the version (one digit), the address (32 hexadecimal digits) and the prefix length (three
digits): ``2001:630::/32`` is ``6`` ``20010630000000000000000000000000`` ``032``. Text order is then address
order, a network inside another is a range, and a network around another is one of at most 129 exact values.
"""

from __future__ import annotations

import ipaddress
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Lookup

IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

_LENGTH_AT = 34  # one-based, as SUBSTR counts
_TEXT_LENGTH = 36


def to_sortable(network: IPNetwork) -> str:
    """Return the 36 characters stored for `network`: version, address, prefix length."""
    return f"{network.version}{int(network.network_address):032x}{network.prefixlen:03d}"


def from_sortable(text: str) -> IPNetwork:
    """Return the network that `text` (see `to_sortable`) stands for.

    Raises:
        ValueError: the text is not what `to_sortable` writes.
    """
    if len(text) != _TEXT_LENGTH or text[0] not in "46":
        raise ValueError(f"not a stored IP network: {text!r}")
    address, length = int(text[1:33], 16), int(text[33:])
    if text[0] == "4":
        return ipaddress.IPv4Network((address, length))
    return ipaddress.IPv6Network((address, length))


class IPNetworkField(models.CharField):  # type: ignore[type-arg]  # not subscriptable at run time
    """A column of `ipaddress.IPv4Network` or `IPv6Network` values; host bits set are refused, not masked
    away.

    Lookups: ``exact``, ``in``, ``net_within`` (the row lies inside the given network, or is it) and
    ``net_around`` (the given network lies inside the row, or is it).
    """

    description = "IPv4 or IPv6 network"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["max_length"] = _TEXT_LENGTH
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Return what a migration needs; the length is fixed and therefore left out."""
        name, path, args, kwargs = super().deconstruct()
        kwargs.pop("max_length", None)
        return name, path, args, kwargs

    def from_db_value(self, value: str | None, _expression: object, _connection: object) -> IPNetwork | None:
        """Return the network stored in the row, None for NULL."""
        return None if not value else from_sortable(value)

    def to_python(self, value: object) -> IPNetwork | None:
        """Return `value` as a network.

        Raises:
            ValidationError: the value is not a network address with its length.
        """
        if value is None or isinstance(value, ipaddress.IPv4Network | ipaddress.IPv6Network):
            return value
        if not isinstance(value, str):
            raise ValidationError(f"{value!r} is not an IP network", code="invalid")
        if value == "":
            return None
        try:
            return ipaddress.ip_network(value)
        except ValueError as error:
            raise ValidationError(f"{value!r} is not an IP network: {error}", code="invalid") from error

    def run_validators(self, value: object) -> None:
        """Nothing: what was made a network fits, and has no length that could be too long."""

    def get_prep_value(self, value: object) -> str | None:
        """Return the text stored for `value`, None for no network."""
        network = self.to_python(value)
        return None if network is None else to_sortable(network)

    def value_to_string(self, obj: models.Model) -> str:
        """Return the usual spelling, for serialised fixtures."""
        network = self.value_from_object(obj)
        return "" if network is None else str(network)

    def formfield(self, **kwargs: Any) -> Any:
        """Return a plain text form field; the stored length does not limit what is typed."""
        field = super().formfield(**kwargs)
        if isinstance(field, forms.CharField):
            field.max_length = None
        return field


@IPNetworkField.register_lookup
class NetWithin(Lookup):
    """Rows inside the given network: same version, address in its range, length not shorter."""

    lookup_name = "net_within"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        """Return the SQL of the range and of the length."""
        column, column_params = self.process_lhs(compiler, connection)
        network = from_sortable(self.rhs)
        first = f"{network.version}{int(network.network_address):032x}"
        last = f"{network.version}{int(network.broadcast_address):032x}"
        sql = f"({column} >= %s AND {column} <= %s AND SUBSTR({column}, {_LENGTH_AT}, 3) >= %s)"
        params = (*column_params, f"{first}000", *column_params, f"{last}999", *column_params)
        return sql, (*params, f"{network.prefixlen:03d}")


@IPNetworkField.register_lookup
class NetAround(Lookup):
    """Rows that contain the given network: it and each of its supernets, as exact values."""

    lookup_name = "net_around"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        """Return the SQL of a membership among the supernets."""
        column, column_params = self.process_lhs(compiler, connection)
        network = from_sortable(self.rhs)
        around = [to_sortable(network.supernet(new_prefix=length)) for length in range(network.prefixlen + 1)]
        marks = ", ".join(["%s"] * len(around))
        return f"{column} IN ({marks})", (*column_params, *around)
