"""Where the server is and with which token it is spoken to: a file of one's own, or the environment."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from expedite_client.errors import InvalidInput
from expedite_client.transport import check_token, root_of

try:
    import fcntl
except ImportError:  # Windows: whoever writes last wins there, the file is whole all the same
    fcntl = None  # type: ignore[assignment]

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", re.ASCII)
_PUBLIC: Final = re.compile(r"(exp_[0-9A-Za-z]{1,16})_.", re.ASCII)
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class Profile:
    """A server and a token for it."""

    url: str
    token: str
    ca_bundle: str | None = None

    @property
    def prefix(self) -> str:
        """The public part of the token, `exp_47c38b4e04fb`; nothing where it has none."""
        found = _PUBLIC.match(self.token)
        return found[1] if found else ""

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
    if not isinstance(default, str | None):
        raise InvalidInput(f"{path}: default is no name of a profile", field="profiles")
    return Profiles(
        {name: _profile(name, row) for name, row in rows.items()}, default if default in rows else None
    )


@contextmanager
def locked(path: Path) -> Iterator[Profiles]:
    """The profiles, which nobody else changes meanwhile: of two who do at once the second waits, and reads what the first wrote.

    Raises InvalidInput where they can be neither read nor written there.
    """
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # A file of its own: the profiles' is another one after each change.
            lock = os.open(path.with_name(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, lock)
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as error:
            raise _not_written(path, error) from error
        yield read(path)


def changed(path: Path, change: Callable[[Profiles], Profiles]) -> Profiles:
    """Write what `change` makes of the profiles, and return it; two at once come one after the other.

    Raises InvalidInput where they cannot be written: the file is then as it was.
    """
    with locked(path) as found:
        made = change(found)
        try:
            write(path, made)
        except OSError as error:
            raise _not_written(path, error) from error
        return made


def write(path: Path, profiles: Profiles) -> None:
    """Write them where nobody else can read them, all or nothing, also when the machine stops a moment later.

    Whoever calls holds them (`locked`). Raises OSError: the file is then as it was.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".profiles-")  # made with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(_text(profiles))
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Have the name of the file on the disk, too; where a directory cannot be opened the system does that by itself."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems have no such thing; the file itself is written
    finally:
        os.close(handle)


def _not_written(path: Path, error: OSError) -> InvalidInput:
    return InvalidInput(f"{path} cannot be written: {error.strerror or error}", field="profiles")


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
    profiles = read(path_of(environment))
    found = profiles.named[standing(named, environment, profiles)]
    return Profile(found.url, token, found.ca_bundle) if token and named is None else found


def standing(named: str | None, environment: Mapping[str, str], profiles: Profiles) -> str:
    """Return the name of the profile that is meant; raises InvalidInput where there is none."""
    name = named or environment.get("EXPEDITE_PROFILE") or profiles.default
    if name is None:
        raise InvalidInput(
            "no server is named: `expedite profile add NAME --url URL`, or EXPEDITE_URL and EXPEDITE_TOKEN",
            field="profile",
        )
    if name not in profiles.named:
        whose = "" if named else " (EXPEDITE_PROFILE says it)"
        raise InvalidInput(f"{missing(name, profiles)}{whose}", field="profile")
    return name


def missing(name: str, profiles: Profiles) -> str:
    """Return that there is no such profile, and which there are."""
    there = ", ".join(sorted(profiles.named)) or "none: `expedite profile add NAME --url URL`"
    return f"there is no profile {name!r}; there is {there}"


def origin(named: str | None, environment: Mapping[str, str]) -> str:
    """Return where server and token come from, in words. Raises InvalidInput as `chosen` does."""
    token = named is None and environment.get("EXPEDITE_TOKEN")
    if token and environment.get("EXPEDITE_URL"):
        return "EXPEDITE_URL and EXPEDITE_TOKEN"
    name = standing(named, environment, read(path_of(environment)))
    return f"profile {name!r} with EXPEDITE_TOKEN" if token else f"profile {name!r}"


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
