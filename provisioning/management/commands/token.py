"""`manage.py token`: issue an API token and print it, once; list, rotate and revoke those there are."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from inventory.models import Nren
from provisioning.management import acting
from provisioning.management.moments import moment
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.models import Actor, ApiToken
from provisioning.selectors import tokens as selecting
from provisioning.services import clock, people, tokens

_SPAN = re.compile(r"([1-9][0-9]{0,4})([dh])")
_ISSUING = ("name", "scopes", "expires", "networks")


class Command(RefusingCommand):
    one_deed = True
    help = "Issue an API token (its text is printed once and never stored); list, rotate and revoke tokens."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("nren", nargs="?", help="for which NREN alone it speaks, such as JANET")
        parser.add_argument(
            "--person",
            "--user",
            help="whose it is: a member of the NREN (default: its own API user); without an NREN it is all that this person is",
        )
        parser.add_argument(
            "--as", dest="by", default="", help="user name of who does it: kept with the token"
        )
        parser.add_argument("--name", help="what the token is called (default: command line)")
        parser.add_argument(
            "--scope",
            dest="scopes",
            action="append",
            choices=tokens.SCOPES,
            help="once for each (default: both)",
        )
        parser.add_argument(
            "--expires",
            type=_end,
            help="2027-03-01, 2027-03-01T12:00Z, 90d or 12h (default: as late as may be)",
        )
        parser.add_argument(
            "--network",
            dest="networks",
            action="append",
            help="where it may be used from, such as 192.0.2.0/24; repeat it",
        )
        deed = parser.add_mutually_exclusive_group()
        deed.add_argument(
            "--list", action="store_true", help="those there are, of the NREN or the person if one is named"
        )
        deed.add_argument("--rotate", metavar="PREFIX", help="another secret in its place, printed once")
        deed.add_argument("--revoke", metavar="PREFIX", help="end it now")
        parser.add_argument(
            "--overlap", type=_span, help="with --rotate: how long the old one still works, up to 7d"
        )
        parser.add_argument("--reason", default="", help="of --rotate and --revoke: kept in the audit trail")

    def handle(self, *_args: Any, **said: Any) -> None:
        actor = acting.as_named(said["by"]) if said["by"] else acting.as_shell()
        _refuse_what_does_not_belong(said)
        if said["rotate"] or said["revoke"]:
            token = selecting.of_prefix(actor, said["rotate"] or said["revoke"])
        if said["rotate"]:
            overlap = said["overlap"] or timedelta()
            self.stdout.write(
                tokens.rotate(actor=actor, token=token, reason=said["reason"], overlap=overlap)[1]
            )
        elif said["revoke"]:
            tokens.revoke(actor=actor, token=token, reason=said["reason"])
            self.stdout.write(f"{token.prefix} is revoked.")
        elif said["list"]:
            self._list(actor, said)
        else:
            self._issue(actor, said)

    def _issue(self, actor: Actor, said: dict[str, Any]) -> None:
        if not said["nren"] and not said["person"]:
            raise CommandError("Name an NREN, or a person with --person.", returncode=BAD_INPUT)
        nren = _nren(said["nren"]) if said["nren"] else None
        expires_at = (
            clock.now() + said["expires"] if isinstance(said["expires"], timedelta) else said["expires"]
        )
        _token, text = tokens.issue(
            actor=actor,
            user=_user(nren, said["person"], actor),
            nren=nren,
            name=said["name"] or "command line",
            scopes=said["scopes"] or tokens.SCOPES,
            expires_at=expires_at,
            allowed_networks=said["networks"] or (),
        )
        self.stdout.write(text)

    def _list(self, actor: Actor, said: dict[str, Any]) -> None:
        rows = selecting.for_actor(actor)
        if said["nren"]:
            rows = rows.filter(nren=_nren(said["nren"]))
        if said["person"]:
            rows = rows.filter(user=_person(said["person"]))
        now = clock.now()
        for token in rows.iterator(chunk_size=500):
            self.stdout.write(_line(token, now))


def _line(token: ApiToken, now: datetime) -> str:
    whom = f"{token.user.get_username()} for {token.nren.name}" if token.nren else token.user.get_username()
    end = f"until {token.expires_at:%Y-%m-%dT%H:%MZ}" if token.expires_at else "without end"
    used = f"last used {token.last_used_at:%Y-%m-%dT%H:%MZ}" if token.last_used_at else "never used"
    where = f"from {', '.join(token.allowed_networks)}" if token.allowed_networks else "from anywhere"
    state = selecting.state_of(token, now).replace("-", " ")
    return (
        f"{token.prefix}  {state:12}  {whom}: {token.name} ({'+'.join(token.scopes)}, {end}, {where}, {used})"
    )


def _refuse_what_does_not_belong(said: dict[str, Any]) -> None:
    """Raise CommandError for options that the deed does not take: silently left out they would seem to be done."""
    issues = not (said["list"] or said["rotate"] or said["revoke"])
    wrong = [] if issues else [name for name in _ISSUING if said[name]]
    if said["rotate"] or said["revoke"]:
        wrong += [name for name in ("nren", "person") if said[name]]
    if said["overlap"] is not None and not said["rotate"]:
        wrong.append("overlap")
    if said["reason"] and not (said["rotate"] or said["revoke"]):
        wrong.append("reason")
    if wrong:
        names = {"nren": "an NREN", "scopes": "--scope", "networks": "--network"}
        told = ", ".join(names.get(name, f"--{name}") for name in wrong)
        raise CommandError(f"Not together with what is asked: {told}.", returncode=BAD_INPUT)


def _nren(name: str) -> Nren:
    row = Nren.objects.filter(name__iexact=name).first()
    if row is None:
        known = ", ".join(Nren.objects.values_list("name", flat=True)) or "none: import a network first"
        raise CommandError(f"There is no NREN {name!r}; there is {known}.", returncode=BAD_INPUT)
    return row


def _user(nren: Nren | None, username: str | None, actor: Actor) -> User:
    """The person named, or the NREN's own API user, who has no password and cannot sign in."""
    if username is None:
        assert nren is not None, "one of the two is named"
        return people.put_person(actor=actor, username=f"api-{nren.name.lower()}", nrens=[nren])
    return _person(username)


def _person(username: str) -> User:
    found = User.objects.filter(username=username).first()
    if found is None:
        raise CommandError(f"There is no user {username!r}.", returncode=BAD_INPUT)
    return found


def _span(text: str) -> timedelta:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ArgumentTypeError(f"not a time span: {text!r:.60}; write 7d or 12h")
    return timedelta(**{"days" if found[2] == "d" else "hours": int(found[1])})


def _end(text: str) -> datetime | timedelta:
    if _SPAN.fullmatch(text):
        return _span(text)
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return moment(text)
