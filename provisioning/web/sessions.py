"""Sessions as Django keeps them in the database, asked for by names only that it could have drawn."""

from __future__ import annotations

from django.contrib.sessions.backends import db


class SessionStore(db.SessionStore):
    """Django's. A cookie may spell a NUL (`"\\000..."`), for which PostgreSQL cannot even be asked: that is no session."""

    def _validate_session_key(self, key: str | None) -> bool:
        return bool(super()._validate_session_key(key) and key and key.isascii() and key.isalnum())
