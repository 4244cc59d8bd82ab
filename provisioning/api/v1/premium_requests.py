"""Requests for IP Premium as the API takes and shows them."""

from __future__ import annotations

from typing import Any, Literal

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from provisioning.api.choices import DIRECTIONS, STAGES
from provisioning.api.fields import Flag, Instant, Strict, Text, Whole
from provisioning.api.v1.changing import LARGEST_RATE_BPS, ModificationView
from provisioning.api.v1.evidence import kept_shown
from provisioning.api.v1.verdicts import Evidence
from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.admission import as_seen
from provisioning.pipeline.states import FINAL, RequestState
from provisioning.selectors.ahead import approved_lines
from provisioning.selectors.failures import protection_of
from provisioning.selectors.fitting import fit_of
from provisioning.selectors.stages import stage_at
from provisioning.selectors.viewers import viewer_of
from provisioning.selectors.waiting import Wait, waits_of, why_never
from provisioning.services import decisions
from provisioning.services.requests import SubmitRequest

LARGEST_BUCKET_BYTES = 2**31 - 1


class Asked(Strict):
    """What an NREN asks for. Rates are bit/s at layer 3, depths and packet sizes bytes."""

    source_link = Text(max_length=200, help_text="Name of the access link it enters on: JANET@uk6:POS1/0.")
    destination_link = Text(
        max_length=200,
        required=False,
        allow_null=True,
        default=None,
        help_text="Name of the access link it leaves on; none for a class to anywhere or to the outside.",
    )
    direction = serializers.ChoiceField(
        choices=DIRECTIONS,
        default="one-way",
        help_text="`both` makes two requests, linked by `twin`.",
    )
    service_class = Text(max_length=40, default="ip-premium")
    rate_bps = Whole(min_value=1, max_value=LARGEST_RATE_BPS, help_text="Rate at layer 3, bit/s.")
    bucket_bytes = Whole(min_value=1, max_value=LARGEST_BUCKET_BYTES, help_text="Depth of the token bucket.")
    max_packet_bytes = Whole(min_value=1, max_value=65535, help_text="Largest packet.")
    min_packet_bytes = Whole(
        min_value=20,
        max_value=65535,
        required=False,
        allow_null=True,
        default=None,
        help_text="Smallest packet, at layer 3. Rates are converted with it; when not given, with the largest, and are then kept "
        "for packets of that size.",
    )
    start = Instant(required=False, allow_null=True, default=None, help_text="Now when not given.")
    end = Instant(
        required=False, allow_null=True, default=None, help_text="Until further notice when not given."
    )
    source_prefixes = serializers.ListField(
        child=Text(max_length=50),
        min_length=1,
        max_length=64,
        help_text="Within the asking NREN's own prefixes.",
    )
    destination_prefixes = serializers.ListField(
        child=Text(max_length=50),
        max_length=64,
        default=list,
        help_text="Within the receiving NREN's prefixes.",
    )
    flow_label = Whole(min_value=1, max_value=0xFFFFF, required=False, allow_null=True, default=None)
    contact = Text(max_length=254, help_text="Whom to write to.")
    reason = Text(max_length=2000, allow_blank=True, default="")

    def submission(self) -> SubmitRequest:
        """Return what the service takes."""
        data = {name: value for name, value in self.validated_data.items() if name != "recurrence"}
        data["rate"] = data.pop("rate_bps")
        for name in ("source_prefixes", "destination_prefixes"):
            data[name] = tuple(data[name])
        return SubmitRequest(**data)


class ConsentGiven(Strict):
    """The receiving NREN's answer; a reason is needed to decline."""

    agree = Flag()
    reason = Text(max_length=2000, allow_blank=True, default="")


class Withdrawal(Strict):
    """Why a request is taken back."""

    reason = Text(max_length=2000)


class RequestList(serializers.ListSerializer[Any]):
    """Several requests: why each waits is read for all of them at once."""

    def to_representation(self, data: Any) -> list[Any]:
        """Return the rows, each with what it waits for."""
        rows = list(data)
        self.child.waits = waits_of(rows)  # type: ignore[union-attr]
        return super().to_representation(rows)


class RequestSummary(serializers.ModelSerializer[PremiumRequest]):
    """A request, as source NREN, receiving NREN, NOC and auditors see it."""

    nren = serializers.CharField(source="nren.name")
    receiving_nren = serializers.SerializerMethodField()
    source_link = serializers.CharField(source="source_link.name")
    destination_link = serializers.SerializerMethodField()
    twin = serializers.PrimaryKeyRelatedField(
        read_only=True, allow_null=True, help_text="The other way's request; null of one way."
    )
    series = serializers.PrimaryKeyRelatedField(
        read_only=True, allow_null=True, help_text="The series it is an occurrence of; null of none."
    )
    source_prefixes = serializers.ListField(child=serializers.CharField())
    destination_prefixes = serializers.ListField(child=serializers.CharField())
    warnings = serializers.ListField(child=serializers.CharField())
    stage = serializers.SerializerMethodField(
        help_text="How far it is, on one line from the question to its end; `state` is the promise alone."
    )
    final = serializers.SerializerMethodField(help_text="Whether nothing more comes of it.")
    role = serializers.SerializerMethodField(help_text="What the reader is to this request.")
    waits_for = serializers.SerializerMethodField(
        help_text="Why it waits, in one sentence: in general words for an NREN. Null when it does not wait."
    )
    waits: dict[int, Wait] | None = None

    class Meta:
        model = PremiumRequest
        list_serializer_class = RequestList
        fields = [
            "id", "reference", "state", "stage", "final", "role", "nren", "receiving_nren", "source_link",
            "destination_link", "twin", "series",
            "service_class", "rate_bps", "bucket_bytes", "max_packet_bytes", "min_packet_bytes", "start", "end",
            "source_prefixes",
            "destination_prefixes", "flow_label", "contact", "reason", "warnings", "consent", "consent_at",
            "submitted_at", "held_until", "decided_at", "decision_reason", "waits_for",
        ]  # fmt: skip
        read_only_fields = fields

    def get_receiving_nren(self, request: PremiumRequest) -> str | None:
        """Return the name of the receiving NREN, None where the far end is open."""
        return request.receiving_nren.name if request.receiving_nren else None

    def get_destination_link(self, request: PremiumRequest) -> str | None:
        """Return the name of the far link, None where it is open."""
        return request.destination_link.name if request.destination_link else None

    @extend_schema_field(serializers.ChoiceField(choices=STAGES))
    def get_stage(self, request: PremiumRequest) -> str:
        """Return its stage at this moment."""
        return stage_at(request, timezone.now()).value

    def get_final(self, request: PremiumRequest) -> bool:
        """Return whether its stage is an end."""
        return self.get_stage(request) in FINAL

    def get_role(self, request: PremiumRequest) -> Literal["source", "receiver", "observer"]:
        """Return whether the reader asked, receives, or looks on."""
        nrens = self.context["actor"].nren_ids
        if request.nren_id in nrens:
            return "source"
        return "receiver" if request.receiving_nren_id in nrens else "observer"

    def get_waits_for(self, request: PremiumRequest) -> str | None:
        """Return what it waits for as the reader may know it."""
        wait = (waits_of([request]) if self.waits is None else self.waits).get(request.pk)
        return wait.said_to(self.context["actor"]) if wait else None


class ApprovedAhead(serializers.Serializer[Any]):
    """Whether its lines were approved before they are due: they go out then if they are still the same."""

    on = serializers.BooleanField(help_text="Those that put it on.")
    off = serializers.BooleanField(help_text="Those that take it off.")


class FitOnLink(serializers.Serializer[Any]):
    """A stretch in which more is granted on a link than its share; rates in bit/s."""

    link = serializers.CharField()
    direction = serializers.CharField()
    start = serializers.DateTimeField()
    to = serializers.DateTimeField(allow_null=True, help_text="Null: until further notice.")
    granted_bps = serializers.IntegerField()
    share_bps = serializers.IntegerField()
    shortfall_bps = serializers.IntegerField()


class FitView(serializers.Serializer[Any]):
    """Whether what was granted fits the network of now; an NREN reads the numbers of its own links alone."""

    fits = serializers.BooleanField()
    start = serializers.DateTimeField(allow_null=True, help_text="From when on it does not fit.")
    to = serializers.DateTimeField(
        allow_null=True, help_text="Until when; null when it fits, and for an open end."
    )
    moving_since = serializers.DateTimeField(
        allow_null=True, help_text="Since when its path moves: it is charged on the old one and the new one."
    )
    no_path = serializers.BooleanField(help_text="Whether the network has no path for it any more.")
    links = FitOnLink(many=True)


class ProtectionView(serializers.Serializer[Any]):
    """Whether any single failure leaves it without what was promised; an NREN reads whether and when, not where and how much."""

    protected = serializers.BooleanField()
    count = serializers.CharField(help_text="Which failures the scheme counts: links, or links-and-routers.")
    version = serializers.IntegerField(help_text="Of which version of the topology this is.")
    at = serializers.DateTimeField(help_text="As of when.")
    current = serializers.BooleanField(
        help_text="False when network or scheme are others now: it is worked out again."
    )
    start = serializers.DateTimeField(allow_null=True, help_text="From when on a failure would take it.")
    to = serializers.DateTimeField(
        allow_null=True, help_text="Until when; null when protected, and for an open end."
    )
    no_path = serializers.BooleanField(help_text="Whether a failure leaves it no path at all.")
    failures = serializers.IntegerField(allow_null=True, help_text="How many failures do.")
    worst = serializers.CharField(allow_null=True)
    excess_bps = serializers.IntegerField(allow_null=True, help_text="The most by which a share is exceeded.")


class RequestDetail(RequestSummary):
    """A request with the evidence."""

    evidence = serializers.SerializerMethodField()
    approved_ahead = serializers.SerializerMethodField()
    fit = serializers.SerializerMethodField()
    modifications = ModificationView(many=True, help_text="What it is, or was, to become; the newest first.")
    protection = serializers.SerializerMethodField()
    never_provided = serializers.SerializerMethodField(
        help_text="Why it ended as NEVER_PROVIDED; null in every other state."
    )

    class Meta(RequestSummary.Meta):
        fields = [
            *RequestSummary.Meta.fields, "never_provided", "evidence", "approved_ahead", "fit", "protection",
            "modifications",
        ]  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(FitView(allow_null=True))
    def get_fit(self, request: PremiumRequest) -> dict[str, Any] | None:
        """Return how what it was granted fits the network of now; None when it holds nothing."""
        try:
            found = fit_of(request, now=timezone.now())
        except InvalidInput:  # of a scheme that cannot be read nobody knows what fits
            return None
        everything = self.context["actor"].sees_everything
        return found.to_json(None if everything else self.context["own_links"]) if found else None

    @extend_schema_field(ProtectionView(allow_null=True))
    def get_protection(self, request: PremiumRequest) -> dict[str, Any] | None:
        """Return what single failures would do to it; None while it holds nothing or was not judged yet."""
        found = protection_of(request)
        return found.to_json(everything=self.context["actor"].sees_everything) if found else None

    @extend_schema_field(ApprovedAhead)
    def get_approved_ahead(self, request: PremiumRequest) -> dict[str, bool]:
        """Return whether somebody approved its lines ahead."""
        given = set(approved_lines(request).values_list("puts_on", flat=True))
        return {"on": True in given, "off": False in given}

    def get_never_provided(self, request: PremiumRequest) -> str | None:
        """Return why nothing of it was ever on a router."""
        return why_never(request, self.context["actor"]) or None

    @extend_schema_field(Evidence(allow_null=True))
    def get_evidence(self, request: PremiumRequest) -> dict[str, Any] | None:
        """Return the evidence of the decision, or of this moment while undecided; None when it ended
        undecided.
        """
        viewer = viewer_of(self.context["actor"], request.nren.domain)
        if request.state in (RequestState.SUBMITTED, RequestState.HELD):
            found = decisions.evidence(request=request, viewer=viewer)
            return as_seen(found, viewer, asker=request.nren_id).to_json()
        return kept_shown(request.evidence, viewer, asker=request.nren_id)
