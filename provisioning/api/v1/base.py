"""What the resources of version 1 have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

from django.forms import SelectMultiple
from django.urls import reverse
from django_filters.rest_framework import DjangoFilterBackend, FilterSet
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.viewsets import GenericViewSet, ReadOnlyModelViewSet

from inventory.models import Nren
from provisioning.api import versions
from provisioning.api.authentication import actor_of
from provisioning.api.parsing import BoundedJSONParser
from provisioning.api.permissions import HasRole, HasScope
from provisioning.api.problems import MEDIA_TYPE, BadQuery
from provisioning.api.schema import ApiSchema
from provisioning.errors import InvalidFields, InvalidInput
from provisioning.models import Actor
from provisioning.services import idempotency, preconditions, retrying

Answered = tuple[int, dict[str, Any]]
"""Status and JSON of what was done."""
Body = TypeVar("Body", bound=Serializer[Any])
IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    # Blanks at either end are no part of a header's value (RFC 9110 section 5.5).
    {
        "type": "string",
        "minLength": 1,
        "maxLength": idempotency.LONGEST_KEY,
        "pattern": "^[!-~]([ -~]*[!-~])?$",
    },
    OpenApiParameter.HEADER,
    description="Repeat a request under the same key and it is done once; the first answer comes again.",
)
PAGING = frozenset({"page", "page_size", "cursor"})


class StrictFilters(DjangoFilterBackend):
    """Filters by query parameters; an unknown parameter, an unknown value, none and two of one are refused instead of ignored."""

    def filter_queryset(self, request: Request, queryset: Any, view: Any) -> Any:
        """Return the filtered rows; 400 naming each parameter that is unknown, empty, wrong, or given twice where it is one."""
        filters: type[FilterSet] | None = self.get_filterset_class(view, queryset)
        asked = filters.base_filters if filters else {}
        known = PAGING | set(asked)
        several = {name for name, one in asked.items() if issubclass(one.field_class.widget, SelectMultiple)}
        repeated = find_repeated(request, several)
        unknown = {
            name[:60]: ["is not a known parameter"] for name in request.query_params if name not in known
        }
        empty = {
            name: ["is empty: leave it out to have every row"]
            for name in request.query_params
            if name in known and not all(request.query_params.getlist(name))
        }
        if repeated or unknown or empty:
            raise BadQuery({**repeated, **unknown, **empty})
        try:
            return super().filter_queryset(request, queryset, view)
        except ValidationError as error:
            raise BadQuery(error.detail) from error


def find_repeated(request: Request, several: Collection[str] = ()) -> dict[str, list[str]]:
    """Return what is wrong, by name, with query parameters that are given more than once and are not among `several`.

    Django takes the last of them: the others would be silently ignored.
    """
    given = request.query_params
    return {
        name[:60]: ["is given twice"]
        for name in given
        if name not in several and len(given.getlist(name)) > 1
    }


class ApiView(GenericViewSet[Any]):
    """A resource: tokens with a role and the scope, bounded JSON, strict filters, problems in the schema."""

    schema = ApiSchema()
    permission_classes = (IsAuthenticated, HasRole, HasScope)
    parser_classes = (BoundedJSONParser,)
    filter_backends = (StrictFilters,)
    lookup_value_regex = "[0-9]{1,15}"
    metadata_class = None  # the schema describes the resources; OPTIONS does nothing

    @property
    def actor(self) -> Actor:
        """Return who acts."""
        return actor_of(self.request)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Look at who asks, then whether what a row is to be like still holds (`versions`)."""
        super().initial(request, *args, **kwargs)
        self.version = None
        if self.action == "retrieve":
            # Before the row is read: a tag older than its answer refuses a deed too many, a newer one lets one through.
            self.version = preconditions.version_of(versions.row_of(self))
        elif request.method == "POST":  # PATCH and DELETE look themselves (`editing`)
            versions.check_early(self, request)

    def filter_queryset(self, queryset: Any) -> Any:
        """Return the rows of a list as filtered; one row is found by its id alone."""
        return super().filter_queryset(queryset) if not self.detail else queryset

    def page_of(self, rows: Any) -> list[Any]:
        """Return the page of a list that belongs to one row, as filtered by what its action names; as `list` does of its own."""
        found = self.paginate_queryset(super().filter_queryset(rows))
        assert found is not None, "its action has pages"
        return found

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the response, not to be kept by anything between here and the reader."""
        finished = super().finalize_response(request, response, *args, **kwargs)
        finished["Cache-Control"] = "no-store"
        version = getattr(self, "version", None)
        if version is not None and finished.status_code == HTTPStatus.OK:
            versions.tag_answer(finished, version, request.headers.get("If-None-Match", ""))
        return finished

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context with the actor."""
        context = super().get_serializer_context()
        if not getattr(self, "swagger_fake_view", False):
            context["actor"] = self.actor
        return context


class ReadOnly(ApiView, ReadOnlyModelViewSet[Any]):
    """A resource that is looked at only."""


def read_body(request: Request, shape: type[Body]) -> Body:
    """Return what was sent, read as `shape`; raises ValidationError (400) with a reason for each field that is wrong."""
    body = shape(data=request.data)
    body.is_valid(raise_exception=True)
    return body


def create(
    request: Request, resource: str, act: Callable[[], dict[str, Any]], *, secret: Collection[str] = ()
) -> Response:
    """Return 201 with what `act` made, once per Idempotency-Key, and where it is read: `resource` is the name of its URLs.

    Its members `secret` are null when the answer comes again (`idempotency.once_prepared`).
    """
    response = deed_prepared(request, lambda: nullcontext(lambda: (201, act())), secret=secret)
    location = reverse(f"api:{resource}-detail", kwargs={"pk": response.data["id"]})
    response["Location"] = request.build_absolute_uri(location)
    return response


def deed(request: Request, act: Callable[[], Answered]) -> Response:
    """Return the response to a write: done once per Idempotency-Key where the client sends one.

    Where it met another's it is done again from its beginning, the key included.
    """
    return deed_prepared(request, lambda: nullcontext(act))


def deed_prepared(
    request: Request,
    prepare: Callable[[], AbstractContextManager[Callable[[], Answered]]],
    *,
    secret: Collection[str] = (),
) -> Response:
    """As `deed`, of which a part is done before the transaction of the key (`idempotency.once_prepared`)."""
    key = request.headers.get("Idempotency-Key")
    prepare = partial(_prepared, request, prepare)
    if key is None:
        status, body = retrying.whole(partial(_do, prepare))
        return _answer(status, body)
    said = {"method": request.method, "path": request.path, "data": request.data}
    once = partial(
        idempotency.once_prepared, token=request.auth, key=key, request=said, prepare=prepare, secret=secret
    )  # type: ignore[arg-type]
    answer = retrying.whole(once)
    response = _answer(answer.status, answer.body)
    if answer.replayed:
        response["Idempotency-Replayed"] = "true"
    return response


@contextmanager
def _prepared(
    request: Request, prepare: Callable[[], AbstractContextManager[Callable[[], Answered]]]
) -> Iterator[Callable[[], Answered]]:
    with prepare() as act:
        yield versions.only_if_unchanged(request, act)


def _do(prepare: Callable[[], AbstractContextManager[Callable[[], Answered]]]) -> Answered:
    with prepare() as act:
        return act()


def _answer(status: int, body: dict[str, Any]) -> Response:
    """Return the response; a deed that was done in vain, and is on record as that, answers with a problem."""
    return Response(body, status=status, content_type=MEDIA_TYPE if status >= _PROBLEM else None)


_PROBLEM = 400


def find_nren(key: int | None) -> Nren | None:
    """Return the NREN that a body names by its id, None for none; raises InvalidInput (`nren`) where there is no such one."""
    if key is None:
        return None
    found = Nren.objects.filter(pk=key).first() if 0 < key < 2**63 else None
    if found is None:
        raise InvalidInput("there is no such NREN", field="nren")
    return found


def asked_in_the_query(
    request: Request,
    question: type[Serializer[Any]],
    answer: Callable[[dict[str, Any]], Any],
    *,
    several: Collection[str] = (),
) -> Any:
    """Return what `answer` makes of the query parameters that `question` describes; those among `several` are lists.

    A parameter that is unknown or given twice, or whose value cannot be meant, is refused by its name (BadQuery).
    """
    if repeated := find_repeated(request, several):
        raise BadQuery(repeated)
    given = request.query_params
    asked = question(data={**given.dict(), **{name: given.getlist(name) for name in several}})
    if not asked.is_valid():
        raise BadQuery(asked.errors)
    try:
        return answer(dict(asked.validated_data))
    except InvalidInput as error:
        listed = error.errors if isinstance(error, InvalidFields) else [error]
        raise BadQuery({one.field or "query": [one.reason] for one in listed}) from error
