"""What each problem's ``code`` means: the page its ``type`` leads to."""

from __future__ import annotations

from http import HTTPStatus

TYPES: dict[str, tuple[int, str]] = {
    "invalid-fields": (400, "One or more fields or query parameters are wrong; `errors` names each."),
    "invalid-input": (400, "What was sent cannot be meant; `errors` names the field where it is one."),
    "parse-failure": (400, "A text is not what it claims to be."),
    "unreadable-body": (400, "The body is not JSON."),
    "not-authenticated": (401, "No token was offered, or it is not valid (any more, or from this address)."),
    "not-permitted": (403, "You see the object but may not do this."),
    "not-found": (404, "There is no such thing, or it is not yours to see."),
    "method-not-allowed": (405, "The resource knows other methods; `Allow` names them."),
    "not-acceptable": (406, "Only JSON is spoken here."),
    "conflict": (409, "The object is not in a state that allows this."),
    "stale": (
        409,
        "The object has moved on; look again. Of a quota that was set since it was read `standing` is what it is.",
    ),
    "does-not-fit": (
        409,
        "Nothing was granted or held, it does not fit. `evidence` says where, when and by how much (of a series `items`).",
    ),
    "quota-exceeded": (
        409,
        "The NREN would have more than its quota: `quota` names it, with what is `allowed`, `used` and `asked`.",
    ),
    "still-needed": (
        409,
        "Something depends on what was to be retired: `obstacles` names it, with what is done first. Nothing was written.",
    ),
    "reservations-stranded": (
        409,
        "It would take from under a reservation what it needs: `links` says why, whose, and when. Nothing was written.",
    ),
    "push-disabled": (409, "Nothing is sent to any router by this installation."),
    "no-practice-routers": (409, "The practice routers are not installed here; nothing can be rehearsed."),
    "lease-lost": (409, "Another worker took over."),
    "changed-since": (
        412,
        "Something happened to the object since you read it (`If-Match`): nothing was done. Read it again.",
    ),
    "precondition-required": (
        428,
        "A row of the network is edited or retired on what was read: send its ETag as `If-Match`, or ask with `?dry_run=true`.",
    ),
    "body-too-large": (413, "The request body is larger than the API reads."),
    "unsupported-media-type": (415, "Send application/json."),
    "rate-off-grid": (
        422,
        "The rate is not one that an NREN may ask for: it lies between the steps of the scheme, which `errors` names.",
    ),
    "idempotency-key-reused": (422, "The Idempotency-Key was used before with another request."),
    "too-many-requests": (429, "Too many requests; `Retry-After` says how long to wait, in seconds."),
    "error": (500, "Something went wrong on our side; it has been logged."),
    "busy": (
        503,
        "Too many at once, or the database restarts; `Retry-After` says when to try again, in seconds.",
    ),
    "device-error": (502, "A router could not be read or written as expected."),
}


def describe(code: str) -> dict[str, object] | None:
    """Return type, title, status and description of a problem code; None for an unknown one."""
    if code not in TYPES:
        return None
    status, text = TYPES[code]
    return {
        "type": f"/api/problems/{code}/",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "description": text,
    }
