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
from datetime import datetime

from provisioning.errors import InvalidInput, NotPermitted
from provisioning.models import Actor, ApiToken, Verb
from provisioning.selectors.tokens import of_everybody

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
