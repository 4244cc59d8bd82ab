"""Filters and tags of the pages: icons, states with their words, rates, times, dressed form fields."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import template
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.forms import BoundField
from django.templatetags.static import static
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html
from django.utils.safestring import SafeString

from provisioning.models import Actor, Verb
from provisioning.pipeline.usage.verdicts import rounded
from provisioning.services.series import clock_text
from provisioning.web import spelling
from provisioning.web.words import DEEDS, word

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return one icon of the vendored sprite; decoration only, so hidden from screen readers."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        static("web/vendor/tabler-icons.svg"),
        name,
    )


@register.filter
def browser(said: str) -> str:
    """Return which browser on which system calls itself so."""
    return spelling.browser_name(said)


@register.filter
def badge(state: Any) -> SafeString:
    """Return a state as a badge: icon and word, with its meaning as a title."""
    shown = word(state)
    return format_html(
        '<span class="tag {}" title="{}">{}{}</span>', shown.kind, shown.meaning, icon(shown.icon), shown.text
    )


@register.filter
def may(actor: object, verb: str) -> bool:
    """Return whether the table of roles gives this person a verb, whosever it is done to; nobody gets none."""
    return isinstance(actor, Actor) and actor.may(Verb(verb))


@register.filter
def meaning(state: Any) -> str:
    """Return what a state means, in one sentence."""
    return word(state).meaning


register.filter("plain_field", spelling.plain_field)
register.filter("rate", spelling.rate)
register.filter("size", spelling.size)
register.filter("direction", spelling.direction)
register.filter("uncapped", spelling.uncapped, is_safe=True)


def _moment(value: Any) -> datetime | None:
    return parse_datetime(value) if isinstance(value, str) else value


@register.filter
def when(value: Any) -> SafeString | str:
    """Return a moment as relative and absolute time in UTC, or "never"."""
    moment = _moment(value)
    if moment is None:
        return "never"
    return format_html(
        '<time datetime="{}">{} <span class="quiet nowrap">{}</span></time>',
        moment.isoformat(),
        spelling.ago(moment, timezone.now()),
        spelling.absolute(moment),
    )


@register.filter
def at(value: Any) -> SafeString | str:
    """Return a moment as absolute UTC time, the relative one as its title."""
    moment = _moment(value)
    if moment is None:
        return "-"
    return format_html(
        '<time class="nowrap" datetime="{}" title="{}">{}</time>',
        moment.isoformat(),
        spelling.ago(moment, timezone.now()),
        spelling.absolute(moment),
    )


@register.filter
def by_clocks(value: Any, zone: str) -> SafeString | str:
    """Return a moment as the clocks of a named time zone show it, and below it in UTC."""
    moment = _moment(value)
    if moment is None:
        return "further notice"
    local, shown = clock_text(moment, zone), spelling.absolute(moment)
    return format_html(
        '<time class="nowrap" datetime="{}" title="{}">{}<br><span class="quiet small">{}</span></time>',
        moment.isoformat(),
        spelling.ago(moment, timezone.now()),
        local,
        shown,
    )


register.filter("clocks", clock_text)


@register.filter
def until(value: Any) -> SafeString | str:
    """Return the end of a window; an open one lasts until further notice."""
    return at(value) if value else "further notice"


@register.filter
def dressed(field: BoundField) -> SafeString:
    """Return a form field's widget with the page's class, its help and its errors tied to it for screen readers; beside it
    what it showed at first, where its form asks what was changed.
    """
    attrs: dict[str, Any] = {}
    if getattr(field, "widget_type", "") not in {"checkbox", "radioselect", "checkboxselectmultiple"}:
        attrs["class"] = "field"
    said = [f"{field.auto_id}_error"] if field.errors else []
    if field.help_text:
        said.append(f"{field.auto_id}_help")
    if said:
        attrs["aria-describedby"] = " ".join(said)
    if field.errors:
        attrs["aria-invalid"] = "true"
    widget = field.as_widget(attrs=attrs)
    return widget + field.as_hidden(only_initial=True) if field.field.show_hidden_initial else widget


_MESSAGES = {
    constants.SUCCESS: ("good", "circle-check"),
    constants.WARNING: ("warn", "alert-triangle"),
    constants.ERROR: ("bad", "circle-x"),
}


@register.filter
def message_kind(message: Message) -> str:
    """Return the weight of a Django message."""
    return _MESSAGES.get(message.level, ("info", "info-circle"))[0]


@register.filter
def message_icon(message: Message) -> str:
    """Return the icon of a Django message."""
    return _MESSAGES.get(message.level, ("info", "info-circle"))[1]


@register.filter
def way(direction: str) -> str:
    """Return the direction of a policy as people say it of traffic."""
    return {"input": "inwards", "output": "outwards"}.get(direction, direction)


@register.filter
def measured(bps: int | None) -> str:
    """Return a measured rate with three digits; a dash where it is not known."""
    return "-" if bps is None else rounded(bps)


@register.filter
def hours(seconds: float) -> str:
    """Return a time as hours."""
    return f"{seconds / 3600:,.1f} h"


@register.filter
def share(part: float | None) -> str:
    """Return a part of a whole in per cent, cut off and not rounded: only a whole is 100 %; a dash where it is not known."""
    if part is None:
        return "-"
    return f"{int(part * 10_000 + 1e-9) / 100:g} %"


@register.filter
def deed(action: str) -> str:
    """Return an audit action ("request.admitted") as words ("Admitted")."""
    return (
        DEEDS.get(action)
        or action.partition(".")[2].replace("_", " ").replace("-", " ").capitalize()
        or action
    )
