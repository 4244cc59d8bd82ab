"""A verdict as the API shows it: the links with what is seen of each, the reasons, the offers, what failures would do."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class EvidenceRow(serializers.Serializer[Any]):
    """One link direction as admission sees it; what is not yours to see is null."""

    link = serializers.CharField()
    direction = serializers.CharField()
    pool = serializers.CharField()
    base_bps = serializers.IntegerField()
    share_percent = serializers.CharField(allow_null=True)
    share_bps = serializers.IntegerField()
    share_provenance = serializers.CharField(required=False)
    share_is_choice = serializers.BooleanField(required=False)
    served = serializers.CharField(
        required=False, help_text="The policy that queues it there, or that none does."
    )
    committed_peak_bps = serializers.IntegerField(allow_null=True)
    peak_at = serializers.DateTimeField(allow_null=True)
    asked_bps = serializers.IntegerField()
    headroom_bps = serializers.IntegerField(allow_null=True)
    fits = serializers.BooleanField()


class ReasonRow(serializers.Serializer[Any]):
    """One reason to refuse."""

    code = serializers.CharField()
    text = serializers.CharField()
    link = serializers.CharField(allow_null=True)
    direction = serializers.CharField(allow_null=True)
    interval_start = serializers.DateTimeField(allow_null=True)
    interval_end = serializers.DateTimeField(allow_null=True)
    asked_bps = serializers.IntegerField(allow_null=True)
    share_bps = serializers.IntegerField(allow_null=True)
    committed_bps = serializers.IntegerField(allow_null=True)
    shortfall_bps = serializers.IntegerField(allow_null=True)


class CounterOfferRow(serializers.Serializer[Any]):
    """What would have fitted, and can be asked for: it begins no sooner than now, at a rate that a policer can be given."""

    kind = serializers.ChoiceField(
        choices=["lower-rate", "later-start", "shorter-window", ""],
        required=False,
        help_text="Less for the whole window, the same later, or the same as long as it fits from the start; empty if old.",
    )
    rate_bps = serializers.IntegerField()
    start = serializers.DateTimeField()
    end = serializers.DateTimeField(allow_null=True)
    text = serializers.CharField()


class ExposureRow(serializers.Serializer[Any]):
    """A single failure that leaves it without what was promised; no link: no path is left."""

    kind = serializers.ChoiceField(choices=["link", "router"])
    name = serializers.CharField(help_text="The core link or router that fails.")
    start = serializers.DateTimeField()
    end = serializers.DateTimeField(allow_null=True)
    link = serializers.CharField(allow_null=True)
    direction = serializers.CharField(allow_null=True)
    share_bps = serializers.IntegerField(allow_null=True)
    load_bps = serializers.IntegerField(allow_null=True)


class FailureRows(serializers.Serializer[Any]):
    """What single failures would do to it, where the scheme decides by that; for those who see everything."""

    count = serializers.CharField(help_text="Which failures: links, or links-and-routers.")
    judged = serializers.IntegerField()
    exposures = ExposureRow(many=True)


class LinkOfPath(serializers.Serializer[Any]):
    """A link in one direction."""

    link = serializers.CharField()
    direction = serializers.CharField()


class ChargeRow(LinkOfPath):
    """What would be charged, or is, on one link direction for the whole of the window."""

    pool = serializers.CharField()
    rate_bps = serializers.IntegerField()


class PathRow(serializers.Serializer[Any]):
    """The way through the backbone: the links in order, the routers, and the links of every other shortest path."""

    hops = LinkOfPath(many=True)
    routers = serializers.ListField(child=serializers.CharField())
    alternates = LinkOfPath(many=True)


class Evidence(serializers.Serializer[Any]):
    """Whether it fits, and why: as it stood at the decision, or as it stands now while undecided."""

    verdict = serializers.ChoiceField(choices=["admitted", "refused"])
    path = PathRow(required=False, help_text="For those who see everything.")
    charges = ChargeRow(many=True, required=False, help_text="For those who see everything.")
    evidence = EvidenceRow(many=True)
    reasons = ReasonRow(many=True, required=False)
    counter_offers = CounterOfferRow(many=True, required=False)
    topology = serializers.IntegerField(
        required=False, help_text="Version of the topology that the decision was made against."
    )
    warnings = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="What speaks against it and refuses nothing."
    )
    failures = FailureRows(required=False)
    record = serializers.CharField(
        required=False,
        help_text="The digest of what a decision rested on, for those who see everything.",
    )
    consent = serializers.CharField(
        required=False,
        help_text="Of a modification that is tried: pending where the receiver would be asked.",
    )
