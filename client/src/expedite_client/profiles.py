"""Where the server is and with which token it is spoken to: a file of one's own, or the environment."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from expedite_client.errors import InvalidInput
from expedite_client.transport import check_token, root_of

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", re.ASCII)
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Profile:
    """A server and a token for it."""

    url: str
    token: str
    ca_bundle: str | None = None

    def __repr__(self) -> str:
        return f"Profile(url={self.url!r}, ca_bundle={self.ca_bundle!r})"


@dataclass(frozen=True, slots=True)
class Profiles:
    """The profiles by name, and which one is meant where none is named."""

    named: Mapping[str, Profile]
    default: str | None = None


def path_of(environment: Mapping[str, str]) -> Path:
    """Return the file of the profiles: `expedite/profiles.toml` in the configuration directory (XDG)."""
    said = environment.get("XDG_CONFIG_HOME", "")
    # A relative path is to be ignored (XDG Base Directory Specification).
    folder = Path(said) if said and Path(said).is_absolute() else Path.home() / ".config"
    return folder / "expedite" / "profiles.toml"


def read(path: Path) -> Profiles:
    """Return the profiles; none where there is no file.

    Raises InvalidInput where others could read the file, for it holds tokens, and where it cannot be meant.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            if os.name == "posix" and mode & _OTHERS:
                raise InvalidInput(f"others can read {path}: chmod 600 it", field="profiles")
            found = tomllib.load(file)
    except FileNotFoundError:
        return Profiles({})
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}", field="profiles") from error
    rows = found.get("profiles", {})
    if not isinstance(rows, dict):
        raise InvalidInput(f"{path}: profiles is no table", field="profiles")
    default = found.get("default")
    return Profiles(
        {name: _profile(name, row) for name, row in rows.items()}, default if default in rows else None
    )


def write(path: Path, profiles: Profiles) -> None:
    """Write them where nobody else can read them, all or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".profiles-")  # made with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_text(profiles))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def checked(name: str, profile: Profile) -> Profile:
    """Return the profile; raises InvalidInput where name, URL or token cannot be one."""
    if not _NAME.fullmatch(name):
        raise InvalidInput("a name is letters, digits, - and _", field="name")
    root_of(profile.url)
    check_token(profile.token)
    if profile.ca_bundle is not None and not Path(profile.ca_bundle).is_file():
        raise InvalidInput(f"there is no file {profile.ca_bundle}", field="ca_bundle")
    return profile


def chosen(named: str | None, environment: Mapping[str, str]) -> Profile:
    """Return the profile that is meant: the one named, else what the environment says, else the default.

    EXPEDITE_TOKEN takes the place of a profile's token. EXPEDITE_URL needs EXPEDITE_TOKEN beside it: the token of a profile goes
    to its own server and to no other. Raises InvalidInput where none is meant, or it cannot be read.
    """
    url, token = environment.get("EXPEDITE_URL", ""), environment.get("EXPEDITE_TOKEN", "")
    if named is None and url:
        if not token:
            raise InvalidInput("EXPEDITE_URL needs EXPEDITE_TOKEN beside it", field="token")
        return Profile(url, token, environment.get("EXPEDITE_CA_BUNDLE") or None)
    name, profiles = standing(named, environment)
    found = profiles.named[name]
    return Profile(found.url, token, found.ca_bundle) if token and named is None else found


def standing(named: str | None, environment: Mapping[str, str]) -> tuple[str, Profiles]:
    """Return the name of the profile in the file that is meant, and the file; raises InvalidInput where there is none."""
    profiles = read(path_of(environment))
    name = named or environment.get("EXPEDITE_PROFILE") or profiles.default
    if name is None:
        raise InvalidInput(
            "no server is named: `expedite profile add NAME --url URL`, or EXPEDITE_URL and EXPEDITE_TOKEN",
            field="profile",
        )
    if name not in profiles.named:
        raise InvalidInput(f"there is no profile {name!r}", field="profile")
    return name, profiles


def _profile(name: str, row: Any) -> Profile:
    values = row if isinstance(row, dict) else {}
    url, token, bundle = values.get("url"), values.get("token"), values.get("ca_bundle")
    if not isinstance(url, str) or not isinstance(token, str) or not isinstance(bundle, str | None):
        raise InvalidInput(f"profile {name!r} needs a url and a token", field="profiles")
    return Profile(url, token, bundle)


def _text(profiles: Profiles) -> str:
    lines = ["# Written by `expedite profile`. It holds tokens: keep it to yourself (mode 600)."]
    if profiles.default is not None:
        lines.append(f"default = {_quoted(profiles.default)}")
    for name, profile in sorted(profiles.named.items()):
        lines += [
            "",
            f"[profiles.{_quoted(name)}]",
            f"url = {_quoted(profile.url)}",
            f"token = {_quoted(profile.token)}",
        ]
        if profile.ca_bundle is not None:
            lines.append(f"ca_bundle = {_quoted(profile.ca_bundle)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # A JSON string is a TOML basic string, but for the delete character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
