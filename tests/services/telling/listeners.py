"""A mail server and an HTTPS server that really listen, and answer as a test says."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from aiosmtpd.controller import Controller
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Mailbox:
    """What a mail server got; `answers` are given to the next mails instead of taking them."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.recipients: list[list[str]] = []
        self.answers: list[str] = []
        self.rcpt: str | None = None

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's names
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if self.rcpt is not None:
            return self.rcpt
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        if self.answers:
            return self.answers.pop(0)
        self.taken.append(envelope.content)
        self.recipients.append(list(envelope.rcpt_tos))
        return "250 taken"


class AnyPort(Controller):
    """On a port that the system chose: aiosmtpd asks itself by the one that it was given whether it is up."""

    def _trigger_server(self) -> None:
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()


@contextmanager
def mail_server(settings: Any) -> Iterator[Mailbox]:
    """A mail server on a port of its own, and the settings that name it."""
    box = Mailbox()
    controller = AnyPort(box, hostname="127.0.0.1", port=0)
    controller.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = controller.port
    try:
        yield box
    finally:
        controller.stop()


class Hook:
    """What a webhook got, and what it answers: `answer` is asked with each request's number, from 1."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.answer: Callable[[int], int] = lambda _number: 204
        self.location = ""
        self.hold = threading.Event()
        self.hold.set()
        self.url = ""


@contextmanager
def webhook(settings: Any, folder: Path) -> Iterator[Hook]:
    """An HTTPS server with a certificate of its own, which WEBHOOK_CA_FILE names; its host is allowed."""
    hook = Hook()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            hook.got.append((dict(self.headers), body))
            hook.hold.wait(30)
            self.send_response(hook.answer(len(hook.got)))
            if hook.location:
                self.send_header("Location", hook.location)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args: Any) -> None:
            pass

    pem = certificate(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    settings.WEBHOOK_CA_FILE, settings.WEBHOOK_HOSTS = str(pem), ["localhost"]
    hook.url = f"https://localhost:{server.server_address[1]}/hooks/expedite?key=s3cret"
    try:
        yield hook
    finally:
        hook.hold.set()
        server.shutdown()
        server.server_close()


def certificate(folder: Path) -> Path:
    """A certificate of localhost that signs itself, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName(
                [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
            ),
            False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "localhost.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path
