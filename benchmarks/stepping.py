"""What a step's page costs beside the empty page of the site, in a process with Django.

`python -m benchmarks.stepping HANDS` walks through so many stored hands of each game from the first
step to the last, as somebody does who comes to a hand for the first time, and prints the
milliseconds of each kind of answer as JSON: by the wall, and of CPU. A walk begins on the page on
which the hand opens, as for whoever comes from a list; that one is told apart. The empty page, the
base template alone, is asked for between any two of them, so that all meet the same machine.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from time import perf_counter, process_time

os.environ.setdefault("TILECOURT_TEST", "1")

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402 - Django must stand first
from django.test import Client, override_settings  # noqa: E402

import replay  # noqa: E402
from audit import selectors  # noqa: E402
from audit.models import Hand  # noqa: E402
from audit.web import kept, walks  # noqa: E402
from benchmarks.stack import database_seconds  # noqa: E402

EMPTY = "/empty/"
EMPTY_NAME = "the empty page"
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
WARM = 20

Times = dict[str, list[tuple[float, float]]]


def measure(hands: int) -> Times:
    """The milliseconds of each answer by its name."""
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username="bench"))
    times: Times = {EMPTY_NAME: [], OPENED_NAME: [], **{name: [] for name, *_ in WALKS}}
    with override_settings(ROOT_URLCONF="benchmarks.empty_page"):
        chosen = [pk for game in replay.GAMES for pk in _hands_of(game, hands)]
        # As gunicorn.conf.py has it; and what a process makes once and for all is made before.
        gc.collect()
        gc.freeze()
        for _ in range(WARM):
            _time(client, EMPTY, {})
        for pk in (_hands_of(game, hands + 1)[-1] for game in replay.GAMES):
            for _, more, headers, _ in WALKS:
                _walk(client, pk, more, headers)
        for pk in chosen:
            for name, more, headers, is_again in WALKS:
                if not is_again:
                    _forget()
                    opened = _time(client, f"/hands/{pk}/{more}", {})
                    times[OPENED_NAME] += [] if more else [opened]
                walked, empty = _walk(client, pk, more, headers)
                times[name] += walked
                times[EMPTY_NAME] += empty
    return times


def _hands_of(game: str, count: int) -> list[int]:
    found = Hand.objects.filter(game=game, error_code="").order_by("pk")[:count]
    return list(found.values_list("pk", flat=True))


def _forget() -> None:
    """Be as a process that has not seen the hand."""
    kept.forget()
    walks.walked.cache_clear()
    walks.seen.cache_clear()


def _walk(
    client: Client, hand: int, more: str, headers: dict[str, str]
) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Each step of a hand, and the empty page after each."""
    raw = selectors.played_hand(hand, sources=None).raw
    events = len(json.loads(raw)["events"])
    steps, empty = [], []
    for number in range(events + 1):
        steps.append(_time(client, f"/hands/{hand}/steps/{number}/{more}", headers))
        empty.append(_time(client, EMPTY, {}))
    return steps, empty


def _time(client: Client, address: str, headers: dict[str, str]) -> tuple[float, float]:
    wall, own, database = perf_counter(), process_time(), database_seconds()
    answer = client.get(address, headers=headers)
    took = 1000 * (perf_counter() - wall)
    spent = 1000 * (process_time() - own + database_seconds() - database)
    assert answer.status_code == 200, (address, answer.status_code)
    return took, spent


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(int(sys.argv[1]))))
