"""A person's word on lines that are not due yet: given, counted, taken back."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models.functions import Now

from inventory.models import Router
from provisioning.errors import Conflict, InvalidInput, StaleState
from provisioning.models import Actor, ApprovedLines, Change, PremiumRequest, RouterPush, Verb
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.selectors.authority import permit_named, refuse_by, to_approving_lines
from provisioning.selectors.network import object_numbers
from provisioning.selectors.requests import visible
from provisioning.services import audit, decisions, intents, pairs, queues
from provisioning.services.ahead.foreseeing import Foreseen, Side, foresee
from provisioning.services.locking import locked
from provisioning.services.planning.carrying import carry_approvals
from provisioning.services.wording import reason_text

MOST_LINES = 5000
MOST_TEXT = 100_000


def approve_ahead(
    *,
    actor: Actor,
    request: PremiumRequest,
    on: bool = True,
    off: bool = True,
    seen: str | None = None,
    confirm_gaps: bool = False,
    override: str = "",
    reason: str = "",
) -> list[ApprovedLines]:
    """Approve the lines that put a reservation on (`on`) and take it off (`off`), as foreseen now; return what is kept.

    ``seen`` is the fingerprint under which the person read them (None: whoever asks has just had them shown). A plan that
    waits already and is exactly these lines goes with it.

    Raises NotVisible, NotPermitted (not the NOC, or who submitted it), Conflict when there is nothing to approve or it
    cannot be foreseen, InvalidInput for a gap not confirmed or a doubt not overridden, StaleState when what would be sent
    is no longer what was read, or the request is over.
    """
    reason = reason_text(reason, needed=False)
    override = reason_text(override, field="override", needed=False)
    request = visible(actor, request.pk)
    person = _may_approve(actor, request)
    _waits(request)
    found = foresee(request)
    _as_read(seen, found)
    sides = _approvable(found, on=on, off=off, confirm_gaps=confirm_gaps, override=override)
    with transaction.atomic():
        locked(Router.objects.filter(pk=found.router.pk)).get()
        _waits(locked(PremiumRequest.objects.filter(pk=request.pk)).get())
        _keep_numbers(sides, found.router)
        rows = [_keep(side, found, person, actor.issuer_id, confirm_gaps, override, reason) for side in sides]
        changes = list(locked(Change.objects.filter(pk__in=_unapproved(request))).order_by("pk"))
        list(locked(RouterPush.objects.filter(change__in=changes)).order_by("pk").values_list("pk"))
        audit.record(
            actor=actor,
            action="request.lines-approved",
            obj=request,
            reason=reason,
            after={
                "seen": found.fingerprint,
                "gaps_confirmed": confirm_gaps,
                **({"override": override} if override else {}),
                **{
                    "on" if side.puts_on else "off": {
                        "lines": side.text[:8000],
                        "lines_digest": side.lines_digest,
                        "effect": side.effect.digest(),
                    }
                    for side in sides
                },
            },
            nren_ids=pairs.concerned(request),
        )
        for change in changes:
            carry_approvals(change)
    queues.mark([found.router.pk])
    return rows


def admit_with_lines(
    *,
    actor: Actor,
    request: PremiumRequest,
    reason: str,
    seen: str | None = None,
    terms: str = "",
    confirm_gaps: bool = False,
    override: str = "",
) -> tuple[Admitted | Refused, str]:
    """Admit a request and its twin, and approve with it the lines of this one: its twin's, which ``seen`` does not name, wait
    for an approval of their own.

    What keeps the lines from being approved, a gap that was not confirmed for instance, is said before anything is
    decided. Returns the verdict and, when it was admitted and the lines moved at that very moment, why they were not
    approved (else empty): the admission stands then. ``terms`` as of `decisions.admit`.
    Raises what `decisions.admit` and `approve_ahead` raise.
    """
    request = visible(actor, request.pk)
    _may_approve(actor, request)
    found = foresee(request)
    _as_read(seen, found)
    _approvable(found, on=True, off=True, confirm_gaps=confirm_gaps, override=override)
    verdict = decisions.admit(actor=actor, request=request, reason=reason, terms=terms)
    if isinstance(verdict, Refused):
        return verdict, ""
    try:
        approve_ahead(
            actor=actor,
            request=request,
            seen=found.fingerprint,
            confirm_gaps=confirm_gaps,
            override=override,
            reason=reason,
        )
    except (Conflict, InvalidInput, StaleState) as error:
        return verdict, error.reason
    return verdict, ""


def revoke(*, actor: Actor, request: PremiumRequest, reason: str) -> int:
    """Take back every approval given ahead for a request; return how many there were. A plan that went with one stays
    approved: cancel that. Raises NotPermitted, Conflict when there is none.
    """
    permit_named(actor, Verb.TAKE_LINES_BACK)
    why = reason_text(reason)
    with transaction.atomic():
        rows = locked(ApprovedLines.objects.filter(request=request, revoked_at__isnull=True).order_by("pk"))
        given = list(rows)
        if not given:
            raise Conflict(f"no lines of {request.reference} are approved ahead")
        take_back(given, actor=actor, reason=why)
    queues.mark([request.source_link.interface.router_id])
    return len(given)


def lock_given(change: Change) -> list[ApprovedLines]:
    """What was approved ahead of the parts of a change, locked until the caller's transaction ends."""
    carried = {(pk, pk not in change.takes_off) for pk in change.requests.values_list("pk", flat=True)}
    rows = ApprovedLines.objects.filter(request__in=[pk for pk, _on in carried], revoked_at__isnull=True)
    return [row for row in locked(rows.order_by("pk")) if (row.request_id, row.puts_on) in carried]


def take_back(given: Iterable[ApprovedLines], *, actor: Actor, reason: str) -> None:
    """Take back these approvals, which the caller's transaction holds; an event for each request says so."""
    keys: dict[int, list[int]] = {}
    for row in given:
        keys.setdefault(row.request_id, []).append(row.pk)
    ApprovedLines.objects.filter(pk__in=[pk for each in keys.values() for pk in each]).update(
        revoked_at=Now()
    )
    audit.record_all(
        actor=actor,
        action="request.lines-revoked",
        reason=reason,
        deeds=[
            audit.Deed(
                request,
                before={"approvals": keys[request.pk]},
                after={"approvals": []},
                nren_ids=pairs.concerned(request),
            )
            for request in PremiumRequest.objects.filter(pk__in=keys).order_by("pk")
        ],
    )


def _may_approve(actor: Actor, request: PremiumRequest) -> int:
    refuse_by(to_approving_lines(actor, [request]))
    return permit_named(actor, Verb.APPROVE_LINES)


def _as_read(seen: str | None, found: Foreseen) -> None:
    if seen is not None and seen != found.fingerprint:
        raise StaleState(
            f"the lines of {found.request.reference} are not those you read any more: read them again",
            field="seen",
        )


def _waits(request: PremiumRequest) -> None:
    if request.state not in intents.ON:
        raise StaleState(
            f"{request.reference} is {request.state}: lines are approved ahead of an admitted request",
            state=request.state,
        )


def _approvable(found: Foreseen, *, on: bool, off: bool, confirm_gaps: bool, override: str) -> list[Side]:
    sides = [side for side in found.sides if (on if side.puts_on else off)]
    if not sides:
        raise Conflict(f"{found.request.reference} has no lines left to approve", field="lines")
    for side in sides:
        if side.why_not:
            way = "put it on" if side.puts_on else "take it off"
            raise Conflict(
                f"the lines that {way} cannot be foreseen on {found.router.name}: {side.why_not}",
                field="lines",
            )
        if len(side.lines) > MOST_LINES or len(side.text) > MOST_TEXT:
            raise Conflict(
                f"{len(side.lines)} lines are more than anybody reads ahead: approve the plan when it is made",
                field="lines",
            )
    gaps = list(dict.fromkeys(gap for side in sides for gap in side.gaps))
    if gaps and not confirm_gaps:
        raise InvalidInput(
            f"the gaps of {found.request.reference} must be confirmed: {'; '.join(gaps)}",
            field="confirm_gaps",
        )
    doubts = list(dict.fromkeys(text for side in sides for text in side.doubts))
    if doubts and not override:
        raise InvalidInput(
            f"say why {found.request.reference} goes ahead although a router would probably refuse: "
            f"{'; '.join(doubts)}",
            field="override",
        )
    return sides


def _keep_numbers(sides: list[Side], router: Router) -> None:
    """Keep the numbers of the link's own objects as these lines have them, so that nobody else gets them meanwhile."""
    for side in sides:
        if side.wanted is None:
            continue
        if object_numbers(side.wanted.network) != dict(side.wanted.suffixes):
            raise StaleState(
                "the names on this router were given out meanwhile: read the lines again", field="seen"
            )
    for side in sides:
        if side.wanted is not None:
            intents.keep_names(side.wanted, [router.name])


def _keep(
    side: Side,
    found: Foreseen,
    person: int,
    issuer: int | None,
    confirm_gaps: bool,
    override: str,
    reason: str,
) -> ApprovedLines:
    mine = ApprovedLines.objects.filter(
        request=side.request,
        puts_on=side.puts_on,
        user_id=person,
        lines_digest=side.lines_digest,
        effect_digest=side.effect.digest(),
        revoked_at__isnull=True,
    )
    if (row := mine.first()) is not None:
        mine.update(at=Now(), gaps_confirmed=confirm_gaps, override_reason=override if side.doubts else "")
        return row
    return ApprovedLines.objects.create(
        request=side.request,
        puts_on=side.puts_on,
        user_id=person,
        issuer_id=issuer,
        router=found.router,
        reason=reason,
        lines=[line.to_json() for line in side.lines],
        lines_digest=side.lines_digest,
        effect=side.effect.to_json(),
        effect_digest=side.effect.digest(),
        text=side.text,
        seen=found.fingerprint,
        gaps_confirmed=confirm_gaps,
        override_reason=override if side.doubts else "",
    )


def _unapproved(request: PremiumRequest) -> list[int]:
    """The plans that carry the request, that nobody has approved, and that are not over."""
    waiting = request.changes.filter(
        kind__in=intents.FOLLOWS_REQUESTS,
        approved_at__isnull=True,
        finished_at__isnull=True,
        planned_at__isnull=False,
    )
    return list(waiting.values_list("pk", flat=True))
