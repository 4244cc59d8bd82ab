"""What changes a request that exists already: offers, modifications, extensions, early ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.v1.base import IDEMPOTENCY, Answered, Body, deed, read_body
from provisioning.api.v1.changing import (
    EndedEarly,
    Extended,
    Modified,
    ModifiedWhatIf,
    OfferTaken,
    RangeView,
)
from provisioning.api.v1.evidence import KnowsOwnLinks
from provisioning.api.v1.premium_requests import ConsentGiven, RequestDetail, Withdrawal
from provisioning.api.v1.verdicts import Evidence
from provisioning.errors import Conflict
from provisioning.models import Modification, PremiumRequest
from provisioning.pipeline.admission import Reason
from provisioning.selectors import requests as selecting
from provisioning.selectors.modifications import open_of
from provisioning.services import modifications
from provisioning.services import requests as asking


class ChangesRequests(KnowsOwnLinks):
    """The actions that change a request; mixed into its resource."""

    def _detail(self, row: PremiumRequest) -> dict[str, Any]:
        return dict(RequestDetail(row, context=self.get_serializer_context()).data)

    def _done(
        self, request: Request, pk: str, shape: type[Body], act: Callable[[PremiumRequest, Body], object]
    ) -> Response:
        """Return the answer to a deed on a request, said in the body: the request as it is then."""
        row = selecting.visible(self.actor, int(pk))
        body = read_body(request, shape)

        def answer() -> Answered:
            act(row, body)
            return 200, self._detail(selecting.visible(self.actor, row.pk))

        return deed(request, answer)

    @extend_schema(request=OfferTaken, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="take-offer")
    def take_offer(self, request: Request, pk: str) -> Response:
        """Take a counter-offer: the request asks for that from now on, under the same number."""

        def act(row: PremiumRequest, chosen: OfferTaken) -> None:
            asking.take_offer(actor=self.actor, request=row, **chosen.choice())

        return self._done(request, pk, OfferTaken, act)

    @extend_schema(request=Modified, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def modify(self, request: Request, pk: str) -> Response:
        """Change rate, window or prefixes: an undecided request is replaced, of a granted one it is proposed."""

        def act(row: PremiumRequest, given: Modified) -> None:
            why = given.validated_data["reason"]
            modifications.modify(actor=self.actor, request=row, wanted=given.wanted(), reason=why)

        return self._done(request, pk, Modified, act)

    @extend_schema(request=ModifiedWhatIf, responses=Evidence)
    @action(detail=True, methods=["post"], url_path="modify-what-if")
    def modify_what_if(self, request: Request, pk: str) -> Response:
        """Whether it could become this at this moment, decided on the difference; nothing is proposed, no row is made."""
        row = selecting.visible(self.actor, int(pk))
        given = read_body(request, ModifiedWhatIf)
        tried = modifications.what_if(actor=self.actor, request=row, wanted=given.wanted())
        asked = modifications.consent_asked(actor=self.actor, request=row, wanted=given.wanted())
        return Response({**tried.to_json(), "consent": asked})

    @extend_schema(request=Extended, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"])
    def extend(self, request: Request, pk: str) -> Response:
        """Have it last longer: as `modify` with an end alone, which is later than the one in force."""

        def act(row: PremiumRequest, given: Extended) -> None:
            modifications.extend(actor=self.actor, request=row, **given.validated_data)

        return self._done(request, pk, Extended, act)

    @extend_schema(request=EndedEarly, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="end-early")
    def end_early(self, request: Request, pk: str) -> Response:
        """Have a granted request end sooner, or now; nobody has to decide about that."""

        def act(row: PremiumRequest, given: EndedEarly) -> None:
            modifications.end_early(actor=self.actor, request=row, **given.validated_data)

        return self._done(request, pk, EndedEarly, act)

    @extend_schema(responses=RangeView)
    @action(detail=True, methods=["get"])
    def range(self, _request: Request, pk: str) -> Response:
        """How far rate, end and start could change at this moment, each alone."""
        row = selecting.visible(self.actor, int(pk))
        found = modifications.range_of(actor=self.actor, request=row)
        if isinstance(found, Reason):
            raise Conflict(found.text)
        return Response(RangeView(asdict(found)).data)

    @extend_schema(request=ConsentGiven, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="modification-consent")
    def modification_consent(self, request: Request, pk: str) -> Response:
        """Agree to what a request is to become, or decline with a reason; the receiving NREN's matter."""

        def act(row: PremiumRequest, given: ConsentGiven) -> None:
            modifications.consent(actor=self.actor, modification=_open(row), **given.validated_data)

        return self._done(request, pk, ConsentGiven, act)

    @extend_schema(request=Withdrawal, responses=RequestDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="modification-withdraw")
    def modification_withdraw(self, request: Request, pk: str) -> Response:
        """Take back what a request is to become; what was granted stays."""

        def act(row: PremiumRequest, why: Withdrawal) -> None:
            modifications.withdraw(actor=self.actor, modification=_open(row), **why.validated_data)

        return self._done(request, pk, Withdrawal, act)


def _open(request: PremiumRequest) -> Modification:
    """The modification that something is still to come of; raises Conflict where there is none."""
    found = open_of(request)
    if found is None:
        raise Conflict(f"nothing is proposed for {request.reference}", field="state")
    return found
