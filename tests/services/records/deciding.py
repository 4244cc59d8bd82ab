"""Decisions in the network of the diamond, derived again."""

from __future__ import annotations

import io
import json
import zlib
from typing import Any

from django.core.management import call_command

from provisioning.models import (
    DecisionRecord,
    PremiumRequest,
)
from provisioning.services import decisions, records
from provisioning.services.records import Recheck
from provisioning.services.records.packing import digest_of
from tests.services.requests.sixnet import noc
from tests.services.topology.diamond import MBIT, ask

KEY = "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="


def decided(rate: int = 2 * MBIT, **changes: Any) -> PremiumRequest:
    request = ask("a", "d", rate, **changes)
    decisions.admit(actor=noc(), request=request, reason="asked")
    return request


def again(request: PremiumRequest) -> Recheck:
    return records.recheck(PremiumRequest.objects.select_related("nren__domain").get(pk=request.pk))


def faults(request: PremiumRequest) -> list[str]:
    return [str(each) for each in again(request).of("fault")]


def recheck(*args: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("recheck", *args, stdout=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def edit(record: DecisionRecord, change: Any) -> None:
    """Change what a record says as somebody would who can write the table, its digest too."""
    said = json.loads(zlib.decompress(bytes(record.content)))
    change(said)
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    DecisionRecord.objects.filter(pk=record.pk).update(
        content=zlib.compress(text.encode()), digest=digest_of(text)
    )
