"""A message as an HTTPS POST of JSON, signed, to an address that somebody of the NOC has set.

Redirects are not followed and no proxy is asked. An address inside (private, loopback, link-local) is called only where the
host stands in WEBHOOK_HOSTS, which is set on the machine and not in the browser; the address that was judged is the one that
is connected to.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import ipaddress
import socket
import ssl
import threading
import time
from urllib.parse import urlsplit

from django.conf import settings

from provisioning.errors import InvalidInput
from provisioning.models import Message
from provisioning.services.telling.undelivered import Undelivered
from provisioning.services.telling.writing import Letter, json_of

LONGEST_URL = 2000
_PASSING = frozenset({401, 403, 407, 408, 409, 423, 425, 429})
"""Of 4xx those that say nothing of this message: another may be taken later, and this one, too."""
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_NOBODYS = tuple(
    ipaddress.ip_network(each)
    for each in (
        "fec0::/10",  # site-local
        "64:ff9b:1::/48",  # translated to IPv4 within one network
        "::/96",  # IPv4-compatible
        "::ffff:0:0:0/96",  # IPv4-translated
    )
)
"""IPv6 addresses that `ipaddress` calls global, or did once, and that lead nowhere but inside."""


def checked_url(url: str) -> str:
    """An address that may be called; raises InvalidInput saying what is wrong with it."""
    said = url.strip()
    try:
        parts = urlsplit(said)
        host, _port = parts.hostname, parts.port
    except ValueError as error:
        raise InvalidInput("is not an address", field="url") from error
    if not said.isascii() or not said.isprintable() or " " in said or len(said) > LONGEST_URL:
        raise InvalidInput(
            f"is at most {LONGEST_URL} ASCII characters without blanks (xn-- for others)", field="url"
        )
    if parts.scheme != "https" or not host:
        raise InvalidInput("begins with https:// and names a host", field="url")
    if not _is_a_name(host):
        raise InvalidInput("names a host of which a part is empty or above 63 characters", field="url")
    if _is_literal_inside(host):
        raise InvalidInput("is an address inside, and it is not in WEBHOOK_HOSTS", field="url")
    if parts.username is not None or parts.fragment:
        raise InvalidInput("holds no user name, password or fragment", field="url")
    return said


def signature(secret: str, body: bytes, at: int) -> str:
    """The header by which a receiver knows who sent this, and when: HMAC-SHA256 in hex over `TIME.BODY`, TIME in Unix seconds."""
    made = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={made}"


def deliver(message: Message, letter: Letter) -> None:
    """POST a message. Taken is what is answered with 2xx; raises Undelivered with the answer, or why there was none."""
    url, body = message.subscriber.url, json_of(message, letter)
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or 443
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Expedite",
        "Expedite-Message": str(message.number),
        "Expedite-Signature": signature(message.subscriber.secret, body, int(time.time())),
        "Connection": "close",
    }
    connection = http.client.HTTPSConnection(host, port)
    trusted = _trusted()
    connection.sock = wrapped = trusted.wrap_socket(
        _connected(host, port), server_hostname=host, do_handshake_on_connect=False
    )
    # A server that sends a byte now and then resets every timeout but this one.
    end = threading.Timer(3 * settings.NOTIFY_TIMEOUT_SECONDS, _shut, [wrapped])
    end.daemon = True
    end.start()
    try:
        wrapped.do_handshake()
        connection.request("POST", path, body, headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        raise Undelivered(f"{host}: {type(error).__name__}: {error}") from error
    finally:
        end.cancel()
        connection.close()
        wrapped.close()
    if 300 <= status < 400:
        raise Undelivered(f"{host} answered {status}: redirects are not followed", refused=True)
    if not 200 <= status < 300:
        raise Undelivered(f"{host} answered {status}", refused=400 <= status < 500 and status not in _PASSING)


def is_inside(address: str) -> bool:
    """Whether an IP address is of this machine or a network that is not everybody's; one that carries another by that."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        if any(found in each for each in _NOBODYS):
            return True
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)
        if found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_inside(str(inner))
    return not found.is_global or found.is_multicast


def _is_a_name(host: str) -> bool:
    """Whether a name service can be asked for a host."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True


def _is_literal_inside(host: str) -> bool:
    """Whether a host is written as an IP address that would never be called; a name is judged when it is called."""
    try:
        inside = is_inside(host)
    except ValueError:
        return False
    return inside and not _allowed(host)


def _allowed(host: str) -> bool:
    return host.lower() in {each.lower() for each in settings.WEBHOOK_HOSTS}


def _connected(host: str, port: int) -> socket.socket:
    """A connection to the first address of a host that answers; raises Undelivered where none may be called or none does."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        # The second where it is no name: `checked_url` did not always look.
        raise Undelivered(f"{host} has no address: {error}") from error
    allowed = _allowed(host)
    reason = "no address"
    for family, kind, protocol, _name, address in found:
        if not allowed and is_inside(str(address[0])):
            reason = f"{address[0]} is an address inside, and {host} is not in WEBHOOK_HOSTS"
            continue
        made = socket.socket(family, kind, protocol)
        made.settimeout(settings.NOTIFY_TIMEOUT_SECONDS)
        try:
            made.connect(address)
        except OSError as error:
            made.close()
            reason = f"{type(error).__name__}: {error}"
        else:
            return made
    raise Undelivered(f"{host}: {reason}")


def _trusted() -> ssl.SSLContext:
    made = ssl.create_default_context()
    if settings.WEBHOOK_CA_FILE:
        try:
            made.load_verify_locations(settings.WEBHOOK_CA_FILE)
        except OSError as error:
            raise Undelivered(f"WEBHOOK_CA_FILE cannot be read: {error}") from error
    return made


def _shut(wrapped: ssl.SSLSocket) -> None:
    try:
        socket.socket.shutdown(
            wrapped, socket.SHUT_RDWR
        )  # not its own: that one takes the session from whoever reads
    except OSError:
        return  # closed meanwhile: that is what was wanted
