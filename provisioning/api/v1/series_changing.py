"""What if a window that came again were asked for; a series that asks for less, or ends sooner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from provisioning.api.fields import Strict, Whole
from provisioning.api.v1.base import IDEMPOTENCY, Answered, deed, read_body
from provisioning.api.v1.changing import LARGEST_RATE_BPS, EndedEarly
from provisioning.api.v1.evidence import KnowsOwnLinks
from provisioning.api.v1.series import (
    AskedSeries,
    ReasonRow,
    SeriesDetail,
    WindowView,
    window_shown,
)
from provisioning.pipeline.admission import reason_row
from provisioning.selectors import series as selecting
from provisioning.services import series as service


class RateTaken(Strict):
    """The rate as it was read in `rate_that_fits`; what it is now when not given."""

    rate_bps = Whole(min_value=1, max_value=LARGEST_RATE_BPS, required=False, allow_null=True, default=None)


class TriedOccurrence(WindowView):
    """One window, whether it would fit, and if not, why."""

    fits = serializers.BooleanField()
    reasons = ReasonRow(many=True)


class TriedSeries(serializers.Serializer[Any]):
    """How every occurrence would stand at this moment; no row was made."""

    fits = serializers.BooleanField()
    rate_that_fits = serializers.IntegerField(allow_null=True)
    items = TriedOccurrence(many=True)


class ChangesSeries(KnowsOwnLinks):
    """The deeds that change a series; mixed into its resource."""

    def _detail(self, pk: int) -> dict[str, Any]:
        found = selecting.visible(self.actor, pk)
        return dict(SeriesDetail(found, context=self.get_serializer_context()).data)

    def _done(self, request: Request, pk: str, shape: type[Strict], act: Callable[..., object]) -> Response:
        """Return the answer to a deed on a series, said in the body: the series as it is then."""
        series = selecting.visible(self.actor, int(pk))
        body = read_body(request, shape)

        def answer() -> Answered:
            act(actor=self.actor, series=series, **body.validated_data)
            return 200, self._detail(series.pk)

        return deed(request, answer)

    @extend_schema(request=AskedSeries, responses=TriedSeries)
    @action(detail=False, methods=["post"], url_path="what-if")
    def what_if(self, request: Request) -> Response:
        """Whether each occurrence would fit at this moment; nothing is asked and no row is made."""
        asked = read_body(request, AskedSeries)
        asking = asked.series()
        verdict = service.try_out(actor=self.actor, data=asking)
        items = [
            {
                **window_shown(each.requests[0], asking.time_zone),
                "fits": each.fits,
                "reasons": [reason_row(reason) for reason in verdict.reasons_of(each)],
            }
            for each in verdict.occurrences
        ]
        return Response({"fits": verdict.fits, "rate_that_fits": verdict.rate_that_fits, "items": items})

    @extend_schema(request=RateTaken, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="take-offer")
    def take_offer(self, request: Request, pk: str) -> Response:
        """Have every occurrence that is undecided, or was refused, ask for the rate that fits each of them."""
        return self._done(request, pk, RateTaken, service.take_offer)

    @extend_schema(request=EndedEarly, responses=SeriesDetail, parameters=[IDEMPOTENCY])
    @action(detail=True, methods=["post"], url_path="end-early")
    def end_early(self, request: Request, pk: str) -> Response:
        """Have a series end then, or now: what begins later is withdrawn, what is under way ends then."""
        return self._done(request, pk, EndedEarly, service.end_early)
