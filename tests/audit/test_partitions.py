"""The months of the large tables: what lies where, what guards it, and who makes and drops them."""

from __future__ import annotations

import io
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import Error, IntegrityError, connection, transaction

from audit.models import (
    Finding,
    Grant,
    Hand,
    HandVersion,
    Identity,
    RecordClass,
    Role,
    SealPending,
    Verdict,
)
from audit.selectors import diagnosis
from audit.selectors.access import access_of
from audit.selectors.diagnosis import Level
from audit.selectors.months import day_of, first_key, month_at, month_of
from audit.selectors.partitions import (
    PARTED,
    list_partitions,
    missing_months,
    month_name,
    months_of_rest,
    partition_trouble,
    unguarded,
)
from audit.services import desk
from audit.services.partitions import PartitionsRefused, drop_month, make_months
from audit.services.retention import begin_run, continue_run
from audit.services.sealing import seal
from tests.audit.logs import B, Ingest, changed, log, respelt, with_net
from tests.audit.months import filled, partitions_of

NOW = month_at(datetime.now(UTC).date())
TODAY = day_of(NOW)
LONG_AGO = month_at(date(2021, 3, 1))
WRONG = with_net(changed(B, hand_id="wrong"), 1, "-99.00")


def run(statement: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else []


def tamper(*statements: str) -> None:
    """As a superuser does who switches the triggers off."""
    run("SET LOCAL session_replication_role = replica")
    for statement in statements:
        run(statement)
    run("SET LOCAL session_replication_role = DEFAULT")


def move(month: int) -> None:
    """Let everything that is stored have come in another month: keys, and what names them."""
    change = f"((%s & 1099511627775) | {first_key(month)})"
    named = run(
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = 'public' AND table_name LIKE 'audit\\_%%'"
        " AND (table_name, column_name) IN (('audit_hand', 'id'), ('audit_hand', 'version_id'),"
        " ('audit_hand', 'verdict_id'), ('audit_handversion', 'id'),"
        " ('audit_handversion', 'hand_id'), ('audit_verdict', 'id'),"
        " ('audit_verdict', 'version_id'), ('audit_finding', 'verdict_id'),"
        " ('audit_duplicate', 'version_id'), ('audit_identity', 'key'))"
    )
    by_table: dict[str, list[str]] = {}
    for table, column in named:
        by_table.setdefault(table, []).append(column)
    tamper(
        *(
            f"UPDATE {table} SET "
            + ", ".join(f"{column} = {change % column}" for column in columns)
            for table, columns in by_table.items()
        ),
        # What waits to be sealed: versions and verdicts.
        f"UPDATE audit_sealpending SET rows = ARRAY(SELECT {change % 'one'} FROM unnest(rows) one)"
        " WHERE kind IN (1, 2)",
    )


@pytest.fixture
def long_ago(db: Any) -> int:
    """A month that is over, with partitions."""
    for table in PARTED:
        name = f"{table}_{month_name(LONG_AGO)}"
        run("SELECT audit_add_partition(%s, %s, %s, %s)", table, name, LONG_AGO, LONG_AGO + 1)
    return LONG_AGO


# -- keys -------------------------------------------------------------------------------------


def test_what_comes_lies_in_the_month_of_its_receipt(ingest: Ingest) -> None:
    ingest(log(B, WRONG))
    for model in (Hand, HandVersion, Verdict, Finding):
        keys = list(model.objects.values_list("pk", flat=True))
        assert keys
        assert {month_of(key) for key in keys} == {NOW}
    assert max(keys) < 2**53
    assert filled(*PARTED) == {f"{table}_{month_name(NOW)}" for table in PARTED}


def test_what_comes_later_lies_with_its_hand(ingest: Ingest, long_ago: int) -> None:
    ingest(log(B, WRONG))
    move(long_ago)
    user = User.objects.create_user("ann")
    ingest(log(with_net(B, 1, "-9.00"), respelt(B), WRONG, changed(B, hand_id="new")))
    ingest(log(with_net(B, 1, "-8.00")), user=user, restatement="Typo.")
    versions = HandVersion.objects.filter(
        hand__hand_id__in=[Hand.objects.order_by("pk")[0].hand_id]
    )
    assert versions.count() == 3
    assert {month_of(key) for key in versions.values_list("pk", flat=True)} == {long_ago}
    judged = Verdict.objects.filter(version__in=versions)
    assert judged.count() == 3
    assert {month_of(key) for key in judged.values_list("pk", flat=True)} == {long_ago}
    assert Finding.objects.filter(verdict__in=judged).count() > 0
    new = Hand.objects.get(hand_id="new")
    assert month_of(new.pk) == month_of(new.version_id) == month_of(new.verdict_id) == NOW
    assert filled("audit_finding") == {f"audit_finding_{month_name(long_ago)}"}


def test_findings_that_come_later_are_gathered_all_the_same(ingest: Ingest, long_ago: int) -> None:
    ingest(log(B, WRONG))
    move(long_ago)
    desk.gather_cases()
    ingest(log(changed(WRONG, hand_id="wrong, too")))
    desk.gather_cases()
    ingest(log(with_net(B, 1, "-9.00")), user=User.objects.create_user("a"), restatement="Typo.")
    newest = Finding.objects.order_by("-pk")[0]
    assert month_of(newest.verdict_id) == long_ago
    assert month_of(newest.pk) == NOW
    assert desk.gather_cases().hands == 1


def test_a_version_of_another_month_than_its_hand_is_refused(ingest: Ingest) -> None:
    ingest(log(B))
    stray = first_key(NOW + 1)
    for table in ("audit_handversion", "audit_verdict"):
        with pytest.raises(IntegrityError, match="in_month"), transaction.atomic():
            tamper(f"UPDATE {table} SET id = {stray}")


# -- one hand of one identity -----------------------------------------------------------------


def test_each_hand_has_its_identity(ingest: Ingest) -> None:
    ingest(log(B, WRONG, B))
    ingest(log(WRONG, changed(B, hand_id="new")))
    assert sorted(Identity.objects.values_list("source", "hand_id", "key")) == sorted(
        Hand.objects.values_list("source", "hand_id", "pk")
    )


def copied(table: str, key: str) -> str:
    names = [
        name
        for (name,) in run(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'audit_hand'::regclass"
            " AND attnum > 0 AND attname <> 'id' ORDER BY attnum"
        )
    ]
    columns = ", ".join(f'"{name}"' for name in names)
    return f"INSERT INTO {table} (id, {columns}) SELECT {key}, {columns} FROM audit_hand LIMIT 1"


def test_a_second_hand_of_one_identity_is_refused_in_whatever_month(
    ingest: Ingest, long_ago: int
) -> None:
    ingest(log(B))
    for table, key in (
        ("audit_hand", "id + 1"),
        ("audit_hand", str(first_key(long_ago) + 1)),
        (f"audit_hand_{month_name(long_ago)}", str(first_key(long_ago) + 1)),
    ):
        with pytest.raises(IntegrityError, match="is stored already"), transaction.atomic():
            run(copied(table, key))
    assert Hand.objects.count() == 1


def test_an_identity_never_names_another_hand_and_goes_only_with_its_own(ingest: Ingest) -> None:
    ingest(log(B))
    for statement, words in (
        ("UPDATE audit_identity SET key = 1", "is stored already"),
        ("UPDATE audit_identity SET hand_id = 'x'", "is stored already"),
        ("DELETE FROM audit_identity", "goes only with its hand"),
        ("SET LOCAL tilecourt.guard = 'on'; TRUNCATE audit_identity", "never changed or deleted"),
    ):
        with pytest.raises(Error, match=words), transaction.atomic():
            run(statement)
    assert Identity.objects.count() == 1
    run("ALTER TABLE audit_hand DISABLE TRIGGER kept")
    run("DELETE FROM audit_hand")
    assert Identity.objects.count() == 0


# -- guards -----------------------------------------------------------------------------------


def guards(table: str) -> set[tuple[str, str]]:
    """The names of the triggers of a table, and the functions that they call."""
    return set(
        run(
            "SELECT t.tgname, p.proname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
            " WHERE t.tgrelid = %s::regclass AND NOT (t.tgisinternal AND t.tgparentid = 0)",
            table,
        )
    )


def test_each_partition_has_the_guards_of_its_table(long_ago: int) -> None:
    make_months(today=TODAY)
    assert unguarded() == ()
    for table in PARTED:
        wanted = guards(table)
        assert {"never_emptied", "append_only"} <= {name for name, _ in wanted} or (
            table == "audit_hand" and {"kept", "kept_identity"} <= {name for name, _ in wanted}
        )
        names = partitions_of(table)
        assert len(names) == 2 + 4 + 1
        assert {name: guards(name) for name in names} == dict.fromkeys(names, wanted)


@pytest.mark.parametrize("table", ["audit_handversion", "audit_verdict", "audit_finding"])
@pytest.mark.parametrize("where", ["parent", "partition", "future"])
def test_rows_are_never_changed_deleted_or_emptied(ingest: Ingest, table: str, where: str) -> None:
    """By a superuser, by the table's name or by a partition's."""
    make_months(today=TODAY)
    ingest(log(B, WRONG))
    month = NOW
    if where == "future":
        month = NOW + 3
        move(month)
    target = table if where == "parent" else f"{table}_{month_name(month)}"
    assert run(f"SELECT count(*) > 0 FROM {target}") == [(True,)]
    for statement in (
        f"UPDATE {target} SET id = id",
        f"DELETE FROM {target}",
        f"TRUNCATE {target}",
    ):
        with pytest.raises(Error, match="are never changed or deleted"), transaction.atomic():
            run(f"SET LOCAL tilecourt.guard = 'on'; {statement}")


@pytest.mark.parametrize("where", ["audit_hand", "partition"])
def test_a_hand_keeps_its_name_wherever_it_lies(ingest: Ingest, where: str) -> None:
    ingest(log(B))
    target = where if where == "audit_hand" else f"audit_hand_{month_name(NOW)}"
    for statement in (f"UPDATE {target} SET hand_id = 'x'", f"DELETE FROM {target}"):
        with pytest.raises(Error, match="are never changed or deleted"), transaction.atomic():
            run(statement)


def test_rows_are_announced_to_the_log_by_whatever_name_they_are_added(ingest: Ingest) -> None:
    ingest(log(WRONG))
    waiting = SealPending.objects.count()
    columns = "verdict_id, position, code, severity, follows, explained_by, message"
    for number, target in enumerate(("audit_finding", f"audit_finding_{month_name(NOW)}"), 1):
        run(
            f"INSERT INTO {target} ({columns}) SELECT verdict_id, 90 + {number}, code, severity,"
            f" follows, explained_by, message FROM audit_finding ORDER BY id LIMIT 1"
        )
        assert SealPending.objects.count() == waiting + number


# -- making and dropping ----------------------------------------------------------------------


def call(*words: str) -> str:
    out = io.StringIO()
    call_command("partitions", *words, stdout=out)
    return out.getvalue()


def test_three_months_are_made_ahead_once(db: Any) -> None:
    assert partition_trouble(TODAY) is None
    made = make_months(today=TODAY)
    assert made == tuple(day_of(month) for month in (NOW + 2, NOW + 3))
    assert missing_months(TODAY) == ()
    assert make_months(today=TODAY) == ()
    assert call("make") == "Every month ahead was there.\n"
    names = {one.part for one in list_partitions()}
    assert names == {"before", "rest", *(month_name(month) for month in range(NOW, NOW + 4))}


def test_an_index_of_a_partition_is_named_for_that_of_its_table(db: Any) -> None:
    make_months(today=TODAY)
    found = run(
        "SELECT o.relname, c.relname, t.relname FROM pg_inherits i"
        " JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class o ON o.oid = i.inhparent"
        " JOIN pg_index x ON x.indexrelid = c.oid JOIN pg_class t ON t.oid = x.indrelid"
        " WHERE t.relname LIKE 'audit\\_hand\\_%'"
    )
    assert len(found) >= 6 * 10
    assert [row for row in found if row[1] != row[0] + row[2].removeprefix("audit_hand")] == []


def test_rows_without_a_month_of_their_own_get_one(ingest: Ingest) -> None:
    """As when nobody made months for a while: nothing is refused, and nothing is copied."""
    ingest(log(B, WRONG))
    move(NOW + 7)
    assert filled(*PARTED) == {f"{table}_rest" for table in PARTED}
    assert months_of_rest() == (NOW + 7, NOW + 7)
    check = diagnosis._partitions()
    assert check.level is Level.WARNING
    assert check.sentence.startswith("Rows lie in no month of their own")
    places = run("SELECT id, ctid, pg_relation_filenode('audit_hand_rest') FROM audit_hand")
    make_months(today=TODAY)
    part = month_name(NOW + 7)
    assert filled(*PARTED) == {f"{table}_{part}" for table in PARTED}
    assert places == run(
        f"SELECT id, ctid, pg_relation_filenode('audit_hand_{part}') FROM audit_hand"
    )
    assert months_of_rest() is None
    assert unguarded() == ()
    assert diagnosis._partitions().level is Level.GOOD


def test_rows_on_both_sides_of_known_months_are_left_to_a_person(ingest: Ingest) -> None:
    ingest(log(B))
    move(NOW + 7)
    ingest(log(changed(B, hand_id="early")))
    key = first_key(NOW - 9) + 5
    tamper(
        f"UPDATE audit_hand SET id = {key} WHERE hand_id = 'early'",
        f"UPDATE audit_identity SET key = {key} WHERE hand_id = 'early'",
    )
    with pytest.raises(PartitionsRefused, match="lies between"):
        make_months(today=TODAY)


def test_the_doctor_misses_the_next_month_and_a_guard(db: Any) -> None:
    next_year = date(TODAY.year + 1, TODAY.month, 1)
    sentence = partition_trouble(next_year)
    assert sentence is not None
    assert sentence.startswith(f"The partition of {next_year:%Y-%m} is missing")
    name = f"audit_verdict_{month_name(NOW)}"
    run(f"DROP TRIGGER never_emptied ON {name}")
    check = diagnosis._partitions()
    assert check.level is Level.TROUBLE
    assert check.sentence == (
        f"The partition {name} lacks the guard never_emptied of its table (1 in all):"
        " run manage.py partitions make."
    )
    call("make")
    assert diagnosis._partitions().level is Level.GOOD


def test_a_month_is_dropped_once_it_is_empty_and_said_twice(ingest: Ingest, long_ago: int) -> None:
    month = f"{day_of(long_ago):%Y-%m}"
    ingest(log(B, WRONG))
    move(long_ago)
    with pytest.raises(CommandError, match=r"audit_\w+_2021_03 holds rows: manage.py retention"):
        call("drop", month, "--confirm", month)
    tamper(*(f"DELETE FROM {table}" for table in (*PARTED, "audit_identity")))
    assert call("drop", month).startswith("Would drop audit_finding_2021_03, audit_hand_2021_03,")
    assert len(list_partitions()) == 4 * 5
    with pytest.raises(CommandError, match="names another month"):
        call("drop", month, "--confirm", "2021-04")
    assert call("drop", month, "--confirm", month).startswith("Dropped audit_finding_2021_03,")
    assert len(list_partitions()) == 4 * 4
    with pytest.raises(CommandError, match="2021-03 has no partition"):
        call("drop", month)


def test_the_drill_of_dropping_a_month(
    ingest: Ingest, long_ago: int, settings: Any, tmp_path: Any
) -> None:
    """Retention deletes what is of age, the month is dropped, and the log still verifies."""
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    settings.STATE = tmp_path
    ingest(log(B, WRONG))
    move(long_ago)
    then = "created_at = created_at - interval '11 years'"
    tamper(f"UPDATE audit_handversion SET {then}", f"UPDATE audit_upload SET {then}")
    ingest(log(changed(B, hand_id="new")))
    seal()
    keeper = User.objects.create_user("kay")
    Grant.objects.create(account=keeper, role=Role.ADMINISTRATOR)
    source = Hand.objects.values_list("source", flat=True)[0]
    run_id = begin_run(
        access=access_of(keeper), record_class=RecordClass.HANDS, source=source, reason="of age"
    )
    continue_run(run_id=run_id)
    assert list(Hand.objects.values_list("hand_id", flat=True)) == ["new"]
    assert Identity.objects.count() == 1
    month = f"{day_of(long_ago):%Y-%m}"
    assert call("drop", month, "--confirm", month).startswith("Dropped audit_finding_2021_03,")
    seal()
    out = io.StringIO()
    call_command("verify_store", stdout=out)
    assert f"deleted under retention run {run_id}" in out.getvalue()
    assert "are as they were sealed" in out.getvalue()
    # The same record comes again as a new hand of this month.
    assert ingest(log(B)).new == 1
    assert month_of(Identity.objects.get(hand_id=Hand.objects.latest("pk").hand_id).key) == NOW


def test_neither_this_month_nor_one_to_come_is_dropped(db: Any) -> None:
    for month in (NOW, NOW + 1):
        with pytest.raises(PartitionsRefused, match="is not over"):
            drop_month(month=day_of(month), today=TODAY, is_rehearsal=True)


def test_the_list_has_a_line_for_each_month(ingest: Ingest) -> None:
    ingest(log(B, WRONG))
    run("ANALYZE")
    lines = call().splitlines()
    assert lines[0].split() == ["month", "hand", "handversion", "verdict", "finding", "MiB"]
    this = next(line for line in lines if line.startswith(f"{TODAY:%Y-%m}"))
    assert this.split()[1:4] == ["2", "2", "2"]
    assert [line.split()[0] for line in lines[1:-1]] == [
        f"{day_of(NOW):%Y-%m}", f"{day_of(NOW + 1):%Y-%m}", "before", "rest",
    ]  # fmt: skip
    assert lines[-1] == "All is well."


# -- the planner ------------------------------------------------------------------------------


def test_a_row_is_looked_for_in_its_own_month_alone(ingest: Ingest) -> None:
    """By the key of a hand and by what belongs to it: the plan has no other month."""
    make_months(today=TODAY)
    ingest(log(WRONG))
    hand = Hand.objects.get()
    for query in (
        Hand.objects.filter(pk=hand.pk),
        HandVersion.objects.filter(hand_id=hand.pk),
        Verdict.objects.filter(version_id=hand.version_id),
        Finding.objects.filter(verdict_id=hand.verdict_id),
    ):
        plan = query.explain()
        names = {name for table in PARTED for name in partitions_of(table) if name in plan}
        assert len(names) == 1, plan
        assert names.pop().endswith(month_name(NOW))
