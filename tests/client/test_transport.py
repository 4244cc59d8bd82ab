"""The way to the server: what is cut, redirected, forged or late does no harm."""

from __future__ import annotations

import datetime as dt
import ipaddress
import json
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from expedite_client import (
    Ask,
    BadCertificate,
    Client,
    InvalidInput,
    NotUnderstood,
    Problem,
    Redirected,
    Unreachable,
)
from expedite_client.cli.verbs import Answer, Here, carry_out
from expedite_client.transport import root_of
from provisioning.models import PremiumRequest
from tests.client.broken import Proxy, Stand, serving
from tests.client.conftest import SOURCES, Terminal

TOKEN = "exp_abc_secret"
JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
ASK = Ask(
    source_link="JANET@uk6:POS1/0",
    destination_link="GRNET@gr6:POS2/0",
    rate_bps=2_000_000,
    bucket_bytes=6000,
    source_prefixes=("2001:630:1::/48",),
    destination_prefixes=("2001:648:2::/48",),
    contact="noc@example.org",
)


def speaking(url: str, **more: Any) -> Client:
    return Client(url, TOKEN, connect_seconds=2, read_seconds=5, sleep=lambda _seconds: None, **more)


def test_an_answer_that_is_cut_is_asked_for_again_and_the_deed_done_once(
    live_server: Any, tokens_by_role: dict[str, str | None]
) -> None:
    proxy = Proxy(live_server.url, cuts=2)
    with serving(proxy.carry) as url:
        client = Client(url, tokens_by_role["JANET"] or "", sleep=lambda _seconds: None)
        made = client.requests.submit(ASK)
    assert PremiumRequest.objects.count() == 1 and made["id"] == PremiumRequest.objects.get().pk
    keys = {key for _path, key in proxy.passed}
    assert len(proxy.passed) == 3 and len(keys) == 1 and None not in keys
    # Another deed is another key.
    with serving(proxy.carry) as url:
        client = Client(url, tokens_by_role["JANET"] or "")
        client.requests.withdraw(made["id"], reason="once")
    assert len({key for _path, key in proxy.passed}) == 2


def test_it_does_not_try_for_ever() -> None:
    proxy = Stand([(503, b"{}", {**PROBLEM, "Retry-After": "1"})])
    slept: list[float] = []
    with serving(proxy.carry) as url:
        client = Client(url, TOKEN, sleep=slept.append)
        with pytest.raises(Problem) as told:
            client.requests.withdraw(1, reason="r")
    assert told.value.status == 503 and len(proxy.asked) == 4 and slept == [1.0, 1.0, 1.0]
    assert len({headers["Idempotency-Key"] for _method, _path, headers in proxy.asked}) == 1


def test_a_long_pause_is_told_and_not_waited_for() -> None:
    stand = Stand([(503, b'{"code": "busy", "detail": "come back"}', {**PROBLEM, "Retry-After": "3600"})])
    with serving(stand.carry) as url, pytest.raises(Problem) as told:
        speaking(url).requests.show(1)
    assert told.value.code == "busy" and len(stand.asked) == 1


def test_what_the_service_says_of_a_router_is_not_asked_again() -> None:
    stand = Stand([(502, b'{"code": "device-error", "detail": "nl6"}', PROBLEM), (200, b"{}", JSON)])
    with serving(stand.carry) as url, pytest.raises(Problem, match="nl6"):
        speaking(url).changes.push(1)
    broken = Stand([(502, b"<html>", {"Content-Type": "text/html"}), (200, b'{"id": 1}', JSON)])
    with serving(broken.carry) as url:
        assert speaking(url).changes.push(1)["id"] == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_never_carries_the_token(status: int) -> None:
    other = Stand([(200, b"{}", JSON)])
    with serving(other.carry) as elsewhere:
        stand = Stand([(status, b"", {"Location": f"{elsewhere}/api/v1/premium-requests/1/"})])
        with serving(stand.carry) as url:
            for act in (lambda c: c.requests.show(1), lambda c: c.requests.withdraw(1, reason="r")):
                with pytest.raises(Redirected, match="nothing was sent there"):
                    act(speaking(url))
    assert other.asked == [] and len(stand.asked) == 2


def test_of_the_next_page_the_cursor_is_taken_and_not_the_address() -> None:
    other = Stand([(200, b'{"results": [], "next": null}', JSON)])
    with serving(other.carry) as elsewhere:
        pages: list[dict[str, Any]] = [
            {"results": [{"id": 1}], "next": f"{elsewhere}/api/v1/premium-requests/?cursor=abc%3D"},
            {"results": [{"id": 2}], "next": None},
        ]
        stand = Stand([(200, json.dumps(page).encode(), JSON) for page in pages])
        with serving(stand.carry) as url:
            assert [row["id"] for row in speaking(url).requests.list(state=["ACTIVE", "ADMITTED"])] == [1, 2]
    assert other.asked == []
    assert stand.asked[1][1].endswith("page_size=200&state=ACTIVE&state=ADMITTED&cursor=abc%3D")


def test_netrc_takes_the_place_of_no_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\n")
    monkeypatch.setenv("NETRC", str(netrc))
    stand = Stand([(200, b"{}", JSON)])
    with serving(stand.carry) as url:
        speaking(url).requests.show(1)
    assert stand.asked[0][2]["Authorization"] == f"Bearer {TOKEN}"


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return paths


def test_a_certificate_that_signs_itself_is_refused_unless_it_is_trusted_by_name(tmp_path: Path) -> None:
    own, key = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own, key)
    stand = Stand([(200, b'{"id": 1}', JSON)])

    def wrap(plain: Any) -> Any:
        return context.wrap_socket(plain, server_side=True)

    with serving(stand.carry, wrap) as url:
        with pytest.raises(BadCertificate, match="certificate is not one to trust"):
            speaking(url).requests.show(1)
        assert stand.asked == []
        told = Terminal(url, TOKEN, tmp_path)("show", 1, "--json", code=5)
        assert told.json["code"] == "bad-certificate" and "certificate" in told.err
        assert speaking(url, ca_bundle=str(own)).requests.show(1)["id"] == 1
        trusting = Terminal(url, TOKEN, tmp_path, more={"EXPEDITE_CA_BUNDLE": str(own)})
        # An answer of another shape is no traceback.
        assert trusting("noc", "stopped", "--json", code=5).json["code"] == "not-understood"


def test_a_server_that_is_not_there_and_one_that_is_no_expedite() -> None:
    stand = Stand([(200, b"<html>hello", {"Content-Type": "text/html"})])
    with serving(stand.carry) as url, pytest.raises(NotUnderstood, match="is it Expedite"):
        speaking(url).requests.show(1)
    with pytest.raises(Unreachable, match=r"refuses the connection \(4 tries\)"):
        speaking(url).requests.show(1)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://expedite.example", "use https"),
        ("ftp://expedite.example", "no URL"),
        ("expedite.example", "no URL"),
        ("https://me:word@expedite.example", "no user"),
        ("https://expedite.example/?a=b", "no user"),
        ("https://[::1", "cannot be read"),
        ("https://expedite.example:99999", "cannot be read"),
    ],
)
def test_a_url_that_cannot_be_meant(url: str, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason) as told:
        root_of(url)
    assert told.value.field == "url"


def test_a_url_that_can() -> None:
    for url in ("https://expedite.example", "https://expedite.example/", "https://expedite.example/api/v1/"):
        assert root_of(url) == "https://expedite.example/api/v1/"
    assert root_of("https://noc.example/expedite") == "https://noc.example/expedite/api/v1/"
    with pytest.raises(InvalidInput, match="one word"):
        Client("https://expedite.example", "exp_a\r\nHost: elsewhere")


def test_it_stands_alone() -> None:
    """With nothing but its own sources it imports, and loads neither Django nor the server."""
    modules = [
        ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(SOURCES.rglob("*.py"))
        if path.name != "__main__.py"
    ]
    assert len(modules) > 30
    program = (
        f"import importlib, sys; sys.path.insert(0, {str(SOURCES)!r})\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        "print(sorted({'django', 'provisioning', 'inventory', 'lab'} & {n.partition('.')[0] for n in sys.modules}))"
    )
    # -I: neither this folder nor PYTHONPATH.
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_what_is_for_this_machine_goes_through_no_proxy(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy, stand = Stand([(200, b"{}", JSON)]), Stand([(200, b'{"results": [], "next": null}', JSON)])
    with serving(proxy.carry) as elsewhere, serving(stand.carry) as url:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, elsewhere)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        assert list(speaking(url.replace("127.0.0.1", host)).requests.list()) == []
    assert proxy.asked == [] and len(stand.asked) == 1


def test_an_answer_that_is_spoilt_on_the_way_was_sent_and_is_asked_for_again() -> None:
    stand = Stand([(200, b"no gzip", {**JSON, "Content-Encoding": "gzip"}), (200, b'{"id": 1}', JSON)])
    with serving(stand.carry) as url:
        assert speaking(url).requests.withdraw(1, reason="r")["id"] == 1
    assert len({headers["Idempotency-Key"] for _method, _path, headers in stand.asked}) == 1
    assert len(stand.asked) == 2


def test_a_page_without_rows_is_not_the_last_where_there_is_another() -> None:
    """Every row of a page may have been removed while it was read."""
    pages = [{"results": [], "next": "https://e.example/?cursor=a"}, {"results": [{"id": 2}], "next": None}]
    stand = Stand([(200, json.dumps(page).encode(), JSON) for page in pages])
    with serving(stand.carry) as url:
        assert [row["id"] for row in speaking(url).requests.list()] == [2]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"results": [{"id": 1, "scopes": None}], "next": None}, "scopes is null, not a list"),
        ({"results": [{"id": "x"}], "next": None}, "id is text, not a number"),
        ({"results": [[]], "next": None}, "is a list, not an object"),
        ({"results": {}, "next": None}, "tokens/ is an object, not a list"),
        ({"results": [{"id": 1, "later": 3}], "next": None}, "there is no user"),
        ([], "it is a list, not an object"),
    ],
)
def test_what_a_server_of_another_version_answers_is_named(answer: Any, said: str) -> None:
    stand = Stand([(200, json.dumps(answer).encode(), JSON)])
    with serving(stand.carry) as url, pytest.raises(NotUnderstood, match=said):
        [row["user"] for row in speaking(url).tokens.list()]


def test_a_fault_of_ours_is_not_the_servers() -> None:
    def act(_here: Here) -> Answer:
        return Answer({}, {}["nothing"])

    with pytest.raises(KeyError):
        carry_out(act, Here(), {})
