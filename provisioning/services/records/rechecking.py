"""Deriving a decision again from what was kept of it: not from the ledger, the inventory or the schemes of today.

Then the rows that came of it are held against the record, and the network, scheme and book of today beside those of then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TypeVar

from django.db.models import Exists, Model, OuterRef, QuerySet

from provisioning.errors import InvalidInput
from provisioning.models import DecisionRecord, PremiumRequest
from provisioning.pipeline.admission import Refused, Verdict, basis_from_json, to_json
from provisioning.services import audit
from provisioning.services.records.beside import Beside
from provisioning.services.records.keeping import FORMAT
from provisioning.services.records.packing import digest_of, text_of, unpacked
from provisioning.services.records.rows import against_rows
from provisioning.services.records.since import changed_since
from provisioning.services.records.texts import Kept, Texts
from provisioning.services.records.values import Finding, Recheck

Row = TypeVar("Row", bound=Model)
_WITH = (
    "request__nren__domain",
    "request__source_link",
    "request__destination_link",
    "twin__source_link",
    "twin__destination_link",
)
_AT_ONCE = 50
"""Records that are read at once of all."""


def recheck(request: PremiumRequest) -> Recheck:
    """Derive the last decision about a request again, and say what does not hold, what is missing, and what changed since."""
    record = records_of(request).first()
    if record is None:
        return _none(request)
    return _recheck(record, Texts(), Beside([record]), since=True)


def recheck_all(*, since: bool = False) -> Iterator[Recheck]:
    """The same of every decision there is a record of, oldest first (what changed since only where it is asked for: it reads the
    book of today for each); and of every decided request that there is none of. What is in memory does not grow with their
    number.
    """
    texts = Texts()
    records = DecisionRecord.objects.order_by("pk").select_related(*_WITH)
    for some in _slowly(records):
        beside = Beside(some)
        for record in some:
            found = _recheck(record, texts, beside, since=since)
            yield _again(record, texts, since=since) if found.of("fault") else found
    for bare in _slowly(_bare().order_by("pk")):
        yield from map(_none, bare)


def how_many_to_recheck() -> int:
    """How many `recheck_all` has to say something of."""
    return DecisionRecord.objects.count() + _bare().count()


def _bare() -> QuerySet[PremiumRequest]:
    """Decided requests without a record."""
    own = DecisionRecord.objects.filter(request=OuterRef("pk")).order_by()
    other = DecisionRecord.objects.filter(twin=OuterRef("pk")).order_by()
    return PremiumRequest.objects.filter(~Exists(own), ~Exists(other), decided_at__isnull=False)


def records_of(request: PremiumRequest) -> Any:
    """The records of decisions about a request, the newest first."""
    own = DecisionRecord.objects.filter(request=request) | DecisionRecord.objects.filter(twin=request)
    return own.select_related(*_WITH).order_by("-pk")


def _slowly(rows: QuerySet[Row]) -> Iterator[list[Row]]:
    """Rows by key, some at a time: no cursor stays open, and what is added meanwhile is seen or not."""
    last = 0
    while found := list(rows.filter(pk__gt=last)[:_AT_ONCE]):
        yield found
        last = found[-1].pk


def _again(record: DecisionRecord, texts: Texts, *, since: bool) -> Recheck:
    """The same by itself: while many were looked at, its request may have become another one, or its record may be too old."""
    now = DecisionRecord.objects.select_related(*_WITH).filter(pk=record.pk).first()
    return _recheck(now or record, texts, Beside([now or record]), since=since)


def _none(request: PremiumRequest) -> Recheck:
    if request.decided_at is None:
        text = "it was not decided yet"
    else:
        text = "no record was kept of how it was decided, or it is older than records are kept (KEEP_RECORDS_DAYS)"
    found = Finding("missing", "record", text)
    return Recheck((request.reference,), "", request.decided_at, 0, "", (found,))


def _recheck(record: DecisionRecord, texts: Texts, beside: Beside, *, since: bool) -> Recheck:
    findings: list[Finding] = []
    names = tuple(row.reference for row in (record.request, record.twin) if row is not None)
    said: dict[str, Any] = {}
    word = ""
    try:
        text = unpacked(record.content)
        findings += _sealed(record, text)
        said = _read(text)
        findings += _about(record, said, names)
        findings += against_rows(record, said, beside)
        if said["basis"] is not None:
            kept = texts.of(record, said)
            findings += kept.findings
            if kept.network is not None and kept.scheme is not None:
                verdict = basis_from_json(said["basis"]).verdict(kept.network, kept.scheme)
                word = _word(verdict)
                findings += _compared(said["verdict"], verdict)
                if since:
                    findings += changed_since(record, said, Kept(kept.network, kept.scheme))
        else:
            findings.append(Finding("missing", "scheme", "no scheme could be read then: nothing was derived"))
    except InvalidInput as error:
        findings.append(Finding("fault", "record", f"it cannot be read: {error}"))
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        findings.append(Finding("fault", "record", f"it is no record of a decision: {error!r:.120}"))
    return Recheck(names, record.deed, record.at, record.version, word, tuple(findings))


def _sealed(record: DecisionRecord, text: str) -> Iterator[Finding]:
    """The text against its digest and its signature."""
    if digest_of(text) != record.digest:
        yield Finding("fault", "record", "its text is not the one of its digest: it was edited")
    if not record.signature:
        yield Finding("missing", "signature", "it was not signed: AUDIT_SIGNING_KEY was not set")
    elif not audit.is_ours(record.public_key):
        yield Finding(
            "fault",
            "signature",
            f"it was signed with the key {record.public_key}, which is neither AUDIT_SIGNING_KEY's nor one of AUDIT_FORMER_KEYS",
        )
    elif not audit.is_signed(text.encode(), public_key=record.public_key, signature=record.signature):
        yield Finding("fault", "signature", "it is not of this text")


def _read(text: str) -> dict[str, Any]:
    said = json.loads(text)
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise InvalidInput(f"it is not of the format {FORMAT}", field="format")
    return said


def _about(record: DecisionRecord, said: dict[str, Any], names: tuple[str, ...]) -> Iterator[Finding]:
    """The columns beside the text, which are there to find it by."""
    if tuple(said["requests"]) != names:
        yield Finding(
            "fault",
            "record",
            f"it is about {', '.join(said['requests'])}, and stands with {', '.join(names)}",
        )
    if said["deed"] != record.deed:
        yield Finding("fault", "record", f"it says {said['deed']}, and stands as {record.deed}")
    moment = None if said["basis"] is None else said["basis"]["now"]
    if moment is not None and moment != record.at.isoformat():
        yield Finding(
            "fault", "record", f"it was decided at {moment}, and stands with {record.at.isoformat()}"
        )
    version = 0 if said["topology"] is None else said["topology"]["version"]
    if version != record.version:
        yield Finding("fault", "record", f"it was of version {version}, and stands with {record.version}")


def _compared(recorded: list[dict[str, Any]], verdict: Verdict) -> Iterator[Finding]:
    """The verdict that follows against the one that was recorded."""
    derived = [to_json(one) for one in ((verdict,) if isinstance(verdict, Refused) else verdict)]
    if text_of(derived) == text_of(recorded):
        return
    before, after = recorded[0]["verdict"], derived[0]["verdict"]
    if before != after:
        why = "; ".join(reason.text for reason in verdict.reasons) if isinstance(verdict, Refused) else ""
        text = (
            f"{before} was recorded, and what was recorded with it makes it {after}{': ' if why else ''}{why}"
        )
        yield Finding("fault", "verdict", text)
        return
    parts = sorted(
        {
            name
            for one, other in zip(recorded, derived, strict=False)
            for name in one.keys() | other.keys()
            if one.get(name) != other.get(name)
        }
    )
    text = f"it is {after} again, and {', '.join(parts) or 'the number of its parts'} would be other than recorded"
    yield Finding("fault", "verdict", text)


def _word(verdict: Verdict) -> str:
    return "refused" if isinstance(verdict, Refused) else "admitted"
