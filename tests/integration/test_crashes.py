"""Everything is killed while hands come in, and the store is as if nothing had happened."""

from __future__ import annotations

import os
import time
from dataclasses import replace

import psycopg
import pytest
from django.db import connection

import replay
from drills import log as logs
from drills import stock
from drills.crash import crash_test
from drills.stack import VICTIMS, family_of

pytestmark = pytest.mark.integration


@pytest.mark.timeout(600)
def test_two_rounds_lose_nothing_and_double_nothing(monkeypatch) -> None:
    """The drill's services are its own: it must not hear of the test's."""
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.delenv("BROKER_URL")
    said: list[str] = []
    assert crash_test(rounds=2, seed=20, hands=600, say=said.append), "\n".join(said)
    assert said[0] == "Crash test: 2 rounds of 600 hands, seed 20."
    assert said[-1] == "Nothing lost, nothing doubled."
    for text in said[1:-1]:
        killed = text.splitlines()[1].removeprefix("  killed: ").split(", ")
        assert sorted(killed) == sorted(VICTIMS)


def test_a_log_is_the_same_for_the_same_seed_and_holds_all_that_can_happen() -> None:
    made = logs.make_log(seed=3, hands=1_200, parts=6, source="one")
    assert made == logs.make_log(seed=3, hands=1_200, parts=6, source="one")
    assert made.parts != logs.make_log(seed=4, hands=1_200, parts=6, source="one").parts
    assert len(made.parts) == 6
    assert 1_150 < len(made.hands) < 1_250
    assert min(made.repeats, made.refused) > 0
    lines = [line for part in made.parts for line in part.splitlines()]
    assert len(lines) == len(made.hands) + made.repeats + made.refused
    assert {stands.kind for stands in made.hands.values()} == {"clean", "discrepant", "void"}
    total = dict(zip(logs.COUNTERS, map(sum, zip(*made.counters, strict=True)), strict=True))
    assert total["lines"] == len(lines)
    assert total["rejected"] == made.refused
    assert total["turned"] > 0
    audited = [replay.audit(line, replay.load_rulesets()).verdict for line in lines]
    assert total["discrepant"] == audited.count("discrepant")


def test_the_family_of_a_process_begins_with_itself(celery_worker_process) -> None:
    family = family_of(celery_worker_process.pid)
    assert family[0] == celery_worker_process.pid
    assert len(family) > 1
    for pid in family:
        os.kill(pid, 0)


def test_taking_stock_finds_what_is_not_there(celery_worker_process, upload, wait) -> None:
    """The drill can fail: each kind of difference is seen in a store that has it."""
    made = logs.make_log(seed=5, hands=240, parts=1, source="one")
    (row,) = wait(upload(made.parts[0]))
    database = os.environ["DATABASE_URL"]
    name = psycopg.conninfo.make_conninfo(database, dbname=database_name())
    while not stock.waiting(name).is_nothing:
        time.sleep(0.05)
    found = stock.differences(name, "one", made, [row.id])
    assert not any(found.values()), found
    more = {**made.hands, ("one", "never sent"): next(iter(made.hands.values()))}
    assert stock.differences(name, "one", replace(made, hands=more), [row.id]) == {
        **found,
        "hands lost": 1,
        "counters wrong": 1,
    }
    first, *_ = made.hands
    less = {one: stands for one, stands in made.hands.items() if one != first}
    assert stock.differences(name, "one", replace(made, hands=less), [row.id]) == {
        **found,
        "hands from nowhere": 1,
        "counters wrong": 1,
    }
    other = {**made.hands, first: replace(made.hands[first], digest="00")}
    assert stock.differences(name, "one", replace(made, hands=other), [row.id]) == {
        **found,
        "comparisons wrong": 1,
    }
    assert stock.differences(name, "one", replace(made, repeats=-1), [row.id])["repeats wrong"]


def database_name() -> str:
    return str(connection.settings_dict["NAME"])
