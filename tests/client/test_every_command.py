"""Every command with --json: one document that parses, in the course of what can happen to requests."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import typer.main
from django.utils import timezone

from expedite_client.cli.exits import Exit
from expedite_client.cli.main import built
from provisioning import drivers
from provisioning.errors import Unreachable
from provisioning.models import IdempotencyKey
from tests.client.conftest import ASKED, ROOT, Terminal
from tests.pipeline.topology.test_evidence import TRACE

WEEKLY = ("--rrule", "FREQ=WEEKLY;COUNT=3", "--time-zone", "Europe/Athens")


def commands(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*before, name))
        else:
            yield (*before, name)


def named(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from named(command, (*before, name))
        else:
            yield (*before, name), command


class Course:
    """Runs commands with --json, and notes which."""

    def __init__(self) -> None:
        self.ran: set[tuple[str, ...]] = set()
        self.every = set(commands(typer.main.get_command(built())))
        self.deeds = {
            name
            for name, command in named(typer.main.get_command(built()))
            if any("--key" in each.opts for each in command.params)
        }
        self.keys = itertools.count()

    def __call__(self, who: Terminal, *words: object, code: int = 0, stdin: str = "") -> Any:
        said = [str(each) for each in words]
        (name,) = {tuple(said[:1]), tuple(said[:2])} & self.every
        self.ran.add(name)
        key = f"key-{next(self.keys)}"
        more = (
            ["--key", key] if name in self.deeds and "--key" not in said and "--what-if" not in said else []
        )
        done = who(*said, *more, "--json", code=code, stdin=stdin)
        found = done.json
        if more and not code:
            # What is done is done once: the server has kept the answer under that key.
            assert IdempotencyKey.objects.get(key=key).status is not None, name
        if code:
            assert done.err or code == 1
        # Without it the same is said to people; what only looks is looked at twice.
        return found


def ask(run: Course, who: Terminal, *more: object) -> int:
    start = timezone.now() + timedelta(days=1)
    window = ("--start", start.isoformat(), "--end", (start + timedelta(hours=2)).isoformat())
    made = run(who, "submit", *ASKED, *window, "--contact", "noc@example.org", *more)
    return int(made["id"])


def no_way(*_target: object, **_more: object) -> None:
    raise Unreachable("no route to host")


def test_every_command(terminals: dict[str, Terminal], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drivers, "connect", no_way)  # 6NET has no routers here
    run, janet, grnet, noc = Course(), terminals["JANET"], terminals["GRNET"], terminals["noc"]
    what_an_nren_does(run, janet, grnet, noc)
    a_series(run, janet, grnet, noc)
    what_the_noc_does(run, janet, grnet, noc)
    what_becomes_of_links(run, noc)
    who_is_told_and_who_may_what(run, noc)
    tokens_and_profiles(run, janet)
    assert run.every - run.ran == set()


def what_an_nren_does(run: Course, janet: Terminal, grnet: Terminal, noc: Terminal) -> None:
    assert run(janet, "what-if", *ASKED)["verdict"] == "admitted"
    first = ask(run, janet)
    assert run(janet, "show", f"PIP-{first}")["id"] == first
    assert [
        row["id"] for row in run(janet, "list", "--state", "SUBMITTED", "--link", "GRNET@gr6:POS2/0")
    ] == [first]
    assert run(janet, "list", "--active-at", timezone.now().isoformat()) == []
    assert run(janet, "flow-label", first)["flow_label"]
    assert run(janet, "take-offer", first, "lower-rate", code=1)["code"] == "stale"
    assert run(grnet, "consent", first)["consent"] == "given"
    until = (timezone.now() + timedelta(hours=1)).isoformat()
    assert run(noc, "noc", "hold", first, "--until", until, "--reason", "r")["state"] == "HELD"
    assert run(noc, "noc", "unhold", first, "--reason", "r")["state"] == "SUBMITTED"
    assert run(noc, "noc", "admit", first, "--reason", "r")["state"] == "ADMITTED"
    assert run(janet, "recheck", first, code=1)["status"] == "cannot-be-said"  # nothing is signed here
    assert run(janet, "range", first)["most_bps"] > 2_000_000
    assert run(janet, "pack", first, "--for", "ios")["for"] == "ios"
    assert run(janet, "usage", "JANET")["used"]["rate_bps"] == 2_000_000
    assert len(run(janet, "links", "--nren", "GRNET")) == 1

    why = ("--reason", "a larger hall")
    assert run(janet, "modify", first, "--rate", "3M", *why, "--what-if")["consent"] == "pending"
    (proposed,) = run(janet, "modify", first, "--rate", "3M", *why)["modifications"]
    assert run(grnet, "modification-consent", first)["modifications"][0]["consent"] == "given"
    assert run(noc, "noc", "modification", proposed["reference"])["request"] == first
    assert run(noc, "noc", "modification-admit", proposed["id"], "--reason", "r")["state"] == "IN_FORCE"
    later = (timezone.now() + timedelta(days=2)).isoformat()
    (longer, _) = run(janet, "extend", first, "--end", later, *why)["modifications"]
    assert run(noc, "noc", "modification-refuse", longer["id"], "--reason", "r")["state"] == "REFUSED"
    run(janet, "extend", first, "--end", "further-notice", *why)
    taken = run(janet, "modification-withdraw", first, "--reason", "r")
    assert taken["modifications"][0]["state"] == "WITHDRAWN"
    run(janet, "end-early", first, *why, code=2)
    assert run(janet, "withdraw", first, "--reason", "r")["state"] == "WITHDRAWN"

    second = ask(run, janet)
    assert run(noc, "noc", "refuse", second, "--reason", "r")["state"] == "REFUSED"
    run(janet, "events")
    line = janet("watch", second, "--json", code=1).out
    assert json.loads(line)["state"] == "REFUSED"
    run.ran.add(("watch",))


def a_series(run: Course, janet: Terminal, grnet: Terminal, noc: Terminal) -> None:
    start = timezone.now() + timedelta(days=1)
    window = ("--start", start.isoformat(), "--end", (start + timedelta(hours=2)).isoformat())
    assert run(janet, "what-if", *ASKED, *window, *WEEKLY)["fits"] is True
    pair = [ask(run, janet, *WEEKLY) for _ in range(2)]
    assert len(run(janet, "series", "list")) == 2
    assert len(run(janet, "series", "show", f"SER-{pair[0]}")["items"]) == 3
    run(janet, "series", "take-offer", pair[0], code=1)
    assert run(grnet, "series", "consent", pair[0])["states"] == {"SUBMITTED": 3}
    until = (timezone.now() + timedelta(hours=1)).isoformat()
    run(noc, "noc", "series-hold", pair[0], "--until", until, "--reason", "r")
    run(noc, "noc", "series-unhold", pair[0], "--reason", "r")
    assert run(noc, "noc", "series-admit", pair[0], "--reason", "r")["states"] == {"ADMITTED": 3}
    end = (start + timedelta(days=10)).isoformat()
    assert (
        run(janet, "series", "end-early", pair[0], "--end", end, "--reason", "r")["states"]["ADMITTED"] == 2
    )
    assert run(janet, "series", "withdraw", pair[0], "--reason", "r")["states"] == {"WITHDRAWN": 3}
    assert run(noc, "noc", "series-refuse", pair[1], "--reason", "r")["states"] == {"REFUSED": 3}


def what_the_noc_does(run: Course, janet: Terminal, grnet: Terminal, noc: Terminal) -> None:
    change = run(noc, "noc", "plan", "--router", "uk6", "--title", "t", "--reason", "r")["id"]
    assert [row["id"] for row in run(noc, "noc", "changes")] == [change]
    assert run(noc, "noc", "change", f"CHG-{change}")["planning"]["routers"] == 1
    seen = run(noc, "noc", "approval", change)["fingerprint"]
    run(noc, "noc", "approve", change, "--seen", seen, code=1)  # it is still being planned
    for deed in ("push", "pause", "resume", "undo"):
        why = () if deed == "push" else ("--reason", "r")
        run(noc, "noc", deed, change, *why, code=1)
    run(noc, "noc", "abort", change, "--reason", "r", code=1)  # it is still being planned

    request = ask(run, janet)
    run(grnet, "consent", request)
    run(noc, "noc", "admit", request, "--reason", "r")
    lines = run(noc, "noc", "lines", request)
    run(noc, "noc", "approve-lines", request, "--seen", lines["fingerprint"])
    assert run(noc, "noc", "revoke-lines", request, "--reason", "r")["approved"] == []
    run(noc, "noc", "plan-again", request, "--reason", "r", code=1)

    assert "uk6" in [row["name"] for row in run(noc, "noc", "routers")]
    run(noc, "noc", "standing", "uk6", code=4)
    assert run(noc, "noc", "verify", "uk6", code=1)["state"] == "unknown"
    assert run(noc, "noc", "standing", "uk6", code=1)["state"] == "unknown"
    assert run(noc, "noc", "pushes") == []
    run(noc, "noc", "push-show", 999, code=4)
    run(noc, "noc", "next-step", 999, "look", code=4)
    run(noc, "noc", "try-now", 999, code=4)
    assert run(noc, "noc", "stop", "--reason", "r")["stopped"] is True
    assert run(noc, "noc", "stopped")["stopped"] is True
    assert run(noc, "noc", "go-on", "--reason", "r")["stopped"] is False


def what_becomes_of_links(run: Course, noc: Terminal) -> None:
    name = run(noc, "link", "list")[0]["name"]
    assert run(noc, "link", "failure", name)["failure"] == {"kind": "link", "name": name}
    assert run(noc, "link", "failures")["failures"] == []
    assert run(noc, "link", "work", name)["links"] == [name]
    assert run(noc, "link", "declare", name, "down", "--what-if")["changed"]
    run(noc, "link", "declare", name, "down", code=2)  # without a reason
    assert run(noc, "link", "declare", name, "down", "--reason", "r")["changed"]
    made = run(noc, "capacity", "link", "JANET@uk6:POS1/0", "100M", "--reason", "r")
    assert made["usable_bps"] == 100_000_000
    assert run(noc, "capacity", "link", "JANET@uk6:POS1/0", "1M", "--what-if", code=1)["breaks"]
    assert run(noc, "capacity", "pool", "ip-premium", "core", "5", "--reason", "r")["percent"] == "5.000"
    assert len(run(noc, "capacity", "list", "--link", "JANET@uk6:POS1/0")) == 1
    assert run(noc, "capacity", "take-back", made["id"], "--reason", "r")["taken_back_at"]
    # What was taken back does not stand, and is seen by whoever asks for it.
    assert run(noc, "capacity", "list", "--link", "JANET@uk6:POS1/0") == []
    (row,) = run(noc, "capacity", "list", "--link", "JANET@uk6:POS1/0", "--taken-back")
    assert row["id"] == made["id"] and row["taken_back_at"]
    assert len(run(noc, "capacity", "list", "--taken-back")) == 2
    assert run(noc, "path", "drift") == []
    assert run(noc, "path", "compare", "-", "--router", "uk6", stdin=TRACE)["compared"] == 0
    assert run(noc, "path", "moves") == []
    stays = run(noc, "list", "--limit", "1")[0]["id"]
    assert run(noc, "path", "moved", stays, "--reason", "r", code=1)["not_moving"] == [stays]
    run(noc, "path", "moved", "PIP-999", "--reason", "r", code=2)


def who_is_told_and_who_may_what(run: Course, noc: Terminal) -> None:
    made = run(noc, "subscriber", "mail", "noc@example.org", "--topic", "open-edge")
    hook = run(noc, "subscriber", "webhook", stdin="https://hooks.example.org/x\na-secret-of-ours\n")
    assert len(run(noc, "subscriber", "list")) == 2
    assert run(noc, "subscriber", "change", made["id"])["topics"] == []
    assert run(noc, "subscriber", "test", made["id"])["message"]
    assert [row["topics"] for row in run(noc, "subscriber", "messages", made["id"])] == [["test"]]
    assert run(noc, "subscriber", "messages", made["id"], "--state", "sent") == []
    since = ("--since", "2026-01-01T00:00:00Z")
    assert run(noc, "subscriber", "replay", made["id"], *since) == {"messages": 0, "waiting": 1}
    run(noc, "subscriber", "replay", made["id"], *since, "--until", "2025-01-01T00:00:00Z", code=2)
    assert run(noc, "subscriber", "end", hook["id"])["id"] == hook["id"]
    assert run(noc, "noc", "break-glass", "--standing") == []
    run(noc, "noc", "acknowledge", 999, code=4)
    assert run(noc, "noc", "quota", "JANET", "--holds", "3", "--reason", "r")["own"]["holds"] == 3
    assert (
        run(noc, "noc", "quota", "JANET", "--rate", "9M", "--holds", "none", "--reason", "r")["own"]["holds"]
        is None
    )
    assert run(noc, "noc", "quota", "--open-requests", "50", "--reason", "r")["open_requests"] == 50
    run(noc, "noc", "quota", "JANET", "--reason", "r", code=2)
    (change,) = run(noc, "noc", "changes", "--limit", "1")
    assert run(noc, "noc", "proof", change["id"]) == []
    run(noc, "noc", "rehearse", change["id"], code=1)
    run(noc, "noc", "rehearsal", change["id"], code=4)
    course = run(noc, "noc", "rollout", change["id"], "--at-once", "2", "--ticket", "T-1", "--reason", "r")
    assert (course["rollout"]["at_once"], course["rollout"]["ticket"]) == (2, "T-1")
    free = run(noc, "noc", "rollout", change["id"], "--at-once", "none", "--reason", "r")["rollout"]
    assert (free["at_once"], free["ticket"]) == (None, "T-1")
    assert run(noc, "noc", "capabilities", "uk6") == []
    run(noc, "noc", "probe", "uk6", code=1)
    run(noc, "noc", "chassis", "uk6", "--serial", "S1", "--reason", "r", code=1)
    digest = run(noc, "noc", "unsaved", "uk6")["digest"]
    run(noc, "noc", "save", "uk6", "--seen", digest, "--reason", "r", code=1)


def tokens_and_profiles(run: Course, janet: Terminal) -> None:
    assert run(janet, "whoami")["user"] == "janet"
    made = run(janet, "token", "issue", "script", "--scope", "read")
    assert made["text"].startswith("exp_")
    (own,) = [row for row in run(janet, "token", "list", "--live") if row["name"] == "t"]
    assert run(janet, "token", "revoke", made["id"], "--reason", "r")["state"] == "revoked"
    assert run(janet, "token", "rotate", own["id"], "--reason", "r")["text"].startswith("exp_")
    run(janet, "profile", "add", "one", "--url", "https://expedite.example", stdin="exp_a_b\n")
    run(janet, "profile", "use", "one")
    assert [row["profile"] for row in run(janet, "profile", "list")] == ["one"]
    run(janet, "profile", "remove", "one")


def test_options_are_written_as_options_are() -> None:
    """typer takes the metavar for the name where the two are the same word."""
    found = [
        option
        for group in (typer.main.get_command(built()),)
        for _name, command in every(group)
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if parameter.param_type_name == "option" and option != option.lower()
    ]
    assert found == []


def every(group: Any) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from every(command)
        else:
            yield name, command


def test_every_command_and_status_is_described() -> None:
    page = (ROOT / "docs" / "reference" / "client.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[a-z]+(?:-[a-z]+)*", page))
    missing = [name for name in commands(typer.main.get_command(built())) if not set(name) <= words]
    assert missing == []
    rows = [int(found) for found in re.findall(r"^\| ([0-9]+) \|", page, re.MULTILINE)]
    assert rows == [each.value for each in Exit]
