"""What somebody who was woken reads: how pushes ended and what to type, and why nothing answers."""

from __future__ import annotations

import json
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from expedite_client import Client, InvalidInput, Unreachable
from expedite_client.cli import given, profile, text
from tests.client.broken import Stand, serving
from tests.client.conftest import Terminal

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
SECRET = "exp_47c38b4e04fb_nobodyshallread"
STEP = {
    "verb": "retry",
    "also": ["repair", "dealt-with"],
    "means": "Somebody changed the router after the plan was made, so nothing of it was sent.",
    "do": "Look at what changed on the page of the router and talk to whoever did it, then plan again.",
    "meanwhile": "What a request asked for is planned again by itself, each time later.",
}
PUSH: dict[str, Any] = {
    "id": 6, "change": 4, "router": "gr6", "phase": "edges", "position": 1, "state": "STALE", "fingerprint": "",
    "plan_digest": "", "line": 0, "lines": 19, "answered": 0, "error": "the running-config is another one", "error_code": "moved",
    "saved": None, "started_at": None, "finished_at": "2026-11-27T02:58:00Z", "next_step": STEP, "plan": None,
}  # fmt: skip
CHANGE: dict[str, Any] = {
    "id": 4, "reference": "CHG-4", "kind": "requests", "state": "STALE", "pushes": [6, 7], "planning": None,
    "next_step": None, "title": "", "requests": [], "takes_off": [], "modifies": [], "approvals": [],
    "still_needed": [], "held": "", "released_at": None, "finished_at": None,
}  # fmt: skip
RETRY = "expedite noc next-step 6 retry --reason WHY"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


def telling(home: Path, *answers: Any) -> tuple[Terminal, Any, Stand]:
    """A terminal whose server answers these, one after the other."""
    stand = Stand([
        each if isinstance(each, tuple) else (200, json.dumps(each).encode(), JSON) for each in answers
    ])  # fmt: skip
    serves = serving(stand.carry)
    return Terminal(serves.__enter__(), SECRET, home), serves, stand


def said(home: Path, *words: object, answers: tuple[Any, ...], code: int = 0) -> tuple[str, str]:
    """What a command says of these answers, on standard output and beside it."""
    who, serves, _stand = telling(home, *answers)
    try:
        done = who(*words, code=code)
    finally:
        serves.__exit__(None, None, None)
    return done.out, done.err


def test_a_push_says_what_happened_and_what_to_type(home: Path) -> None:
    out, _err = said(home, "noc", "push-show", 6, answers=(PUSH,))
    read = " ".join(out.split())
    for part in (STEP["means"], STEP["do"], STEP["meanwhile"], PUSH["error"], "CHG-4", "gr6", "(moved)"):
        assert part in read, part
    assert f"  {RETRY}\n" in out and "  expedite noc next-step 6 dealt-with --reason WHY\n" in out
    assert max(map(len, out.splitlines())) <= 78


def test_what_is_typed_is_what_the_step_needs(home: Path) -> None:
    step = {**STEP, "verb": "save", "also": ["look"]}
    out, _err = said(home, "noc", "push-show", 6, answers=({**PUSH, "next_step": step},))
    assert "expedite noc unsaved gr6" in out
    assert "expedite noc next-step 6 save --reason WHY --seen DIGEST" in out
    assert "expedite noc next-step 6 look\n" in out
    out, _err = said(home, "noc", "push-show", 6, answers=({**PUSH, "state": "PUSHING", "next_step": None},))
    assert "next-step" not in out and "line 0 of 19" in out


def test_a_change_names_each_push_that_ended_otherwise(home: Path) -> None:
    done = {**PUSH, "id": 7, "state": "VERIFIED", "next_step": {**STEP, "verb": None, "also": []}}
    out, _err = said(home, "noc", "change", 4, answers=(CHANGE, PUSH, done))
    assert PUSH["error"] in " ".join(out.split()) and RETRY in out and "next-step 7" not in out
    # One document is the change as the API answers it: nothing else is asked.
    out, _err = said(home, "noc", "change", 4, "--json", answers=(CHANGE, (500, b"", {})))
    assert json.loads(out) == CHANGE


def test_pushes_fit_a_terminal(home: Path) -> None:
    rows = [
        {**PUSH, "error": "'police 2000000 15000 15000' was refused: " + "% Invalid input detected " * 9},
        {**PUSH, "id": 5, "state": "ROLLED_BACK", "line": 0, "answered": 16},
    ]
    out, _err = said(home, "noc", "pushes", answers=({"results": rows, "next": None},))
    assert max(map(len, out.splitlines())) < 100
    assert out.splitlines()[0].split("  ")[-1] == "ERROR"
    assert "16/19" in out.splitlines()[-1], "how far it came, and not what is left of it"
    assert text.table(("A", "B"), [("x", "one two three four five")], width=24) == (
        "A  B\nx  one two three four\n   five"
    )


@pytest.mark.parametrize("word", ["CHG-1", "x", "0"])
def test_a_push_is_named_by_its_number(home: Path, word: str) -> None:
    err = " ".join(Terminal("", "", home)("noc", "next-step", word, "retry", code=2).err.split())
    assert "PUSH is a number" in err and "see `expedite noc pushes`" in err


def test_a_verb_that_is_none_is_refused_with_those_there_are(home: Path) -> None:
    err = " ".join(Terminal("", "", home)("noc", "next-step", 1, "rety", code=2).err.split())
    assert "retry, finish, undo, repair, save, look or dealt-with" in err


def test_a_change_is_named_once(home: Path) -> None:
    words = ("noc", "next-step", 6, "retry", "--reason", "r")
    taken = {"verb": "retry", "said": "CHG-5 is being planned for gr6.", "change": 5}
    assert said(home, *words, answers=(taken,))[0] == "CHG-5 is being planned for gr6.\n"
    taken = {**taken, "said": "It is planned."}
    assert said(home, *words, answers=(taken,))[0] == "It is planned. (CHG-5)\n"


def test_each_try_is_said(home: Path) -> None:
    busy = (503, b"", {"Retry-After": "1"})
    _out, err = said(
        home,
        "noc",
        "stopped",
        "--json",
        answers=(busy, {"stopped": False, "by": "", "since": None, "reason": ""}),
    )
    assert err.count("asked again in 1 s") == 1 and "503" in err


def test_who_refuses_and_who_is_silent_is_said_in_a_few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        at = f"127.0.0.1:{server.getsockname()[1]}"
        told: list[float] = []
        client = Client(
            f"http://{at}", SECRET, read_seconds=0.2, tries=2, sleep=lambda _seconds: None,
            lost=lambda _error, pause: told.append(pause),
        )  # fmt: skip
        with pytest.raises(Unreachable, match=rf"^{at} does not answer within 0.2 s \(2 tries\)$"):
            client.me()
        assert len(told) == 1
    with pytest.raises(Unreachable, match=rf"^{at} refuses the connection \(2 tries\)$"):
        client.me()

    def unknown(*_asked: object, **_more: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(Unreachable, match=r"^localhost:1 has a name that cannot be found$"):
        Client("http://localhost:1", SECRET, tries=1).me()


def test_a_token_that_is_not_valid_is_named_without_its_secret(home: Path) -> None:
    problem = {"status": 401, "code": "not-authenticated", "detail": "The token is not valid."}
    refused = (401, json.dumps(problem).encode(), PROBLEM)
    who, serves, _stand = telling(home, refused)
    try:
        told = [who("whoami", code=3).err]
        url, who.url, who.token = who.url, "", ""
        who("profile", "add", "home", "--url", url, stdin=SECRET)
        told.append(who("whoami", code=3).err)
    finally:
        serves.__exit__(None, None, None)
    for err, where in zip(told, ("EXPEDITE_URL", "profile 'home'"), strict=True):
        for part in (where, url, "exp_47c38b4e04fb", "expedite token list", "manage.py token --list"):
            assert part in err, (part, err)
        assert "nobodyshallread" not in err


def test_whoami_names_server_and_token_and_fits(home: Path) -> None:
    token = {
        "id": 3, "prefix": "47c38b4e04fb", "name": "t", "state": "live", "scopes": ["read"], "allowed_networks": [],
        "expires_at": None,
    }  # fmt: skip
    verbs = [f"do-something-{at}" for at in range(20)]
    me = {"user": "nora", "roles": ["noc"], "nrens": [], "verbs": verbs, "token": token}
    who, serves, _stand = telling(home, me)
    try:
        out = who("whoami").out
        url, who.url, who.token = who.url, "", ""
        who("profile", "add", "home", "--url", url, stdin=SECRET)
        assert "profile 'home'" in who("whoami").out
        # Before the command, too; behind it is the last word.
        assert "profile 'home'" in who("--profile", "home", "whoami").out
        assert json.loads(who("--json", "whoami").out) == me
        assert "no profile 'hom'" in who("--profile", "home", "whoami", "--profile", "hom", code=2).err
        who.more = {"EXPEDITE_PROFILE": "hom"}
        err = who("whoami", code=2).err
        assert "no profile 'hom'" in err and "EXPEDITE_PROFILE" in err and "home" in err.replace("'hom'", "")
    finally:
        serves.__exit__(None, None, None)
    assert url in out and "EXPEDITE_URL" in out and "3, exp_47c38b4e04fb (t)" in out
    assert max(map(len, out.splitlines())) <= 78 and verbs[-1] in out
    may = next(at for at, line in enumerate(out.splitlines()) if line.startswith("may"))
    assert out.splitlines()[may + 1].startswith(" " * 8)


def test_a_token_is_named_by_its_public_prefix_too(home: Path) -> None:
    rows = {"results": [{"id": 3, "prefix": "47c38b4e04fb"}], "next": None}
    ended = {"id": 3, "name": "t", "state": "revoked"}
    words = ("token", "revoke", "exp_47c38b4e04fb", "--reason", "r")
    who, serves, stand = telling(home, rows, ended)
    try:
        assert "token 3" in who(*words).out
        assert stand.asked[-1][1].endswith("/tokens/3/revoke/")
    finally:
        serves.__exit__(None, None, None)
    assert "exp_47c38b4e04fb" in said(home, *words, answers=({"results": [], "next": None},), code=4)[1]
    told = Terminal("", "", home)("token", "revoke", SECRET, "--reason", "r", code=2).err
    assert "exp_47c38b4e04fb" in told and "nobodyshallread" not in told


def test_an_end_is_taken_as_manage_py_takes_it() -> None:
    before = datetime.now(UTC)
    assert timedelta() <= given.expiry("90d") - before - timedelta(days=90) < timedelta(minutes=1)
    assert timedelta() <= given.expiry("12h") - before - timedelta(hours=12) < timedelta(minutes=1)
    assert given.expiry("2026-11-28") == datetime(2026, 11, 28, tzinfo=UTC)
    assert given.expiry("2026-11-28T12:00Z") == datetime(2026, 11, 28, 12, tzinfo=UTC)


@pytest.mark.parametrize("word", ["90", "0d", "100000d", "2026-13-01", "tomorrow", "2026-11-28T12:00"])
def test_an_end_that_is_none(home: Path, word: str) -> None:
    err = Terminal("", "", home)("token", "issue", "n", "--expires", word, code=2).err
    assert "90d" in " ".join(err.split()) or "offset" in err


def test_a_reason_is_asked_for_in_words_of_the_command(home: Path) -> None:
    nobody = Terminal("", "", home)
    for words in (("noc", "plan"), ("noc", "approve"), ("noc", "next-step"), ("noc", "acknowledge")):
        assert "needed to decline" not in " ".join(nobody(*words, "--help").out.split()), words
    assert "needed to decline" in " ".join(nobody("consent", "--help").out.split())
    assert "all but look" in " ".join(nobody("noc", "next-step", "--help").out.split())


@pytest.mark.parametrize(
    "words",
    [("noc", "verify", "gr7"), ("usage", "NOPE"), ("link", "failure", "nope"), ("noc", "unsaved", "x")],
)
def test_4_for_a_name_that_nothing_has(home: Path, words: tuple[str, ...]) -> None:
    nothing = {"results": [], "next": None}
    assert repr(words[-1]) in said(home, *words, answers=(nothing,), code=4)[1]
    out, _err = said(home, *words, "--json", answers=(nothing,), code=4)
    assert (json.loads(out)["code"], json.loads(out)["status"]) == ("not-found", None)
    with pytest.raises(InvalidInput):  # what it was before is caught as before
        who, serves, _stand = telling(home, nothing)
        try:
            Client(who.url, SECRET).routers.named("gr7")
        finally:
            serves.__exit__(None, None, None)


def test_a_token_that_nobody_types_is_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(_prompt: str) -> str:
        raise EOFError  # as getpass does for Ctrl-D

    monkeypatch.setattr(profile, "_at_a_terminal", lambda: True)
    monkeypatch.setattr(profile.getpass, "getpass", ended)
    err = Terminal("", "", home)("profile", "add", "a", "--url", "https://e.example", code=2).err
    assert "no token was typed" in err and "Aborted" not in err
    assert not (home / "config" / "expedite").exists()


def test_how_a_router_stands_is_said_in_lines(home: Path) -> None:
    edge = {"router": "gr6", "interface": "POS1/0", "reason": "no policy"}
    row = {
        "router": "gr6", "state": "differs", "checked_at": None, "core_live": False, "unsaved": None,
        "detail": {
            "items": [{"object": "policy-map EDGE", "expected": "class A\n police 2", "found": ""}],
            "equal_today": [{"text": "a is b"}], "at_risk": ["PIP-1 rests on a static route"],
        },
        "open_edges": [edge],
    }  # fmt: skip
    out, _err = said(
        home, "noc", "standing", "gr6", answers=({"results": [{"id": 1}], "next": None}, row), code=1
    )
    assert out.splitlines()[0] == "gr6  differs"
    for line in (
        "  policy-map EDGE", "    wanted  class A", "    wanted   police 2", "    found   nothing",
        "  equal today  a is b", "  at risk      PIP-1 rests on a static route", "  open edge    POS1/0: no policy",
    ):  # fmt: skip
        assert line in out.splitlines(), (line, out)
    unread = {**row, "state": "unknown", "detail": {"reason": "it does not answer"}, "open_edges": []}
    answers = ({"results": [{"id": 1}], "next": None}, unread)
    out, _err = said(home, "noc", "standing", "gr6", answers=answers, code=1)
    assert "it does not answer" in out and "{" not in out


def test_long_values_hang() -> None:
    assert text.hanging([("a", "one two three"), ("bc", ["x y z w v u t"]), ("d", "")], width=12) == (
        "a   one two\n    three\nbc  x y z w v u t"
    )
