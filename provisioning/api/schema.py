"""The OpenAPI description: what every operation may answer besides success."""

from __future__ import annotations

from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from provisioning.api.problems import MEDIA_TYPE


class ProblemEntry(serializers.Serializer):  # type: ignore[type-arg]
    """One wrong field (pointer) or query parameter (parameter) and what is wrong with it."""

    pointer = serializers.CharField(required=False, help_text="JSON pointer into the body, as in #/rate_bps.")
    parameter = serializers.CharField(required=False, help_text="Name of a query parameter.")
    reason = serializers.CharField()


class Problem(serializers.Serializer):  # type: ignore[type-arg]
    """Problem details (RFC 9457)."""

    type = serializers.CharField(help_text="Where the kind of problem is described.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What is wrong this time.")
    instance = serializers.CharField(help_text="The path that was asked for.")
    code = serializers.CharField(help_text="The kind of problem, stable.")
    errors = ProblemEntry(many=True, required=False, help_text="One entry per wrong field or parameter.")


_ALWAYS = {
    "401": "No valid token.",
    "403": "Not permitted.",
    "406": "Only JSON is spoken.",
    "429": "Too many requests.",
}
_LIST = {"400": "A query parameter is wrong.", "404": "There is no such page."}
_DETAIL = {"404": "No such thing, or not yours to see."}
_WRITE = {
    "400": "The body is not JSON, or fields are wrong.",
    "409": "The object is not in a state that allows this.",
    "413": "The body is too large.",
    "415": "Send application/json.",
    "422": "The Idempotency-Key was used before with another request.",
}


class ApiSchema(AutoSchema):
    """Adds the problems to each operation, and the Idempotency-Key header to writes."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        """Return the operation with its error responses."""
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        component = self.resolve_serializer(Problem, "response")
        described = dict(_ALWAYS)
        if self.method != "GET":
            described |= _WRITE
        elif self._is_list_view():
            described |= _LIST
        elif any(parameter["in"] == "query" for parameter in operation.get("parameters", [])):
            described |= {"400": _LIST["400"]}
        if "{" in self.path:
            described |= _DETAIL
        for status, text in sorted(described.items()):
            operation["responses"].setdefault(
                status, {"description": text, "content": {MEDIA_TYPE: {"schema": component.ref}}}
            )
        return operation
