"""A message as a mail, through Django's e-mail backend (SMTP, RFC 5321) and the settings EMAIL_*."""

from __future__ import annotations

import smtplib
from email.utils import format_datetime, parseaddr

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from provisioning.models import Message
from provisioning.services.telling.undelivered import Undelivered
from provisioning.services.telling.writing import Letter, subject_of, text_of

_SMTP = "django.core.mail.backends.smtp.EmailBackend"


def deliver(message: Message, letter: Letter) -> None:
    """Hand a mail to the mail server. Raises Undelivered with what it said.

    Message-ID and Date are those of the message, not of the try: who gets it twice sees that it is one. Nobody's vacation
    answers it (RFC 3834, Auto-Submitted).
    """
    if settings.EMAIL_BACKEND == _SMTP and not settings.EMAIL_HOST:
        raise Undelivered("no mail server is set (EMAIL_HOST)")
    letter_as_mail = EmailMessage(
        subject=subject_of(letter),
        body=text_of(letter),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[message.subscriber.address],
        connection=get_connection(timeout=settings.NOTIFY_TIMEOUT_SECONDS),
        headers={
            "Message-ID": f"<{message.number}@{_own_domain()}>",
            "Date": format_datetime(message.created_at),
            "Auto-Submitted": "auto-generated",
        },
    )
    try:
        letter_as_mail.send()
    except smtplib.SMTPRecipientsRefused as error:
        codes = [code for code, _said in error.recipients.values()]
        raise Undelivered(f"the address is refused: {_said(error)}", refused=min(codes) >= 500) from error
    except smtplib.SMTPDataError as error:
        raise Undelivered(f"the mail is refused: {_said(error)}", refused=error.smtp_code >= 500) from error
    except (OSError, ValueError) as error:
        # smtplib's errors are OSErrors; what cannot be written in a header, or is no address, is a ValueError.
        raise Undelivered(f"{type(error).__name__}: {_said(error)}") from error


def _own_domain() -> str:
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"


def _said(error: Exception) -> str:
    """What the server said, as text; smtplib carries bytes."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        replies = error.recipients.values()
        return "; ".join(f"{code} {_text(said)}" for code, said in replies)
    if isinstance(error, smtplib.SMTPResponseException):
        return f"{error.smtp_code} {_text(error.smtp_error)}"
    return str(error)


def _text(said: bytes | str) -> str:
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else said
