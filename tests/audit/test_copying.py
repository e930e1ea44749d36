"""Rows out of a query while the database finds those behind them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from itertools import islice

import pytest
from django.db import DataError, connection, transaction

from audit.services.copying import STREAMED_ROWS, fetch_rows, keys_text, stream_rows

ROWS = 3 * STREAMED_ROWS + 7
SERIES = "SELECT n, 'x' || n, int4send(n::int4) FROM generate_series(1, %(rows)s) n"
FAILING = "SELECT 1 / (%(rows)s - n) FROM generate_series(1, %(rows)s) n"


def test_streamed_rows_are_those_of_the_query_in_their_order(db: None) -> None:
    expected = [(n, f"x{n}", n.to_bytes(4)) for n in range(1, ROWS + 1)]
    assert list(stream_rows(SERIES, {"rows": ROWS})) == expected
    assert fetch_rows(SERIES, {"rows": ROWS}) == expected
    assert list(stream_rows(SERIES, {"rows": 0})) == []


def begun() -> None:
    with closing(stream_rows(SERIES, {"rows": 100_000})) as rows:
        assert [number for number, *_ in islice(rows, 3)] == [1, 2, 3]


def interrupted() -> None:
    with suppress(KeyboardInterrupt), closing(stream_rows(SERIES, {"rows": 100_000})) as rows:
        for number, *_ in rows:
            if number == STREAMED_ROWS + 1:
                raise KeyboardInterrupt
    assert number == STREAMED_ROWS + 1


def failed() -> None:
    seen: list[tuple[int]] = []
    rows = stream_rows(FAILING, {"rows": ROWS})
    with pytest.raises(DataError):
        seen.extend(rows)
    assert len(seen) == ROWS // STREAMED_ROWS * STREAMED_ROWS, "what was handed over was good"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("read", [begun, interrupted, failed])
def test_a_stream_that_is_left_leaves_the_connection_to_others(read: Callable[[], None]) -> None:
    read()
    assert fetch_rows("SELECT 1", []) == [(1,)]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 2")
        assert cursor.fetchall() == [(2,)]


@pytest.mark.parametrize("keys", [[], [7], [1, -5, 2**62, 90159953540033]])
def test_keys_go_as_the_text_of_an_array(db: None, keys: list[int]) -> None:
    (came,) = fetch_rows("SELECT %s::int8[]", [keys_text(keys)])
    assert came == (keys,)


def test_something_else_is_done_while_rows_are_found(db: None) -> None:
    done: list[str] = []
    with transaction.atomic():
        rows = fetch_rows(SERIES, {"rows": 2}, meanwhile=lambda: done.append("it"))
    assert (rows, done) == ([(1, "x1", b"\0\0\0\1"), (2, "x2", b"\0\0\0\2")], ["it"])


@pytest.mark.django_db(transaction=True)
def test_whichever_fails_meanwhile_leaves_the_connection_to_others() -> None:
    def fail() -> None:
        raise KeyError("mine")

    for rows, meanwhile, error in (
        (2, fail, KeyError),
        (3, lambda: None, DataError),
        (3, fail, KeyError),
    ):
        failing = SERIES if rows == 2 else FAILING
        with pytest.raises(error), transaction.atomic():
            fetch_rows(failing, {"rows": rows}, meanwhile=meanwhile)
        assert fetch_rows("SELECT 1", []) == [(1,)]
