"""Exit statuses, profiles, what a terminal is shown, and what is refused before anything is sent."""

from __future__ import annotations

import json
import os
import pty
import signal
import stat
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from expedite_client import VERSION, Client
from expedite_client.cli.text import as_it_is, instant, one_line, plain, rate, table
from provisioning.models import ApiToken, PremiumRequest
from provisioning.services import audit
from tests.client.broken import Stand, serving
from tests.client.conftest import ASKED, SOURCES, Terminal

JSON = {"Content-Type": "application/json"}
HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x1b[0m\u202eevil\u2069\x9b2J\r\nnext"
SUBMIT = ("submit", *ASKED, "--contact", "noc@example.org")


@pytest.fixture
def nobody(tmp_path: Path) -> Terminal:
    """Somebody without a server."""
    return Terminal("", "", tmp_path)


def test_0_done_and_1_does_not_fit(janet: Terminal, terminals: dict[str, Terminal]) -> None:
    assert "It fits" in janet("what-if", *ASKED).out
    told = janet("what-if", *ASKED[:5], "9G", *ASKED[6:], code=1)
    assert "It does not fit:" in told.out and "lower-rate" in told.out and told.err == ""
    made = janet(*SUBMIT[:6], "9G", *SUBMIT[7:], "--json").json
    assert made["evidence"]["verdict"] == "refused"
    refused = terminals["noc"]("noc", "admit", made["reference"], "--reason", "r", "--json", code=1)
    assert refused.json["code"] == "conflict" and refused.err.startswith("error: ")  # GRNET was not asked yet
    taken = janet("take-offer", made["id"], "lower-rate", "--json").json
    assert taken["evidence"]["verdict"] == "admitted"


def test_2_names_the_field_and_the_reason(janet: Terminal) -> None:
    told = janet(
        *SUBMIT[:6], "1.5k", *SUBMIT[7:], "--start", "2031-03-01T10:00Z", "--end", "2031-03-01T09:00Z", code=2
    )
    assert told.out == "" and "error: " in told.err
    off = janet("submit", *ASKED[:5], "1050", *ASKED[6:], "--contact", "a@b.example", "--json", code=2)
    assert off.json["code"] == "rate-off-grid" and "rate_bps" in off.err
    assert PremiumRequest.objects.count() == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("what-if", *ASKED[:5], "fast", *ASKED[6:]), "write 2M, 2.5M or 2000000"),
        (("what-if", *ASKED, "--start", "2027-03-01T10:00:00"), "its offset from UTC"),
        (("what-if", *ASKED, "--start", "tomorrow"), "its offset from UTC"),
        (("show", "CHG-3"), "write 12 or PIP-12"),
        (("what-if", *ASKED, "--time-zone", "Europe/Athens"), "--rrule"),
        (("modify", "1", "--reason", "r"), "say what is to change"),
        (("watch", "1", "--until", "later"), "active or completed"),
        (("noc", "approve", "3"), "name the fingerprint that `expedite noc approval 3` shows"),
        (("withdraw", "1"), "--reason"),
        (("nothing",), "nothing"),
    ],
)
def test_2_without_asking_the_server(nobody: Terminal, words: tuple[str, ...], said: str) -> None:
    told = nobody(*words, code=2)
    assert said in " ".join(told.err.split()) and told.out == ""


def test_3_not_permitted_and_not_signed_in(terminals: dict[str, Terminal], tmp_path: Path) -> None:
    told = terminals["JANET"]("noc", "routers", "--json", code=3)
    assert told.json["code"] == "not-permitted" and told.json["status"] == 403
    assert "not-permitted" in terminals["read-only"](*SUBMIT, code=3).err
    stranger = Terminal(terminals["JANET"].url, "exp_nobody_nothing", tmp_path)
    assert stranger("list", "--json", code=3).json["status"] == 401


def test_4_not_found(janet: Terminal, terminals: dict[str, Terminal]) -> None:
    made = janet(*SUBMIT, "--json").json["id"]
    assert janet("show", 999, "--json", code=4).json["code"] == "not-found"
    assert "not-found" in terminals["DFN"]("show", made, code=4).err  # what one may not see does not exist


def test_5_no_server_and_a_broken_one(nobody: Terminal) -> None:
    with serving(Stand([(500, b"<html>", {"Content-Type": "text/html"})]).carry) as url:
        broken = Terminal(url, "exp_a_b", nobody.home)
        assert broken("show", 1, "--json", code=5).json == {
            "status": 500, "code": "http-500", "detail": "the server answered 500",
        }  # fmt: skip
    told = broken("show", 1, "--json", code=5)
    assert told.json["code"] == "unreachable" and "refuses the connection" in told.err
    assert told.json["status"] is None


def test_130_interrupted(janet: Terminal) -> None:
    made = janet(*SUBMIT, "--json").json["id"]
    watching = janet.start("watch", made)
    assert watching.stdout is not None
    line = watching.stdout.readline()
    assert "AWAITING_CONSENT" in line and "GRNET" in line  # whose answer it waits for
    watching.send_signal(signal.SIGINT)
    _out, err = watching.communicate(timeout=60)
    assert (watching.returncode, err) == (130, "interrupted\n")


def test_watch_says_each_change_until_it_is_over(janet: Terminal, terminals: dict[str, Terminal]) -> None:
    made = janet(*SUBMIT, "--json").json["id"]
    watching = janet.start("watch", made, "--json", "--look", "1")
    assert watching.stdout is not None
    first = json.loads(watching.stdout.readline())
    assert first["state"] == "SUBMITTED" and first["waits_for"]
    terminals["GRNET"]("consent", made)
    second = json.loads(watching.stdout.readline())
    assert second["state"] == "SUBMITTED" and second["waits_for"] != first["waits_for"]
    janet("withdraw", made, "--reason", "r")
    out, err = watching.communicate(timeout=60)
    assert (json.loads(out)["state"], watching.returncode, err) == ("WITHDRAWN", 1, "")


def test_who_reads_no_further_is_no_error(janet: Terminal) -> None:
    janet(*SUBMIT)
    audit.seal_waiting()
    listing = janet.start("events", "--follow")
    assert listing.stdout is not None
    assert listing.stdout.readline()
    listing.stdout.close()
    janet(*SUBMIT)
    audit.seal_waiting()
    assert listing.wait(timeout=60) == 0


@pytest.mark.parametrize("as_json", [False, True])
def test_the_status_is_that_of_the_deed_whether_or_not_anybody_reads(janet: Terminal, as_json: bool) -> None:
    more = ["--json"] if as_json else []
    for words, code in ((("list",), 0), (("show", "999"), 4), (("modify", "1", "--reason", "r"), 2)):
        running = janet.start(*words, *more)
        for stream in (running.stdout, running.stderr):
            assert stream is not None
            stream.close()
        assert running.wait(timeout=60) == code, words


def test_a_profile_is_ones_own(janet: Terminal) -> None:
    text, janet.token = janet.token, ""
    url, janet.url = janet.url, ""
    added = janet("profile", "add", "work", "--url", url, stdin=f"{text}\n")
    file = janet.home / "config" / "expedite" / "profiles.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and text in file.read_text()
    assert text not in added.out + added.err + janet("profile", "list", "--json").out
    assert janet("list", "--json").json == []

    # The token of a profile goes to its own server: another URL needs another token.
    janet.url = "http://127.0.0.1:9"
    assert "needs EXPEDITE_TOKEN" in janet("list", code=2).err
    assert janet("list", "--profile", "work", "--json").json == []
    janet.url = ""
    janet.token = "exp_other_token"
    assert janet("list", code=3)
    janet.token = ""

    # A token that rotates itself is kept, and shown to nobody.
    (own,) = [row["id"] for row in janet("token", "list", "--live", "--json").json if row["name"] == "t"]
    told = janet("token", "rotate", own, "--reason", "monthly", "--save", "--json")
    assert told.json["text"] is None and text not in file.read_text()
    assert janet("token", "list", "--json").json[0]["replaces"] == own
    assert (
        ApiToken.objects.get(pk=own).expires_at is not None
        or ApiToken.objects.get(pk=own).revoked_at is not None
    )

    file.chmod(0o644)
    assert "others can read" in janet("list", code=2).err
    file.chmod(0o600)
    assert "no profile 'home'" in janet("list", "--profile", "home", code=2).err
    janet("profile", "remove", "work")
    assert "no server is named" in janet("list", code=2).err


@pytest.mark.parametrize("default", ["[]", "3", "true", "{}"])
def test_a_default_that_is_no_name_is_said(nobody: Terminal, default: str) -> None:
    file = nobody.home / "config" / "expedite" / "profiles.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'default = {default}\n[profiles."a"]\nurl = "https://e.example"\ntoken = "exp_a"\n')
    file.chmod(0o600)
    assert "default is no name of a profile" in nobody("list", code=2).err


@pytest.mark.parametrize(
    ("words", "token", "said"),
    [
        (("a b", "--url", "https://expedite.example"), "exp_a", "letters, digits"),
        (("a", "--url", "http://expedite.example"), "exp_a", "use https"),
        (("a", "--url", "https://expedite.example"), "", "one word"),
        (("a", "--url", "https://expedite.example"), "two words", "one word"),
        (("a", "--url", "https://expedite.example", "--ca-bundle", "/nowhere.pem"), "exp_a", "no file"),
    ],
)
def test_a_profile_that_cannot_be_meant(
    nobody: Terminal, words: tuple[str, ...], token: str, said: str
) -> None:
    assert said in nobody("profile", "add", *words, stdin=f"{token}\n", code=2).err
    assert not (nobody.home / "config" / "expedite").exists()


def test_a_file_of_profiles_that_is_broken(nobody: Terminal) -> None:
    file = nobody.home / "config" / "expedite" / "profiles.toml"
    file.parent.mkdir(parents=True)
    for text in ("[profiles", 'profiles = 3\ndefault = "a"', '[profiles.a]\nurl = "x"', "[profiles]\na = 1"):
        file.write_text(text)
        file.chmod(0o600)
        assert "error: " in nobody("list", "--profile", "a", code=2).err


def test_no_command_takes_a_token_as_an_argument(nobody: Terminal) -> None:
    assert (
        "No such option"
        in nobody("profile", "add", "a", "--url", "https://e.example", "--token", "exp", code=2).err
    )
    assert "No such option" in nobody("list", "--token", "exp_a_b", code=2).err


def test_what_the_server_says_steers_no_terminal(nobody: Terminal) -> None:
    row = {
        "id": 1, "reference": HOSTILE, "state": HOSTILE, "stage": HOSTILE, "rate_bps": 1, "source_link": HOSTILE,
        "destination_link": HOSTILE, "start": HOSTILE, "end": None, "waits_for": HOSTILE,
    }  # fmt: skip
    page = json.dumps({"results": [row], "next": None}).encode()
    pack = json.dumps({"text": f"tc {HOSTILE}", "notes": [HOSTILE], "undo": []}).encode()
    problem = {
        "status": 409,
        "code": HOSTILE,
        "detail": HOSTILE,
        "errors": [{"pointer": HOSTILE, "reason": HOSTILE}],
    }
    stand = Stand([
        (200, page, JSON), (200, page, JSON), (200, pack, JSON),
        (409, json.dumps(problem).encode(), {"Content-Type": "application/problem+json"}),
        (302, b"", {"Location": "http://elsewhere/\x1b[31m\x9b"}),
    ])  # fmt: skip
    with serving(stand.carry) as url:
        told = Terminal(url, "exp_a_b", nobody.home)
        answers = [told("list"), told("list", "--json"), told("pack", 1, "--for", "linux"), told("show", 1, code=1),
                   told("show", 1, code=5)]  # fmt: skip
    for done in answers:
        for text in (done.out, done.err):
            assert not [
                sign for sign in text if (ord(sign) < 32 and sign not in "\n\t") or 0x7F <= ord(sign) < 0xA0
            ]
            assert not set(text) & set("\u202e\u2069")
    assert answers[1].json[0]["state"] == HOSTILE  # JSON keeps it, as escapes
    assert answers[2].out.startswith("tc ")


def test_text_of_a_terminal() -> None:
    assert plain("a\x1b[31mb\x00\x9b\u2028c\n\td") == "a[31mbc\n\td"
    assert one_line(" a\n\tb ") == "a b"
    assert as_it_is("  a  b \x1b\n") == "  a  b \\n"
    assert table(("A", "B"), [(None, "x\ny"), ("", 3)]) == "A  B\n-  x y\n-  3"
    assert instant("2027-03-01T12:00:00+02:00") == "2027-03-01 10:00:00Z"
    assert (rate(2_500_000), rate(64_000), rate(7_750_001), rate(12), rate(None)) == (
        "2.5 Mbit/s", "64 kbit/s", "7.750001 Mbit/s", "12 bit/s", "",
    )  # fmt: skip


def test_version_and_completion(nobody: Terminal) -> None:
    assert nobody("--version").out == f"expedite {VERSION}\n"
    script = subprocess.run(
        [sys.executable, "-c", "import sys; sys.argv[0] = 'expedite'; from expedite_client.cli.main import main; main()"],
        env={**nobody.environment(), "PYTHONPATH": str(SOURCES), "_EXPEDITE_COMPLETE": "source_bash"},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "complete -o default -F" in script and "expedite" in script


def test_an_approval_shows_what_it_approves_and_asks(nobody: Terminal) -> None:
    """At a terminal of its own: the lines, the gaps and the doubts are shown, and only `yes` goes on."""
    found = {
        "change": 3, "fingerprint": "f" * 64, "may_approve": True, "why_not": [], "alone": [], "approved_by": [],
        "still_needed": [], "may_push": False, "lines": 1, "routers": 1,
        "gaps": [{"router": "nl6", "text": "POS1/0 is open for a moment"}],
        "doubts": [{"router": "nl6", "text": "it may refuse line 1"}],
        **{name: [] for name in ("unsaved", "conflicts", "violations", "unread", "warnings")},
    }  # fmt: skip
    change = {
        "id": 3, "reference": "CHG-3", "kind": "baseline", "state": "APPROVED", "pushes": [8], "planning": None,
        "next_step": None, "title": "", "requests": [], "takes_off": [], "modifies": [], "approvals": [],
        "still_needed": [], "held": "", "released_at": None, "finished_at": None,
    }  # fmt: skip
    push = {
        "id": 8, "router": "nl6", "phase": "edges", "lines": 1,
        "plan": {"commands": [
            {"text": "policy-map EDGE\x1b[2J", "depth": 0}, {"text": "description  two  blanks, a\ttab ", "depth": 1},
            {"text": "two\nlines", "depth": 0},
        ]},
    }  # fmt: skip

    def answering(words: str) -> tuple[int, str, Stand]:
        stand = Stand([(200, json.dumps(each).encode(), JSON) for each in (found, change, push, change)])
        with serving(stand.carry) as url:
            code, shown = at_a_terminal(Terminal(url, "exp_a_b", nobody.home), words, "noc", "approve", "3")
        return code, shown, stand

    code, shown, stand = answering("yes\nyes\nthe release knows it\n")
    assert code == 0 and "APPROVED" in shown
    # Every blank is the router's: what is approved is seen as it is sent.
    assert "\n description  two  blanks, a\ttab \ntwo\\nlines\n" in shown
    for said in ("policy-map EDGE[2J", "POS1/0 is open for a moment", "it may refuse line 1", "f" * 64):
        assert said in shown
    assert [method for method, _path, _headers in stand.asked] == ["GET", "GET", "GET", "POST"]
    code, shown, stand = answering("y\n")
    assert code == 2 and "nothing was approved" in shown and len(stand.asked) == 3


def at_a_terminal(who: Terminal, words: str, *arguments: str) -> tuple[int, str]:
    """Run a command on a pseudo terminal where `words` are typed; its exit status and what was shown."""
    ours, theirs = pty.openpty()
    running = who.start(*arguments, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, words.encode())
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return running.wait(timeout=60), shown.decode().replace("\r\n", "\n")


def test_the_python_client_reads_every_page_and_the_log(python: Client, janet: Terminal) -> None:
    for _ in range(3):
        janet(*SUBMIT)
    rows = list(python.requests.list(page_size=2, ordering="id"))
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows) and len(rows) == 3
    audit.seal_waiting()
    found = python.events.read(0)
    assert found["events"]
    assert python.events.end() == found["next"]
    log = python.events.follow(0, wait=0)
    seen = [next(log) for _ in found["events"]]
    assert [each["position"] for each in seen if each] == [each["position"] for each in found["events"]]
    assert next(log) is None
    quota = python.nrens.quota(python.nrens.named("JANET")["id"])
    assert quota["used"]["open_requests"] == 3


def test_the_log_is_read_on_after_the_connection_broke() -> None:
    def part(*positions: int) -> bytes:
        return json.dumps(
            {"events": [{"position": at} for at in positions], "next": max(positions), "more": False}
        ).encode()

    late = {"Content-Type": "text/html"}
    stand = Stand(
        [(200, part(1, 2), JSON), *[(503, b"", late)] * 9, (200, part(3), JSON), (401, b"{}", JSON)]
    )
    slept: list[float] = []
    with serving(stand.carry) as url:
        log = Client(url, "exp_a_b", sleep=slept.append).events.follow(0, wait=20)
        assert [next(log)["position"] for _ in range(3)] == [1, 2, 3]  # type: ignore[index]
        with pytest.raises(Exception, match="401"):
            next(log)
    cursors = [path.partition("after=")[2].partition("&")[0] for _method, path, _headers in stand.asked]
    assert cursors == ["0", *["2"] * 10, "3"]
    assert max(slept) <= 30


def test_times_are_said_as_they_are_meant(janet: Terminal) -> None:
    start = (timezone.now() + timedelta(days=1)).replace(microsecond=0)
    made = janet(*SUBMIT, "--start", start.isoformat(), "--json").json
    assert made["start"].startswith(start.strftime("%Y-%m-%dT%H:%M:%S")) and made["end"] is None
    assert made["bucket_bytes"] == 6000
    advised = janet(
        "submit",
        *[each for each in ASKED if each not in {"--bucket", "6000"}],
        "--contact",
        "a@b.example",
        "--json",
    )
    assert advised.json["bucket_bytes"] >= 1500
