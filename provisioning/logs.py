"""How every process of the service writes its log: ours, Django's, Celery's, gunicorn's and Python's warnings alike.

With `LOG_JSON` each line is one JSON object with `timestamp`, `level`, `logger`, `event` and what belongs to it; a
traceback is a field of its line. Without, lines are for a person at a terminal.
"""

from __future__ import annotations

import logging
import sys
from types import TracebackType
from typing import Any

if "rich" in sys.modules:
    import structlog
else:
    # Where it can, structlog loads `rich`, for tracebacks in colours that we do not print: a sixth of what a command spends
    # before it does anything.
    sys.modules["rich"] = None  # type: ignore[assignment]
    import structlog

    del sys.modules["rich"]
from structlog.typing import EventDict, Processor


def configure(*, as_json: bool, level: str) -> dict[str, Any]:
    """Set structlog up and return the configuration of `logging` that goes with it, for dictConfig."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if not as_json:
        people = structlog.dev.ConsoleRenderer(
            colors=False, exception_formatter=structlog.dev.plain_traceback
        )
        _use([*shared, people])
        return _logging({"stderr": {"class": "logging.StreamHandler"}}, {}, level)
    _use([*shared, structlog.stdlib.add_logger_name, structlog.stdlib.ProcessorFormatter.wrap_for_formatter])
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": [*shared, structlog.stdlib.add_logger_name, _answered],
        "pass_foreign_args": True,
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str),
        ],
    }
    logging.captureWarnings(True)
    sys.excepthook = _last_words
    return _logging(
        {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}}, {"json": formatter}, level
    )


def _use(processors: list[Processor]) -> None:
    structlog.configure(
        processors=processors,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def _logging(handlers: dict[str, Any], formatters: dict[str, Any], level: str) -> dict[str, Any]:
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": formatters,
        "handlers": handlers,
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Paramiko's own log would carry what is typed on a session at DEBUG.
            "paramiko": {"level": "ERROR"},
            "netmiko": {"level": "ERROR"},
            "asyncssh": {"level": "ERROR"},  # at INFO it tells every session's life
            # Django gives these handlers of their own, which know nothing of ours.
            "django": {"handlers": [], "propagate": True},
            "django.server": {"handlers": [], "propagate": True},
        },
    }


def for_gunicorn(configuration: dict[str, Any]) -> dict[str, Any]:
    """The same for gunicorn: a line for each answer too, on the same stream."""
    ours = {"level": "INFO", "handlers": ["stderr"], "propagate": False}
    return {
        **configuration,
        "loggers": {**configuration["loggers"], "gunicorn.error": ours, "gunicorn.access": ours},
    }


def _answered(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """The parts of gunicorn's line for an answer, by name; the query of an address may carry what is nobody's business."""
    atoms = event.pop("positional_args", ())
    if event["_record"].name == "gunicorn.access" and isinstance(atoms, dict):
        event.update(event=f"{atoms['m']} {atoms['U']}", method=atoms["m"], path=atoms["U"])
        event.update(status=int(atoms["s"]), seconds=float(atoms["L"]), bytes=atoms["B"], address=atoms["h"])
    return event


def _last_words(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, traceback)
        return
    logging.getLogger("provisioning").critical("ended by an exception", exc_info=(kind, error, traceback))
