"""Who may do something about which token, and that a token gives away no more than it has.

A person at a page, or at a command, issues whatever the table allows. A token that is used in the API (``using``) is more easily
stolen than a person, so that

- it issues none that is wider than itself: in whose name, for which NREN, in scopes, in networks, or in time;
- what it issued ends when it ends: who revokes or rotates a stolen token leaves nothing behind that the thief made of it;
- it rotates itself and no other, and one that speaks for an NREN neither sees nor revokes one that does not.

Behind what is asked with a token stand its user and whoever issued it (docs/adr/0044), and a row keeps one issuer. Where a third
person would come to know a secret, the deed is refused: an administrator who is not the issuer revokes and issues anew.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from inventory.models import Nren
from provisioning.errors import InvalidInput, NotPermitted
from provisioning.models import Actor, ApiToken, Verb
from provisioning.selectors.tokens import by_life, of_everybody, without_successor
from provisioning.services import clock

SCOPES = ("read", "write")
MOST_NETWORKS = 50
LONGEST_REASON = 2000


def may_hold(actor: Actor, user_id: int) -> None:
    """Raise NotPermitted unless the table gives the actor the tokens of this user: its own, or anybody's."""
    if of_everybody(actor) or (actor.user_id == user_id and actor.may(Verb.TOKENS)):
        return
    raise NotPermitted(Verb.TOKENS.row.refusal_with)


def within_reach(using: ApiToken | None, token: ApiToken) -> None:
    """Raise NotPermitted when a token that speaks for an NREN is used on one that does not speak for the same."""
    if using is not None and using.nren_id is not None and using.nren_id != token.nren_id:
        raise NotPermitted("A token of an NREN is for tokens of that NREN only.")


def no_third_person(actor: Actor, token: ApiToken) -> None:
    """Raise NotPermitted when its user, its issuer and whoever rotates it would be three people."""
    if actor.is_system or actor.user_id == token.user_id:
        return
    if token.issued_by_id not in (None, token.user_id, actor.user_id):
        raise NotPermitted(
            "Somebody else issued it, and stays behind what is asked with it: whoever it speaks for, or who issued it,"
            " rotates it. Revoke it and issue another."
        )


def no_wider(
    using: ApiToken,
    *,
    actor: Actor,
    user_id: int,
    nren_id: int | None,
    scopes: Iterable[str],
    expires_at: datetime | None,
    networks: Sequence[str],
) -> None:
    """Raise unless a token like this is no wider than the one it is issued with.

    NotPermitted where it would be somebody else's, InvalidInput naming the field that is wider.
    """
    if user_id != using.user_id and (using.nren_id is not None or actor.issuer_id is not None):
        raise NotPermitted("A token of an NREN, or one that somebody else issued, issues none for others.")
    if using.nren_id is not None and nren_id != using.nren_id:
        raise InvalidInput("the token that asks speaks for one NREN; so does what it issues", field="nren")
    if wider := set(scopes) - set(using.scopes):
        raise InvalidInput(f"the token that asks has no scope {', '.join(sorted(wider))}", field="scopes")
    if using.expires_at is not None and (expires_at is None or expires_at > using.expires_at):
        raise InvalidInput(
            f"the token that asks expires at {using.expires_at:%Y-%m-%dT%H:%MZ}; what it issues not later",
            field="expires_at",
        )
    held = using.allowed_networks
    if held and not (networks and all(any(_inside(one, other) for other in held) for one in networks)):
        raise InvalidInput(
            f"the token that asks may come from {', '.join(held)} only; so does what it issues",
            field="allowed_networks",
        )


def latest_end(now: datetime) -> datetime | None:
    """Return when a token that is issued now ends at the latest (TOKEN_LONGEST_DAYS); None: whenever somebody likes."""
    return now + timedelta(days=settings.TOKEN_LONGEST_DAYS) if settings.TOKEN_LONGEST_DAYS > 0 else None


def end_like(using: ApiToken) -> datetime | None:
    """Return the end of a token that is issued with another and for which none was said: that of the other, or sooner."""
    return earlier(using.expires_at, latest_end(clock.now()))


def earlier(one: datetime | None, other: datetime | None) -> datetime | None:
    """Return the earlier of two ends, of which None is never."""
    return min((each for each in (one, other) if each is not None), default=None)


def end_of(asked: datetime | None, now: datetime) -> datetime | None:
    """Return when a token ends for which that end was asked; without one as late as may be.

    Raises InvalidInput for an end that has passed or is later than that.
    """
    latest = latest_end(now)
    if asked is None:
        return latest
    if asked <= now:
        raise InvalidInput("the end lies in the past", field="expires_at")
    if latest is not None and asked > latest:
        raise InvalidInput(
            f"a token ends {settings.TOKEN_LONGEST_DAYS} days after its issue at the latest: {latest:%Y-%m-%dT%H:%MZ}",
            field="expires_at",
        )
    return asked


def not_too_many(user: User, nren: Nren | None, now: datetime) -> None:
    """Raise InvalidInput naming whose, where a person or an NREN has as many live tokens as it may (TOKENS_MOST).

    Whoever calls holds the rows of both: what is issued at the same time is counted.
    """
    most = settings.TOKENS_MOST
    if most <= 0:
        return
    of_user = ApiToken.objects.filter(user=user)
    if _living(of_user, now, most) >= most:
        raise InvalidInput(_TOO_MANY.format(whom=user.get_username(), most=most), field="user")
    if nren is not None and _living(ApiToken.objects.filter(nren=nren), now, most) >= most:
        raise InvalidInput(_TOO_MANY.format(whom=nren.name, most=most), field="nren")


_TOO_MANY = "{whom} has {most} tokens that can be used, and may have no more: revoke one first"


def _living(rows: QuerySet[ApiToken], now: datetime, most: int) -> int:
    """How many of them can be used and have no successor, counted no further than `most`."""
    return without_successor(by_life(rows, now, live=True)).order_by()[:most].count()


def reason_of(text: str) -> str:
    """Return the reason without blanks around it; raises InvalidInput when nothing is left, or it is too long."""
    said = text.strip()
    if not said or len(said) > LONGEST_REASON:
        raise InvalidInput(f"say why, in at most {LONGEST_REASON} characters", field="reason")
    return said


def network(text: str) -> str:
    """Return a network in CIDR form; raises InvalidInput, for host bits that are set too."""
    try:
        return str(ipaddress.ip_network(text.strip()))
    except ValueError as error:
        raise InvalidInput(f"not a network: {text!r:.60}", field="allowed_networks") from error


def _inside(inner: str, outer: str) -> bool:
    one, other = ipaddress.ip_network(inner), ipaddress.ip_network(outer)
    if isinstance(one, ipaddress.IPv4Network) and isinstance(other, ipaddress.IPv4Network):
        return one.subnet_of(other)
    if isinstance(one, ipaddress.IPv6Network) and isinstance(other, ipaddress.IPv6Network):
        return one.subnet_of(other)
    return False
