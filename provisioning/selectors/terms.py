"""What requests ask for, as a digest: a page carries the one of what it showed, and its answer is taken for nothing else.

Whoever asked may change an open request at any time (`services.modifications`); a click on what was read before is no word about
what it asks for since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from hashlib import sha256

from django.db.models import Q, QuerySet

from provisioning.errors import TermsChanged
from provisioning.models import PremiumRequest
from provisioning.selectors.requests import sls_of


def terms_of_request(pk: int) -> str:
    """The digest of what a request and its twin ask for now. Take it before reading what is shown: never is newer than that."""
    return digest(_rows().filter(Q(pk=pk) | Q(twin__pk=pk)))


def terms_of_series(pk: int) -> str:
    """The digest of what all requests of a series ask for now, also of those that are over: time alone does not change it."""
    return digest(_rows().filter(series__pk=pk))


def digest(rows: Iterable[PremiumRequest]) -> str:
    """SHA-256 (hex) of what these ask for, in any order."""
    asked = [asdict(sls_of(row)) for row in sorted(rows, key=lambda row: row.pk)]
    return sha256(json.dumps(asked, sort_keys=True, default=str).encode()).hexdigest()


def as_read(read: str, rows: Iterable[PremiumRequest]) -> None:
    """Raise TermsChanged unless these ask for what was read: its digest, or empty from whoever does not say what that was."""
    if read and read != digest(rows):
        raise TermsChanged("What is asked for is not what you read any more: read it again.", field="terms")


def series_as_read(read: str, pk: int) -> None:
    """As `as_read` of all requests of a series; its open ones are locked by the caller."""
    as_read(read, _rows().filter(series__pk=pk))


def _rows() -> QuerySet[PremiumRequest]:
    return PremiumRequest.objects.select_related("source_link", "destination_link")
