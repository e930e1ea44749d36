"""One side of `bench pages`, in a process with Django.

`python -m benchmarks.paging fill N` stores N simulated hands of all games, `copy K` adds the same
rows under other names until there are K times as many, and `measure` prints the milliseconds of
each page as JSON.
"""

from __future__ import annotations

import io
import json
import os
import sys
from statistics import median
from time import perf_counter, process_time
from unittest import mock

os.environ.setdefault("TILECOURT_TEST", "1")

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402 - Django must stand first
from django.db import connection  # noqa: E402
from django.db.models import Count, Model  # noqa: E402
from django.test import Client  # noqa: E402

import replay  # noqa: E402
from audit import services  # noqa: E402
from audit.models import (  # noqa: E402
    Chunk,
    Finding,
    Hand,
    HandVersion,
    TableTouch,
    Upload,
    Verdict,
)
from audit.selectors.access import EVERYTHING  # noqa: E402
from audit.selectors.months import first_key, month_of  # noqa: E402
from audit.selectors.partitions import PARTED, month_name  # noqa: E402
from audit.services.granting import grant_everything  # noqa: E402
from benchmarks.stack import database_seconds  # noqa: E402
from replay.simulate import simulate_with_faults  # noqa: E402

WARM, MEASURED = 2, 9
# All keys of the first hands are below; those of a copy start at a multiple of it.
KEYS = 1_000_000
FAULT_PPM = 100_000
# Of each game, so that a list of uploads is full with few hands, too.
FILES = 15

# The copies lie in so many months.
MONTHS = 36

_BEHIND = "{column} + %(keys)s * %(turn)s"
_EARLIER = f"{_BEHIND} - %(since)s"
# What is not as in the first rows: keys lie behind those of the copy before, in another month; each
# copy is a day later, and ten copies share tables and players of their own.
_CHANGES: tuple[tuple[type[Model], dict[str, str]], ...] = (
    (Upload, {"id": _BEHIND}),
    (HandVersion, {"id": _EARLIER, "hand_id": _EARLIER, "upload_id": _BEHIND}),
    (Verdict, {"id": _EARLIER, "version_id": _EARLIER}),
    (Finding, {"id": _EARLIER, "verdict_id": _EARLIER}),
    (
        Hand,
        {
            "id": _EARLIER,
            "version_id": _EARLIER,
            "verdict_id": _EARLIER,
            "comparison_id": "NULL",
            "hand_id": "hand_id || '-' || %(turn)s",
            "table": "\"table\" || '-' || %(turn)s / 10",
            "players": "ARRAY(SELECT p || '-' || %(turn)s / 10 FROM unnest(players) p)",
            "played_at": "played_at + %(turn)s * interval '1 day'",
            "played_on": "played_on + %(turn)s",
        },
    ),
)


def fill(hands: int) -> None:
    """Store hands of every game, in a few files."""
    for game in replay.GAMES:
        ruleset = next(one for one in replay.load_rulesets() if one.game == game)
        lines = simulate_with_faults(
            game, hands // len(replay.GAMES), 1, ruleset, fault_ppm=FAULT_PPM
        )
        stored = [one.line + b"\n" for one in lines]
        size = -(-len(stored) // FILES)
        for start in range(0, len(stored), size):
            _store(game, b"".join(stored[start : start + size]))
    grant_everything(access=EVERYTHING, account_id=User.objects.create_user("bench").pk)
    analyze()


def _store(game: str, data: bytes) -> None:
    with mock.patch("audit.services.queueing._queue"):
        received = services.receive_upload(name=f"{game}.ndjson", stream=io.BytesIO(data))
        for chunk in Chunk.objects.filter(upload_id=received.upload_id).order_by("number"):
            assert services.judge_chunk(chunk_id=chunk.pk) is None
        for table in TableTouch.objects.values_list("table_id", flat=True).distinct():
            while services.compare_table(table_id=table):
                pass


def copy(turn: int) -> None:
    """Add the first rows once more. Without triggers: what they keep is not what is measured."""
    month = month_of(Hand.objects.latest("pk").pk)
    earlier = turn % MONTHS
    with connection.cursor() as cursor:
        if 0 < turn < MONTHS:
            for table in PARTED:
                name = f"{table}_{month_name(month - earlier)}"
                cursor.execute(
                    "SELECT audit_add_partition(%s, %s, %s, %s)",
                    [table, name, month - earlier, month - earlier + 1],
                )
        cursor.execute("SET session_replication_role = replica")
        for model, changes in _CHANGES:
            columns = [field.column for field in model._meta.local_concrete_fields]  # noqa: SLF001
            values = [
                changes.get(str(column), '"{column}"').format(column=column) for column in columns
            ]
            names = ", ".join(f'"{column}"' for column in columns)
            table = model._meta.db_table  # noqa: SLF001
            first = first_key(month) if table in PARTED else 0
            chosen = f"SELECT {', '.join(values)} FROM {table}"  # noqa: S608 - from the models
            where = "WHERE id BETWEEN %(first)s AND %(first)s + %(keys)s"
            statement = f"INSERT INTO {table} ({names}) {chosen} {where}"
            cursor.execute(
                statement,
                {"turn": turn, "keys": KEYS, "first": first, "since": first_key(earlier)},
            )


def analyze() -> None:
    """Have the server look at what it holds, as it does by itself after a while."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def measure() -> dict[str, tuple[float, float]]:
    """The milliseconds of each page, by the wall and of CPU: the medians."""
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username="bench"))
    return {name: _times(client, address) for name, address in _pages().items()}


def _times(client: Client, address: str) -> tuple[float, float]:
    walls, processors = [], []
    for _ in range(WARM + MEASURED):
        wall, own, database = perf_counter(), process_time(), database_seconds()
        answer = client.get(address)
        walls.append(1000 * (perf_counter() - wall))
        spent = process_time() - own + database_seconds() - database
        processors.append(1000 * spent)
        assert answer.status_code in (200, 302), (address, answer.status_code)
    return median(walls[WARM:]), median(processors[WARM:])


def _pages() -> dict[str, str]:
    """Name to address. The hand, its table, its players are those of the first file."""
    # The commonest finding fills a page with few hands, too.
    first = first_key(month_of(Hand.objects.latest("pk").pk))
    wrongs = Hand.objects.exclude(error_code="").filter(pk__gt=first, pk__lt=first + KEYS)
    hand = Hand.objects.filter(game="tien-gow", pk__gt=first).order_by("pk")[20]
    codes = wrongs.values_list("error_code").annotate(count=Count("pk")).order_by("-count")
    wrong = wrongs.filter(error_code=codes[0][0]).order_by("pk")[3]
    day = hand.played_on.isoformat()
    player = hand.players[0]
    return {
        "hands": "/hands/",
        "hands, by game": "/hands/?game=wenzhou-pai-gow",
        "hands, by source": f"/hands/?source={hand.source}",
        "hands, by table": f"/hands/?table={hand.table}",
        "hands, by player": f"/hands/?player={player}",
        "hands, clean": "/hands/?verdict=clean",
        "hands, discrepant": "/hands/?verdict=discrepant",
        "hands, by finding": f"/hands/?code={wrong.error_code}",
        "hands, of a day": f"/hands/?from={day}&to={day}",
        "hands, until a day": f"/hands/?to={day}",
        "hands, in conflict": "/hands/?conflict=1",
        "hands, by the beginning of an id": f"/hands/?q={hand.hand_id[:-1]}",
        "hands, by a name in the search": f"/hands/?q={player}",
        "hands, of an upload": "/hands/?upload=1",
        "hands, by game and player": f"/hands/?game=tien-gow&player={player}",
        "hands, by table and verdict": f"/hands/?table={hand.table}&verdict=discrepant",
        "hands, by finding on a day": f"/hands/?code={wrong.error_code}&from={day}&to={day}",
        "a hand": f"/hands/{hand.pk}/",
        "a hand with a finding": f"/hands/{wrong.pk}/",
        "a step": f"/hands/{hand.pk}/steps/3/",
        "uploads": "/uploads/",
        "an upload": "/uploads/1/",
    }


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fill", hands]:
            fill(int(hands))
        case ["copy", times]:
            for number in range(1, int(times)):
                copy(number)
                if sys.stderr.isatty():
                    sys.stderr.write(f"\r{number + 1} of {times} parts")
            analyze()
        case ["measure"]:
            sys.stdout.write(json.dumps(measure()))
        case other:
            sys.exit(f"{other} is none of fill N, copy K, measure")
