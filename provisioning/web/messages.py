"""What the next page is to say, kept in a cookie that is named as the others are."""

from __future__ import annotations

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage


class Cookie(CookieStorage):
    """Django's, under a name that only this host can have set (`settings.MESSAGES_COOKIE_NAME`)."""

    cookie_name = settings.MESSAGES_COOKIE_NAME


class Messages(FallbackStorage):
    """In the cookie, and in the session what is too long for one."""

    storage_classes = (Cookie, SessionStorage)
