"""What a step's page costs beside the empty page of the site, in a process with Django.

`python -m benchmarks.stepping HANDS` walks through so many stored hands of each game from the first
step to the last, as somebody does who comes to a hand for the first time, and prints the
milliseconds of each kind of answer as JSON: by the wall, and of CPU. A walk begins on the page on
which the hand opens, as for whoever comes from a list; that one is told apart. The empty page, the
base template alone, is asked for between any two of them, so that all meet the same machine.

After that somebody goes through all these hands, one after the other: each is opened, stepped
through by whole pages, and then stepped through once more as the public saw it. All pages of that
are told together, those as the auditor and those as the public also apart.

`python -m benchmarks.stepping HANDS PORT` asks a server that runs beside it (`benchmarks.site`) for
the same, over one connection that is kept: by the wall that is what a browser waits for.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from http.client import HTTPConnection
from time import perf_counter, process_time
from typing import Protocol

os.environ.setdefault("TILECOURT_TEST", "1")

import django

django.setup()

from django.conf import settings  # noqa: E402 - Django must stand first
from django.contrib.auth.models import User  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client, override_settings  # noqa: E402

import replay  # noqa: E402
from audit import selectors  # noqa: E402
from audit.models import Hand  # noqa: E402
from benchmarks.empty_page import EMPTY, FORGET, forget_all  # noqa: E402
from benchmarks.pages import EMPTY_NAME  # noqa: E402
from benchmarks.stack import database_seconds, process_seconds  # noqa: E402

OPENED_NAME = "the page on which a hand opens"
REGION = {"X-Tilecourt-Region": "1"}
# What is asked for at each step of a walk: its name, what stands behind the address, what a script
# sends, and whether the process has drawn it before.
WALKS: tuple[tuple[str, str, dict[str, str], bool], ...] = (
    ("a step, whole page", "", {}, False),
    ("a step, whole page, drawn before", "", {}, True),
    ("a step, as the script asks", "", REGION, False),
    ("a step, as the script asks, drawn before", "", REGION, True),
    ("a step as the public saw it", "?as=public", {}, False),
)
# All pages of somebody who goes through hands, by who looks: the page on which a hand opens, and
# each step.
THROUGH = {"": "all pages, as the auditor", "?as=public": "all pages, then as the public"}
THROUGH_NAME = "all pages of both"
WARM = 20

Times = dict[str, list[tuple[float, float]]]


class Site(Protocol):
    """Answers, as whoever is signed in; `forget` makes it as one that has seen no hand."""

    def ask(self, address: str, headers: dict[str, str]) -> tuple[float, float]:
        """The milliseconds of an answer, by the wall and of CPU."""

    def forget(self) -> None: ...


class Inside:
    """The site in this process."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def ask(self, address: str, headers: dict[str, str]) -> tuple[float, float]:
        wall, own, database = perf_counter(), process_time(), database_seconds()
        answer = self.client.get(address, headers=headers)
        took = 1000 * (perf_counter() - wall)
        spent = 1000 * (process_time() - own + database_seconds() - database)
        assert answer.status_code == 200, (address, answer.status_code)
        return took, spent

    def forget(self) -> None:
        forget_all()


class OverHttp:
    """The site behind a port, asked over one connection. CPU is that of its process and of those of
    the database that answer it."""

    def __init__(self, client: Client, port: int) -> None:
        name = settings.SESSION_COOKIE_NAME
        self.cookie = {"Cookie": f"{name}={client.cookies[name].value}"}
        self.line = HTTPConnection("localhost", port, timeout=60)
        self.pids = [int(self._read(FORGET, {}))]
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pid FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )
            self.pids += [pid for (pid,) in cursor.fetchall()]

    def ask(self, address: str, headers: dict[str, str]) -> tuple[float, float]:
        before, wall = self._spent(), perf_counter()
        self._read(address, headers)
        took = perf_counter() - wall
        return 1000 * took, 1000 * (self._spent() - before)

    def forget(self) -> None:
        self._read(FORGET, {})

    def _read(self, address: str, headers: dict[str, str]) -> bytes:
        self.line.request("GET", address, headers=self.cookie | headers)
        answer = self.line.getresponse()
        body = answer.read()
        assert answer.status == 200, (address, answer.status)
        return body

    def _spent(self) -> float:
        return sum(process_seconds(pid) for pid in self.pids)


def measure(hands: int, port: int | None) -> Times:
    """The milliseconds of each answer by its name, of the site in this process or behind a port."""
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username="bench"))
    with override_settings(ROOT_URLCONF="benchmarks.empty_page"):
        # As gunicorn.conf.py has it.
        gc.collect()
        gc.freeze()
        return _measure(Inside(client) if port is None else OverHttp(client, port), hands)


def _measure(site: Site, hands: int) -> Times:
    names = EMPTY_NAME, OPENED_NAME, *(name for name, *_ in WALKS), *THROUGH.values(), THROUGH_NAME
    times: Times = {name: [] for name in names}
    # What a process makes once and for all is made before.
    for _ in range(WARM):
        site.ask(EMPTY, {})
    for pk in (_hands_of(game, hands + 1)[-1] for game in replay.GAMES):
        for _, more, headers, _ in WALKS:
            _walk(site, pk, more, headers)
    for pk in (pk for game in replay.GAMES for pk in _hands_of(game, hands)):
        for name, more, headers, is_again in WALKS:
            if not is_again:
                site.forget()
                opened = site.ask(f"/hands/{pk}/{more}", {})
                times[OPENED_NAME] += [] if more else [opened]
            walked, empty = _walk(site, pk, more, headers)
            times[name] += walked
            times[EMPTY_NAME] += empty
    site.forget()
    for pk in (pk for game in replay.GAMES for pk in _hands_of(game, hands)):
        for more, name in THROUGH.items():
            opened = site.ask(f"/hands/{pk}/{more}", {})
            walked, empty = _walk(site, pk, more, {})
            times[name] += [opened, *walked]
            times[THROUGH_NAME] += [opened, *walked]
            times[EMPTY_NAME] += empty
    return times


def _hands_of(game: str, count: int) -> list[int]:
    found = Hand.objects.filter(game=game, error_code="").order_by("pk")[:count]
    return list(found.values_list("pk", flat=True))


def _walk(
    site: Site, hand: int, more: str, headers: dict[str, str]
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Each step of a hand, and the empty page after each."""
    raw = selectors.played_hand(hand, sources=None).raw
    events = len(json.loads(raw)["events"])
    steps, empty = [], []
    for number in range(events + 1):
        steps.append(site.ask(f"/hands/{hand}/steps/{number}/{more}", headers))
        empty.append(site.ask(EMPTY, {}))
    return steps, empty


if __name__ == "__main__":
    hands, port = int(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else None
    sys.stdout.write(json.dumps(measure(hands, port)))
