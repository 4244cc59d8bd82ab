"""Exec commands: enable, configure, write, copy, reload, terminal, clear; show goes to lab.show (ios-facts section 3)."""

# ruff: noqa: ARG001 - all handlers have one signature
from __future__ import annotations

from collections.abc import Callable

from lab import rollback
from lab.cursor import Cursor
from lab.errors import InvalidInput, Refusal, SessionDropped
from lab.mode import Login
from lab.show.dispatch import show

_UNPRIVILEGED = ("disable", "enable", "exit", "help", "logout", "ping", "show", "terminal")
_PRIVILEGED = ("clear", "configure", "copy", "dir", "reload", "undebug", "write")


def run(session: Login, line: str) -> str:
    """Execute one exec line; raises ParseError or Refusal."""
    cursor = Cursor(line)
    words = _UNPRIVILEGED + (_PRIVILEGED if session.privilege == 15 else ())
    try:
        word = cursor.keyword(*words)
    except InvalidInput:
        known = any(name.startswith(cursor.peek().lower()) for name in _PRIVILEGED)
        if len(cursor.words) == 1 and not known:
            # ios-facts 3.3: a lone unknown word is taken for the name of a host
            lookup = (
                "" if "no ip domain-lookup" in session.config.lines else "...domain server (255.255.255.255)"
            )
            text = f'Translating "{cursor.peek()}"{lookup}\n'
            return text + "% Unknown command or computer name, or unable to find computer address\n"
        raise
    return _TABLE[word](session, cursor)


def _enable(session: Login, cursor: Cursor) -> str:
    if cursor.more:
        cursor.number(1, 15)
    cursor.end()
    if session.privilege == 15:
        return ""
    spec = session.device.spec
    if not spec.enable:
        return "% No password set\n"  # ios-facts 3.6
    tries = 0

    def check(answer: str) -> str:
        nonlocal tries
        if answer == spec.enable and not session.device.faults.has("enable-refused"):
            session.privilege = 15
            return ""
        tries += 1
        if tries < 3:
            return session.ask("Password: ", check, echo=False)
        return "% Bad secrets\n\n" if session.train.release.is_12_0s else "% Access denied\n\n"

    return session.ask("Password: ", check, echo=False)


def _disable(session: Login, cursor: Cursor) -> str:
    cursor.end()
    session.privilege = 1
    return ""


def _exit(session: Login, cursor: Cursor) -> str:
    cursor.end()
    session.close()
    raise SessionDropped("exit")


def _help(session: Login, cursor: Cursor) -> str:
    return "Help may be requested at any point in a command by entering a question mark '?'.\n"


def _ping(session: Login, cursor: Cursor) -> str:
    target = cursor.word()
    return (
        "Type escape sequence to abort.\n"
        f"Sending 5, 100-byte ICMP Echos to {target}, timeout is 2 seconds:\n.....\n"
        "Success rate is 0 percent (0/5)\n"
    )


def _terminal(session: Login, cursor: Cursor) -> str:
    word = cursor.keyword("length", "monitor", "no", "width", "history")
    if word == "length":
        length = cursor.number(0, 512)
        cursor.end()
        session.length = length
    elif word == "width":
        width = cursor.number(0, 512)
        cursor.end()
        session.width = width
    elif word == "monitor":
        cursor.end()
        session.monitor = True
    elif word == "no":
        cursor.keyword("monitor")
        session.monitor = False
    else:
        cursor.rest()
    return ""


def _configure(session: Login, cursor: Cursor) -> str:
    train = session.train
    if not cursor.more:

        def choose(answer: str) -> str:
            if answer and not "terminal".startswith(answer.lower()):
                return '?Must be "terminal", "memory" or "network"\n'
            return session.enter_configuration()

        return session.ask("Configuring from terminal, memory, or network [terminal]? ", choose)
    words = (
        ["terminal"]
        + (["replace"] if train.has_replace else [])
        + (["confirm", "revert"] if train.has_revert else [])
    )
    word = cursor.keyword(*words)
    if word == "terminal":
        if cursor.more and train.has_revert:
            cursor.keyword("revert")
            cursor.keyword("timer")
            minutes = cursor.number(1, 120)
            cursor.end()
            said = rollback.begin(session, minutes)
            return said if said.startswith("%") else said + session.enter_configuration()
        cursor.end()
        return session.enter_configuration()
    if word == "replace":
        cursor.word()
        cursor.rest()
        return "%Error opening file (File not found)\n"
    if word == "confirm":
        cursor.end()
        return rollback.confirm(session)
    if cursor.keyword("now", "timer") == "now":
        cursor.end()
        return rollback.revert_now(session)
    minutes = cursor.number(1, 120)
    cursor.end()
    return rollback.change_timer(session, minutes)


def _write(session: Login, cursor: Cursor) -> str:
    word = cursor.keyword("memory", "terminal", "erase") if cursor.more else "memory"
    cursor.end()
    if word == "terminal":
        return session.device.running_config()
    if word == "erase":
        return session.ask(
            "Erasing the nvram filesystem will remove all configuration files! Continue? [confirm]",
            lambda answer: _erase(session, answer),
            single_key=True,
        )
    return _save(session)


def _save(session: Login) -> str:
    """Write NVRAM; after a change of image the router asks first (ios-facts 3.7)."""
    device = session.device
    if device.faults.has("other-image") is None:
        return device.save(session.username)

    def confirm(answer: str) -> str:
        return device.save(session.username) if answer.lower() in ("", "y") else ""

    session.ask("Overwrite the previous NVRAM configuration?[confirm]", confirm, single_key=True)
    return (
        "Warning: Attempting to overwrite an NVRAM configuration previously written\n"
        "by a different version of the system image.\n"
    )


def _erase(session: Login, answer: str) -> str:
    if answer.lower() not in ("", "y"):
        return ""
    session.device.startup = None
    return "[OK]\nErase of nvram: complete\n"


def _copy(session: Login, cursor: Cursor) -> str:
    places = ("running-config", "startup-config")
    source = cursor.keyword(*places)
    target = cursor.keyword(*places)
    cursor.end()
    if source == target:
        raise Refusal("%Error copying a file to itself")

    def name(answer: str) -> str:
        if answer not in ("", target):
            return f"%Error opening {answer} (Read-only file or path)\n"
        if target == "startup-config":
            return _save(session)
        device = session.device
        for line, reply in device.merge_startup():
            device.log_line(f"{line}: {reply.strip()}")
        return f"{len(device.startup or '')} bytes copied in 0.412 secs\n"

    return session.ask(f"Destination filename [{target}]? ", name)


def _reload(session: Login, cursor: Cursor) -> str:
    device = session.device
    seconds = 0
    if cursor.more:
        word = cursor.keyword("in", "cancel", "at")
        if word == "cancel":
            cursor.end()
            if not device.cancel_reload():
                return "%No reload is scheduled.\n"
            return "\n\n***\n*** --- SHUTDOWN ABORTED ---\n***\n\n"
        if word == "at":
            raise Refusal("%Reload at a time of day needs a clock that is set")
        text = cursor.word()
        hours, _, minutes = text.rpartition(":")
        if not minutes.isdigit() or (hours and not hours.isdigit()):
            cursor.at -= 1
            raise cursor.invalid()
        seconds = (int(hours or 0) * 60 + int(minutes)) * 60
        cursor.rest()

    def confirm(answer: str) -> str:
        if answer.lower() not in ("", "y"):
            return ""
        if seconds:
            device.schedule_reload(seconds)
            return ""
        device.reload()
        raise SessionDropped("reload")

    def proceed() -> str:
        when = ""
        if seconds:
            hours, minutes = seconds // 3600, seconds // 60 % 60
            span = f"{hours} hours and {minutes} minutes" if hours else f"{minutes} minutes"
            at = device.stamp(device.clock() + seconds)
            when = f"Reload scheduled for {at} (in {span}) by {session.username}\n"
        session.ask("Proceed with reload? [confirm]", confirm, single_key=True)
        return when

    def save(answer: str) -> str:
        if answer.lower() not in ("yes", "no", "y", "n"):
            session.ask("System configuration has been modified. Save? [yes/no]: ", save)
            return "% Please answer 'yes' or 'no'.\n"
        text = device.save(session.username) if answer.lower().startswith("y") else ""
        return text + proceed()

    if device.unsaved:  # ios-facts 3.9
        return session.ask("System configuration has been modified. Save? [yes/no]: ", save)
    return proceed()


def _clear(session: Login, cursor: Cursor) -> str:
    cursor.keyword("counters")
    name = cursor.interface() if cursor.more else None
    cursor.end()

    def confirm(answer: str) -> str:
        if answer.lower() in ("", "y"):
            for point in session.device.counters:
                if name in (None, point[0]):
                    session.device.counters[point] = {}
        return ""

    where = f"on {name} " if name else "on all interfaces "
    return session.ask(f'Clear "show interface" counters {where}[confirm]', confirm, single_key=True)


def _dir(session: Login, cursor: Cursor) -> str:
    cursor.rest()
    return "Directory of disk0:/\n\nNo files in directory\n\n128094208 bytes total (117440512 bytes free)\n"


def _undebug(session: Login, cursor: Cursor) -> str:
    cursor.keyword("all")
    cursor.end()
    return "All possible debugging has been turned off\n"


_TABLE: dict[str, Callable[[Login, Cursor], str]] = {
    "clear": _clear,
    "configure": _configure,
    "copy": _copy,
    "dir": _dir,
    "disable": _disable,
    "enable": _enable,
    "exit": _exit,
    "help": _help,
    "logout": _exit,
    "ping": _ping,
    "reload": _reload,
    "show": show,
    "terminal": _terminal,
    "undebug": _undebug,
    "write": _write,
}
