"""The OpenAPI description: what every operation may answer besides success."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Any

from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from provisioning.api.examples import add_examples
from provisioning.api.problem_types import TYPES
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
    "503": "Too many at once, or the database restarts.",
}
_LIST = {"400": "A query parameter is wrong.", "404": "There is no such page."}
_DETAIL = {"404": "No such thing, or not yours to see."}
_WRITE = {
    "400": "The body is not JSON, or fields are wrong.",
    "409": "The object is not in a state that allows this.",
    "412": "Something happened to the object since it was read (If-Match).",
    "413": "The body is too large.",
    "415": "Send application/json.",
    "422": "A rate between the steps of the scheme, or an Idempotency-Key that was used before with another request.",
}
_READ_FIRST = {"428": "It is not said what was read (If-Match)."}
"""Of what is written over: PATCH and DELETE."""
_READ_OF_A_STATE = frozenset({("premium-requests", "pack")})
"""What is read only while an object is in some states: there is no pack for a request that is over."""
_EXAMPLES = {
    "400": "invalid-fields",
    "401": "not-authenticated",
    "403": "not-permitted",
    "404": "not-found",
    "406": "not-acceptable",
    "409": "stale",
    "412": "changed-since",
    "413": "body-too-large",
    "415": "unsupported-media-type",
    "422": "rate-off-grid",
    "428": "precondition-required",
    "429": "too-many-requests",
    "503": "busy",
}
"""The kind of problem that stands for a status in its example."""


def _header(said: str, kind: str = "string") -> dict[str, Any]:
    return {"description": said, "schema": {"type": kind}}


_WAIT = {"Retry-After": _header("When to try again, in seconds.", "integer")}
_HEADERS: dict[str, dict[str, Any]] = {
    "401": {"WWW-Authenticate": _header("How to say who you are: with a bearer token.")},
    "429": _WAIT,
    "503": _WAIT,
}
_KEPT = {"Cache-Control": _header("`no-store`: what is answered is the reader's alone.")}
_REPLAYED = {
    "Idempotency-Replayed": _header(
        "`true` where it was done before under this key, and this is the first answer again."
    )
}
_TAG = {
    "ETag": _header(
        "Of the object as it is answered: for `If-Match` of a deed, and `If-None-Match` of the next look."
    )
}
_IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The ETag of what is known already: 304 without a body where that is still the answer.",
    "schema": {"type": "string"},
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The ETag of the object as it was read: it is done only if nothing happened to it since, else 412.",
    "schema": {"type": "string"},
}
_TOO_LONG = (
    "The address is too long (more than 8190 bytes): said by what serves the API, and not as a problem."
)
_LOCATION = {"Location": _header("Where what was made is read.")}


class ApiSchema(AutoSchema):
    """Adds to each operation what it is in a few words, its problems with examples, and the headers of its answers."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        """Return the operation with its error responses."""
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        for parameter in operation.get("parameters", []) if self._is_list_view() else ():
            # An empty filter is refused.
            if parameter["in"] == "query" and parameter["schema"].get("type") == "string":
                parameter["schema"].setdefault("minLength", 1)
        if self._is_one_row():
            name = _IF_NONE_MATCH if self.method == "GET" else _IF_MATCH
            operation["parameters"] = [*operation.get("parameters", []), name]
        if self.method == "GET" and self._asks(operation):
            operation["responses"]["414"] = {"description": _TOO_LONG}
        if self._is_read():
            operation["responses"]["304"] = {"description": "What is known already is still the answer."}
        for status, response in operation["responses"].items():
            response["description"] = response.get("description") or HTTPStatus(int(status)).phrase
            response["headers"] = {**_KEPT, **self._headers(operation, status)}
        add_examples(operation)
        for status, text in sorted(self._problems(operation).items()):
            operation["responses"].setdefault(status, self._problem(status, text))
        return operation

    def get_operation_id(self) -> str:
        """Return resource and action: what a generated client calls its function."""
        return f"{self._resource()}_{getattr(self.view, 'action', self.method.lower())}".replace("-", "_")

    def get_tags(self) -> list[str]:
        """Return the resource: a generated client has a module for each."""
        return [self._resource()]

    def _resource(self) -> str:
        """The resource as its addresses name it: what follows the version."""
        return self.path.strip("/").split("/")[2]

    def get_summary(self) -> str:
        """Return what it does, in a few words: the beginning of its own description."""
        said = self._own_words()
        if said is None:
            named = self._resource().replace("-", " ")
            return f"List {named}" if self._is_list_view() else f"Read one of the {named}"
        found: str = _END.split(said.strip(), maxsplit=1)[0].replace("`", "").replace("\n", " ")
        return " ".join(found.split())

    def _own_words(self) -> str | None:
        """The description of the action; None where it is a list or a row of the resource and no more."""
        action = getattr(self.view, getattr(self.view, "action", "") or self.method.lower(), None)
        ours = getattr(action, "__module__", "").startswith("provisioning.")
        said: str | None = action.__doc__ if action is not None and ours else None
        return said

    def _problems(self, operation: dict[str, Any]) -> dict[str, str]:
        described = dict(_ALWAYS)
        if self.method != "GET":
            described |= _WRITE
            if self.method in ("PATCH", "DELETE"):
                described |= _READ_FIRST
        elif self._is_list_view():
            described |= _LIST
        elif self._asks(operation):
            described |= {"400": _LIST["400"]}
        if self._action() in _READ_OF_A_STATE:
            described |= {"409": _WRITE["409"]}
        return described | _DETAIL if "{" in self.path else described

    def _action(self) -> tuple[str, str]:
        return self._resource(), getattr(self.view, "action", "")

    def _problem(self, status: str, text: str) -> dict[str, Any]:
        component = self.resolve_serializer(Problem, "response")
        code = _EXAMPLES[status]
        example: dict[str, Any] = {
            "type": f"/api/problems/{code}/",
            "title": HTTPStatus(int(status)).phrase,
            "status": int(status),
            "detail": TYPES[code][1],
            "instance": self.path.replace("{id}", "12"),
            "code": code,
        }
        if code in ("invalid-fields", "rate-off-grid"):
            where = {"parameter": "page"} if self.method == "GET" else {"pointer": "#/rate_bps"}
            example["errors"] = [{**where, "reason": "what is wrong with it"}]
        content = {"schema": component.ref, "examples": {code: {"value": example}}}
        return {
            "description": text,
            "headers": {**_KEPT, **_HEADERS.get(status, {})},
            "content": {MEDIA_TYPE: content},
        }

    def _headers(self, operation: dict[str, Any], status: str) -> dict[str, Any]:
        once = any(parameter["name"] == "Idempotency-Key" for parameter in operation.get("parameters", []))
        return {
            **(_REPLAYED if once else {}),
            **(_LOCATION if status == "201" else {}),
            **(_TAG if self._is_read() and status in ("200", "304") else {}),
        }

    @staticmethod
    def _asks(operation: dict[str, Any]) -> bool:
        return any(parameter["in"] == "query" for parameter in operation.get("parameters", []))

    def _is_read(self) -> bool:
        """Whether it answers with one row of the resource."""
        return getattr(self.view, "action", "") == "retrieve"

    def _is_one_row(self) -> bool:
        """Whether it reads one row of the resource, or does something to one."""
        return self._is_read() or (self.method != "GET" and getattr(self.view, "detail", False) is True)


_END = re.compile(r"[.:;](?=\s|$)")
