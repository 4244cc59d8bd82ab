"""`manage.py adopt`: recognise hand-made policies on routers, propose an inventory, and take them over as they are."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from inventory.models import Router
from provisioning.errors import ExpediteError, InvalidFields, InvalidInput
from provisioning.management import acting, adoption_as_text, changes_as_text
from provisioning.management.captured_text import read_captured
from provisioning.management.printable import printable
from provisioning.management.refusing import BAD_INPUT, RefusingCommand
from provisioning.models import ChangeKind
from provisioning.services import adopting, planning
from provisioning.services.adopting import Look, Proposal, Recognised


class Command(RefusingCommand):
    help = (
        "Read running-configs (files, directories, or routers over SSH), recognise the access cases and the core policy "
        "by what they do, and say what is not understood. Writes nothing without --apply, and never sends anything. "
        "A file that is no configuration is named and left out. "
        "Exits 0 when re-rendering every router changes nothing; 1 when not, when a router was not read or is not in the "
        "inventory, or when nothing on it is recognised; 2 on bad input."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "files", nargs="*", metavar="FILE", help="running-configs, or directories of them"
        )
        parser.add_argument(
            "--router", action="append", help="read this router of the inventory over SSH; may be repeated"
        )
        parser.add_argument("--all", action="store_true", help="read every router of the inventory over SSH")
        parser.add_argument(
            "--into", metavar="FILE", help="write a proposed network file for import_inventory"
        )
        parser.add_argument(
            "--scheme",
            default=settings.SCHEME,
            help="the scheme to recognise where no network is imported yet",
        )
        parser.add_argument(
            "--apply", action="store_true", help="write names and cases, then plan what was read over SSH"
        )
        parser.add_argument(
            "--forget",
            action="store_true",
            help="give up the adopted names of --router; the next plan renames",
        )
        parser.add_argument("--as", dest="user", help="user name of who adopts (with --apply)")
        parser.add_argument("--reason", default="", help="why; kept in the audit trail")
        parser.add_argument(
            "--seen", action="append", default=[], help="refuse a router that no longer shows what was seen"
        )
        parser.add_argument("--json", action="store_true", help="print what was found as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        live = bool(options["router"] or options["all"])
        if live == bool(options["files"]):
            raise CommandError(
                "name files, or routers with --router or --all: one of them", returncode=BAD_INPUT
            )
        if options["apply"] and (not options["user"] or options["into"]):
            raise CommandError("--apply needs --as USER, and goes without --into", returncode=BAD_INPUT)
        if options["forget"]:
            self._forget(options)
            return
        looks, unread, refused = self._looks(options, live=live)
        if refused and not looks:
            raise InvalidFields(refused)
        for text in [*unread, *(f"{error}; it is left out" for error in refused)]:
            self.stderr.write(printable(text))
        if unread and not looks:
            raise SystemExit(1)
        found, others, proposal = self._recognise(looks, options)
        self._print(found, options)
        if proposal is not None:
            self._propose(proposal, options["into"])
        proven = not unread and not others and all(each.adoption.proven for each in found)
        if options["apply"]:
            proven = self._apply(found, options, live=live) and proven
        if refused:
            raise SystemExit(BAD_INPUT)
        if not proven:
            raise SystemExit(1)

    def status_of(self, error: ExpediteError) -> int:
        """2 for what was asked wrongly, 1 for what is not so."""
        return BAD_INPUT if error.status == 400 else 1

    def _forget(self, options: dict[str, Any]) -> None:
        if not options["router"] or not options["user"]:
            raise CommandError("--forget needs --router R and --as USER", returncode=BAD_INPUT)
        names = adopting.forget(
            actor=acting.as_named(options["user"]),
            routers=options["router"],
            reason=options["reason"],
        )
        self.stdout.write(
            f"names given up: {', '.join(names) or 'none were adopted'}; plan to see the renaming"
        )

    def _looks(
        self, options: dict[str, Any], *, live: bool
    ) -> tuple[list[Look], list[str], list[InvalidInput]]:
        """What was read; the routers that were not, each with its reason; the files that are no configuration."""
        if not live:
            unreadable: list[InvalidInput] = []
            looks, refused = adopting.looks_from_texts(_texts(options["files"], unreadable))
            return looks, [], [*unreadable, *refused]
        looks, unread = adopting.looks_from_routers(options["router"])
        return looks, [f"{each.router}: not read: {each.reason}" for each in unread], []

    def _recognise(
        self, looks: list[Look], options: dict[str, Any]
    ) -> tuple[list[Recognised], list[str], Proposal | None]:
        """What the routers mean under the inventory, else under the network proposed from them; and the routers that
        nothing can be said of, each with its reason.
        """
        known = set(Router.objects.values_list("name", flat=True))
        strangers = [look.router for look in looks if look.router not in known]
        if options["into"] or (strangers and not options["apply"] and len(strangers) == len(looks)):
            proposal = adopting.propose_network(looks, scheme=options["scheme"])
            named = {each.adoption.router for each in proposal.recognised}
            return (
                list(proposal.recognised),
                [each.router for each in looks if each.router not in named],
                proposal,
            )
        found, others = adopting.recognise(looks)
        for text in others:
            self.stderr.write(printable(text))
        if not found:
            raise CommandError("no router of the inventory was read", returncode=BAD_INPUT)
        return found, others, None

    def _print(self, found: list[Recognised], options: dict[str, Any]) -> None:
        if options["json"]:
            self.stdout.write(json.dumps(adoption_as_text.as_json(found), indent=2))
        else:
            self.stdout.write(adoption_as_text.as_text(found))

    def _propose(self, proposal: Proposal, into: str | None) -> None:
        for text in proposal.network.unknown:
            self.stderr.write(printable(f"unknown: {text}"))
        if into is None:
            self.stderr.write(
                "not in the inventory: judged under the network these configurations show (--into writes it)"
            )
            return
        path = Path(into)
        try:
            with path.open(
                "x", encoding="utf-8"
            ) as stream:  # never over a file, nor through a link to nowhere
                stream.write(proposal.text)
        except FileExistsError as error:
            raise CommandError(f"{path} is there already: name a new file", returncode=BAD_INPUT) from error
        except (OSError, ValueError) as error:
            raise CommandError(
                f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}",
                returncode=BAD_INPUT,
            ) from error
        self.stderr.write(printable(f"{path}: check it, fill it in, then import_inventory {path} --dry-run"))

    def _apply(self, found: list[Recognised], options: dict[str, Any], *, live: bool) -> bool:
        actor = acting.as_named(options["user"])
        names = adopting.apply(actor=actor, recognised=found, reason=options["reason"], seen=options["seen"])
        self.stderr.write(f"adopted: {', '.join(names)}")
        if not live:
            self.stderr.write(
                "a file is not a router: plan these to see them in order and own what was adopted"
            )
            return True
        change = planning.plan_domain(
            actor=actor, kind=ChangeKind.BASELINE, routers=names, title=f"Adoption of {', '.join(names)}",
            reason=options["reason"],
        )  # fmt: skip
        self.stderr.write(changes_as_text.plan(change))
        return not changes_as_text.not_approvable(change)


def _texts(names: list[str], refused: list[InvalidInput]) -> Iterator[tuple[str, str]]:
    """Yield (file, text) of every file named and every plain file in the directories named, in the order of their
    names, one at a time; a refusal for each that cannot be read goes to `refused`.
    """
    for name in names:
        for file in _files(name):
            try:
                yield file, read_captured(file)
            except InvalidInput as error:
                refused.append(error)


def _files(name: str) -> list[str]:
    path = Path(name)
    try:
        files = sorted(each for each in path.iterdir() if _is_config(each)) if path.is_dir() else [name]
    except OSError as error:
        raise InvalidInput(error.strerror or str(error), field=name) from error
    if not files:
        raise InvalidInput("no files in it", field=name)
    return list(map(str, files))


def _is_config(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".")
