"""Servers that misbehave, one connection after another, each on a port of its own."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen


@dataclass
class Proxy:
    """Passes requests on to a server, and cuts so many of the answers before the client has them."""

    target: str
    cuts: int = 0
    passed: list[tuple[str, str | None]] = field(default_factory=list)
    """Path and Idempotency-Key of what the server was asked."""

    def carry(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length) if length else None
        wanted = ("Authorization", "Content-Type", "Idempotency-Key", "Accept")
        headers = {name: handler.headers[name] for name in wanted if handler.headers[name]}
        request = Request(self.target + handler.path, data=body, headers=headers, method=handler.command)
        self.passed.append((handler.path, handler.headers["Idempotency-Key"]))
        with urlopen(request, timeout=60) as answer:
            content, status, kind = answer.read(), answer.status, answer.headers["Content-Type"]
        if self.cuts:
            # The server has done it, and nobody hears of it.
            self.cuts -= 1
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        answer_with(handler, status, content, {"Content-Type": kind})


@dataclass
class Stand:
    """Answers what it is told to, and notes what it was asked."""

    answers: list[tuple[int, bytes, dict[str, str]]]
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)

    def carry(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length") or 0)
        handler.rfile.read(length)
        self.asked.append((handler.command, handler.path, dict(handler.headers)))
        status, body, headers = self.answers[min(len(self.asked), len(self.answers)) - 1]
        answer_with(handler, status, body, headers)


def answer_with(handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str]) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextlib.contextmanager
def serving(
    carry: Callable[[BaseHTTPRequestHandler], None],
    wrap: Callable[[socket.socket], socket.socket] | None = None,
) -> Iterator[str]:
    """Serve with `carry` on a loopback port; its URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            carry(self)

        def do_POST(self) -> None:
            carry(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base's
            return

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            return  # a client that refuses the certificate, or goes away

    server = Server(("127.0.0.1", 0), Handler)
    if wrap is not None:
        server.socket = wrap(server.socket)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"{'https' if wrap else 'http'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
