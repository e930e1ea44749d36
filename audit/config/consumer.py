"""The part of a worker that holds the connection to the broker, made to outlive the broker."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import kombu
from celery.beat import EmbeddedService
from celery.worker.consumer import Consumer
from kombu.transport.virtual import Channel

logger = logging.getLogger(__name__)

CLOCK_SECONDS = 5


class LastingConsumer(Consumer):
    """Celery's own, without three ways in which the death of another ends the whole worker.

    Over Redis or Valkey, Celery 5.7 closes a lost connection twice. Where a message was held and
    the next one asked for (a task with a countdown is enough), the first time breaks off early, and
    the second wants to give the message back through a connection that has no address any more.
    And when a task ends that began before the connection was lost, its message is acknowledged on
    the connection of then. Both are an AttributeError, which nothing catches, and the worker ends.
    It also ends itself where one of its processes was killed before it was ready, instead of
    starting another as at any other time.
    """

    # Celery begins below zero and counts up before each start; at zero it gives up for a process.
    restart_count = 0

    # What Celery sets and its type stubs leave out.
    task_consumer: kombu.Consumer | None
    connection_errors: tuple[type[Exception], ...]
    channel_errors: tuple[type[Exception], ...]
    controller: Any

    def register_with_event_loop(self, hub: Any) -> None:
        """Look after the clock beside, for as long as this connection lasts."""
        super().register_with_event_loop(hub)
        hub.timer.call_repeatedly(CLOCK_SECONDS, self._keep_clock)

    def _keep_clock(self) -> None:
        """Start the clock anew that `--beat` lets run beside the worker, where it was killed.

        Celery never looks after it, and without it nothing that is lost would be found again.
        """
        worker = self.controller
        clock = worker.beat
        if not clock or clock.is_alive():
            return
        logger.warning("clock_restarted")
        worker.beat = EmbeddedService(
            worker.app, schedule_filename=worker.schedule_filename, scheduler_cls=worker.scheduler
        )
        for step in worker.steps:
            if step.obj is clock:
                step.obj = worker.beat
        worker.beat.start()

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Give back what is held once, if the broker is there to take it, and then no more.

        What cannot be given back is found by its row, as whatever a broker loses.
        """
        channel = None if self.task_consumer is None else self.task_consumer.channel
        if isinstance(channel, Channel):
            with suppress(*self.connection_errors, *self.channel_errors):
                channel.qos.restore_unacked_once()
            channel.do_restore = False
        super().on_connection_error_after_connected(exc)

    def call_soon_ack(self, p: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Acknowledge or reject a message on the connection by which it came, unless that is lost.

        `p` is a method of the message. The broker then gives the message out again, or has lost it.
        """
        later = partial(_unless_lost, p)
        return super().call_soon_ack(later, *args, **kwargs)  # type: ignore[misc]  # not in the stubs


def _unless_lost(settle: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Looks at the last moment: the connection may be lost between the request and its turn."""
    channel = settle.__self__.channel  # type: ignore[attr-defined]  # a bound method's message
    if channel is not None and channel.connection is not None:
        settle(*args, **kwargs)
