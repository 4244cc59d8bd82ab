"""Redis as Celery's broker, so that one that goes away ends no worker.

Celery 5.7 with kombu 5.7 ends a worker (status 1, "Unrecoverable error: 'NoneType' object has no attribute 'hostname'")
when the connection is lost while a message is unacknowledged, which with late acknowledgement is whenever a job runs:
a channel that was given up is asked to put the message back, or to acknowledge it later, makes itself a connection
from parameters that are forgotten already, and the AttributeError of that is none of the errors Celery waits out. Here
a channel without its connection says just that. The message is lost; the row is not, and a tick sends it again.
"""

from __future__ import annotations

from typing import Any

import structlog
from celery.utils.dispatch import Signal
from celery.worker.consumer import Consumer as CeleryConsumer
from celery.worker.state import maybe_shutdown
from kombu.transport import redis as kombu_redis
from redis.exceptions import ConnectionError as ConnectionLost

log = structlog.get_logger(__name__)

# Sent in the worker's main process: at every try that failed, and when the broker answers.
broker_away = Signal(name="broker_away")
broker_answers = Signal(name="broker_answers")

# Seconds between two tries to reach the broker; Celery's own wait grows to half a minute.
FIRST_WAIT, LONGER_BY, LONGEST_WAIT = 1, 1, 3


class Channel(kombu_redis.Channel):  # type: ignore[misc]
    """A channel that knows when its connection was given up."""

    def _connparams(self, asynchronous: bool = False) -> Any:
        """What a new connection is made from; raises redis' ConnectionError when there is nothing left of it."""
        if self._given_up():
            raise ConnectionLost("the connection of this channel was given up")
        return super()._connparams(asynchronous)

    def basic_ack(self, delivery_tag: Any, multiple: bool = False) -> None:
        """Acknowledge a message, unless it came over a connection that is gone: nobody is left to be told."""
        if not self._given_up():
            super().basic_ack(delivery_tag, multiple=multiple)

    def basic_reject(self, delivery_tag: Any, requeue: bool = False) -> None:
        if not self._given_up():
            super().basic_reject(delivery_tag, requeue=requeue)

    def _given_up(self) -> bool:
        return self.connection is None or self.connection.client is None


class Transport(kombu_redis.Transport):  # type: ignore[misc]
    Channel = Channel


class Consumer(CeleryConsumer):  # type: ignore[misc]
    """Waits for the broker for as long as it takes; talks to no other worker (gossip, mingle and events are off)."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        # What workers tell each other over the broker is used by nobody here, and is what fails first without it.
        kwargs.update(without_gossip=True, without_mingle=True, without_heartbeat=True)
        super().__init__(*args, **kwargs)
        self._waited = False

    def ensure_connected(self, conn: Any) -> Any:
        """Connect, however long that takes; a worker that is told to stop meanwhile stops."""

        def say(error: BaseException, wait: float) -> None:
            log.warning("no broker; trying again", reason=str(error), seconds=wait)
            self._waited = True
            broker_away.send(sender=self)

        connected = conn.ensure_connection(
            say,
            max_retries=None,
            interval_start=FIRST_WAIT,
            interval_step=LONGER_BY,
            interval_max=LONGEST_WAIT,
            callback=maybe_shutdown,
        )
        self.first_connection_attempt = False
        broker_answers.send(sender=self)
        return connected

    def on_ready(self) -> None:
        """Celery ends a worker of which a process is missing when it begins; one that ended while the broker was waited for
        is replaced instead.
        """
        super().on_ready()
        if self._waited:
            self.pool.maintain_pool()
