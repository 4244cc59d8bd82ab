"""The schema, the page that shows it, what problem codes mean, and the answer to every other path."""

from __future__ import annotations

from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.http import HttpResponse
from django.utils.decorators import method_decorator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from provisioning.api.problem_types import describe


class SchemaView(SpectacularAPIView):
    """The OpenAPI 3.1 description; public, as it holds nothing of anybody."""

    permission_classes = (AllowAny,)
    authentication_classes = ()


# Swagger UI writes style attributes; scripts stay restricted to our own files.
@method_decorator(csp_update({"style-src": [SELF, UNSAFE_INLINE]}), name="dispatch")
class SchemaPage(SpectacularSwaggerSplitView):
    """The description to read and try, from our own files alone."""

    permission_classes = (AllowAny,)
    authentication_classes = ()
    url_name = "api:schema"

    def finalize_response(
        self, request: Request, response: HttpResponse, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Return the page as HTML; what has no template (the answer to OPTIONS, a problem) as JSON."""
        if isinstance(response, Response) and response.template_name is None:
            request.accepted_renderer, request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
        answer: HttpResponse = super().finalize_response(request, response, *args, **kwargs)
        return answer


class ProblemType(APIView):
    """What a problem's code means."""

    permission_classes = (AllowAny,)
    authentication_classes = ()

    @extend_schema(exclude=True)
    def get(self, _request: Request, code: str) -> Response:
        """Return the description of a code, 404 for an unknown one."""
        described = describe(code)
        if described is None:
            raise NotFound
        return Response(described)


class NothingHere(APIView):
    """Every path under /api/ that is nothing else: a problem, not a page."""

    permission_classes = (AllowAny,)
    authentication_classes = ()

    @extend_schema(exclude=True)
    def initial(self, _request: Request, *_args: Any, **_kwargs: Any) -> None:
        """Answer 404, whatever the method."""
        raise NotFound("There is no such resource.")
