"""Single failures as the API shows them, to those who see everything."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from provisioning.api.choices import FAILURE_KINDS


class FailureName(serializers.Serializer[Any]):
    """What fails."""

    kind = serializers.ChoiceField(choices=FAILURE_KINDS)
    name = serializers.CharField()


class CutOff(serializers.Serializer[Any]):
    """A request that is left without a path."""

    request = serializers.CharField()
    start = serializers.DateTimeField()
    to = serializers.DateTimeField(allow_null=True)


class OverloadRow(serializers.Serializer[Any]):
    """A stretch in which a link carries more than its share, and everybody who is on it then; rates in bit/s."""

    link = serializers.CharField()
    direction = serializers.CharField()
    pool = serializers.CharField()
    share_bps = serializers.IntegerField()
    load_bps = serializers.IntegerField()
    excess_bps = serializers.IntegerField()
    start = serializers.DateTimeField()
    to = serializers.DateTimeField(allow_null=True)
    requests = serializers.ListField(child=serializers.CharField())


class LoadRow(serializers.Serializer[Any]):
    """The most on a link direction before and after the failure, and the least that its share is, bit/s."""

    link = serializers.CharField()
    direction = serializers.CharField()
    pool = serializers.CharField()
    share_bps = serializers.IntegerField()
    before_bps = serializers.IntegerField()
    after_bps = serializers.IntegerField()


class FailureView(serializers.Serializer[Any]):
    """What one failure does; `ended` begin or end on the router that failed."""

    failure = FailureName()
    rerouted = serializers.ListField(child=serializers.CharField())
    ended = serializers.ListField(child=serializers.CharField())
    unprotected = serializers.ListField(child=serializers.CharField())
    cut_off = CutOff(many=True)
    overloads = OverloadRow(many=True)
    loads = LoadRow(many=True)


class EffectRow(serializers.Serializer[Any]):
    """How many requests one failure reroutes, leaves without a path, and leaves unprotected."""

    kind = serializers.CharField()
    name = serializers.CharField()
    rerouted = serializers.IntegerField()
    cut_off = serializers.IntegerField()
    unprotected = serializers.IntegerField()
    overloaded = serializers.IntegerField(help_text="Link directions with more than their share.")
    excess_bps = serializers.IntegerField()


class FailuresView(serializers.Serializer[Any]):
    """All single failures as they were last worked out, and of what; `stale` says why that is not of today."""

    version = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField(required=False)
    current = serializers.BooleanField()
    stale = serializers.CharField(allow_blank=True)
    counted = serializers.IntegerField(required=False)
    requests = serializers.IntegerField(required=False)
    unprotected = serializers.IntegerField(required=False)
    failures = EffectRow(many=True)
