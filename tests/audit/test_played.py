"""What a step's page asks the store: each question is planned once, and answers as if anew."""

from __future__ import annotations

import pytest
from django.db import DataError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from audit import selectors
from audit.models import Hand
from audit.models.journal import JournalEntry
from audit.selectors.access import Access, Act
from audit.selectors.months import first_key, month_of
from audit.selectors.partitions import PARTED, month_name
from audit.selectors.prepared import prepared_row
from audit.services.journal import record
from tests.audit.logs import B, Ingest, W, changed, log, with_net

ASKED = "SELECT %(number)s::bigint + 1, %(text)s::text, %(names)s::text[]"
MONTHS = 14
WRONG = with_net(changed(B, hand_id="wrong"), 1, "-99.00")


pytestmark = pytest.mark.django_db


def prepared() -> dict[str, tuple[int, int]]:
    """The prepared statements of the connection: how often each was carried out by a plan for all
    values, and by one of its own."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement, generic_plans, custom_plans FROM pg_prepared_statements")
        return {text: (generic, custom) for text, generic, custom in cursor.fetchall()}


def newly(before: dict[str, tuple[int, int]]) -> list[tuple[int, int]]:
    """The same for what was prepared since, or carried out."""
    now = prepared()
    none = (0, 0)
    return [
        (generic - before.get(text, none)[0], custom - before.get(text, none)[1])
        for text, (generic, custom) in now.items()
        if (generic, custom) != before.get(text, none)
    ]


def test_a_statement_is_prepared_once_for_numbers_of_any_size() -> None:
    before = prepared()
    for number in (0, -5, 2**15, 2**31, 2**62):
        values = {"number": number, "text": "東's %s", "names": ["a,b", ""]}
        assert prepared_row(ASKED, values) == (number + 1, "東's %s", ["a,b", ""])
    assert [sum(counts) for counts in newly(before)] == [5]


def test_other_statements_of_the_connection_are_not_prepared() -> None:
    prepared_row(ASKED, {"number": 1, "text": "", "names": []})
    before = prepared()
    for _ in range(7):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM audit_upload WHERE id > %s", [3])
    assert newly(before) == []


def test_a_value_that_cannot_be_taken_is_an_error_of_the_store() -> None:
    before = prepared()
    with pytest.raises(DataError), transaction.atomic():
        prepared_row("SELECT %(date)s::date", {"date": "no day"})
    with transaction.atomic():
        transaction.set_rollback(True)
        with pytest.raises(TransactionManagementError):
            prepared_row("SELECT %(number)s::bigint", {"number": 1})
    for _ in range(7):
        with connection.cursor() as cursor:
            cursor.execute("SELECT 12345")
    assert newly(before) == []


def test_who_has_questions_written_down_reads_their_values() -> None:
    with CaptureQueriesContext(connection) as queries:
        assert prepared_row("SELECT %(number)s + 1", {"number": 4}) == (5,)
    assert [query["sql"] for query in queries.captured_queries] == ["SELECT 4 + 1"]


@pytest.mark.parametrize("is_page", [True, False])
@pytest.mark.parametrize("is_narrowed", [True, False])
def test_a_hand_is_planned_for_once_however_many_months_there_are(
    ingest: Ingest, is_page: bool, is_narrowed: bool
) -> None:
    ingest(log(B, WRONG, W))
    hands = list(Hand.objects.order_by("pk"))
    month = month_of(hands[0].pk)
    for table in PARTED:
        for earlier in range(month - MONTHS, month):
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT audit_add_partition(%s, %s, %s, %s)",
                    [table, f"{table}_{month_name(earlier)}", earlier, earlier + 1],
                )
    sources = frozenset(hand.source for hand in hands) if is_narrowed else None
    with CaptureQueriesContext(connection):
        anew = [selectors.played_hand(one.pk, sources=sources, is_page=is_page) for one in hands]
    before = prepared()
    for _ in range(10):
        for one, found in zip(hands, anew, strict=True):
            again = selectors.played_hand(one.pk, sources=sources, is_page=is_page)
            assert again == found
            assert repr(again) == repr(found)
    # PostgreSQL weighs plans for one hand five times, and then keeps the one for all.
    ((general, own),) = newly(before)
    assert general + own == 30
    assert own <= 5
    for nowhere in (first_key(month - 3) + 1, first_key(month + 1) + 1, 5):
        with pytest.raises(selectors.HandNotFound):
            selectors.played_hand(nowhere, sources=sources, is_page=is_page)
    with pytest.raises(selectors.HandNotFound):
        selectors.played_hand(hands[0].pk, sources=frozenset({"other"}), is_page=is_page)


def test_a_row_of_the_journal_is_the_same_prepared_or_not(ingest: Ingest) -> None:
    ingest(log(B))
    hand = Hand.objects.get()
    access = Access(account_id=None, name="東", address="2001:DB8::1", visit_id=7)
    told = {"asked": {"q": ["\0 'x' %s", "\ud800"]}, "status": 200, "none": None}

    def write() -> None:
        for subject, source, number in (("GET step", "s", 2**40), ("x" * 900, None, hand.pk)):
            record(
                access=access,
                act=Act.SEE_HANDS,
                subject=subject,
                source=source,
                hand=number,
                player="甲",
                detail=told,
            )

    with CaptureQueriesContext(connection):
        write()
    before = prepared()
    write()
    assert [sum(counts) for counts in newly(before)] == [2]
    columns = [field.attname for field in JournalEntry._meta.concrete_fields]
    rows = list(
        JournalEntry.objects.order_by("pk").values_list(
            *(name for name in columns if name not in ("id", "at"))
        )
    )
    assert len(rows) == 4
    assert rows[:2] == rows[2:]
    assert [row[columns.index("source") - 2] for row in rows[:2]] == ["s", hand.source]
