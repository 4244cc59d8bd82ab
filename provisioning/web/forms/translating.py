"""Typed errors of the services, put back where the person can mend them: at the form's fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.forms import Form

from provisioning.errors import InvalidFields, InvalidInput, NotAsRead
from provisioning.web.spelling import sentence


def put_errors(form: Form, error: InvalidInput | NotAsRead, names: Mapping[str, str] | None = None) -> None:
    """Add a service's complaint to the field it names (``names`` maps the service's names to the form's).

    What no field of the form is called stands above the form, as a sentence without the service's name for it.
    """
    for one in error.errors if isinstance(error, InvalidFields) else [error]:
        _put(form, one, names or {})


def put_the_rest(form: Form, errors: Iterable[InvalidInput], names: Mapping[str, str]) -> None:
    """Add what a service says of a form that is wrong already, at fields that have no error yet: all errors in one round."""
    wrong = set(form.errors)
    for one in errors:
        if names.get(one.field or "", one.field) in form.fields.keys() - wrong:
            _put(form, one, names)


def _put(form: Form, one: InvalidInput | NotAsRead, names: Mapping[str, str]) -> None:
    wanted = names.get(one.field or "", one.field or "")
    form.add_error(wanted if wanted in form.fields else None, sentence(one.reason))
