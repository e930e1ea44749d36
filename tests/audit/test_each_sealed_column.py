"""Every column that is sealed, of each kind of evidence: the database refuses to change it, and the
log knows when somebody who switched the guards off did; it names what was deleted or moved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations import Migration, RunSQL
from django.db.migrations.state import ProjectState

from audit.models import (
    AcceptedSoftware,
    Incident,
    LeafKind,
    ReviewKind,
    SealedLeaf,
    SignIn,
    SignInOutcome,
    SignInWay,
    SoftwareCheck,
)
from audit.models.retention import RecordClass, TermUnit
from audit.selectors.access import Act, access_of
from audit.selectors.sealed_rows import SEALED, hash_row
from audit.selectors.veiled_rows import read_leaves
from audit.services.certifying_rules import set_day_rule
from audit.services.journal import record
from audit.services.retention import lift_hold, place_hold, set_term
from audit.services.reviews import record_review
from audit.services.sealing import seal
from tests.access import trusted
from tests.audit.logs import Ingest
from tests.audit.rare_rows import make_rare_rows, take_in_what_becomes_rare
from tests.audit.seals import ingest_all_kinds
from tests.audit.test_verifying import own_places, tamper, verify  # noqa: F401 - a fixture
from tests.web.operators import operator_of

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]

KINDS = list(SEALED)
TEXT = (
    "CASE WHEN coalesce({0}, '') = '' THEN 'y'"
    " ELSE overlay({0} PLACING CASE left({0}, 1) WHEN 'y' THEN 'z' ELSE 'y' END FROM 1 FOR 1) END"
)
# Another value, by the type of the column; whatever is not here is text.
OTHERWISE = {
    "boolean": "NOT coalesce({0}, true)",
    "bytea": "sha256('touched')",
    "jsonb": "'{{\"touched\": 1}}'",
    "inet": "'192.0.2.77'",
    "date": "coalesce({0}, '2001-01-01') + 1",
    "timestamp with time zone": "coalesce({0}, now()) + interval '1 microsecond'",
    "smallint": "coalesce({0}, 0) + 1",
    "integer": "coalesce({0}, 0) + 1",
    "bigint": "coalesce({0}, 0) + 1",
    "numeric": "coalesce({0}, 0) + 1",
    "bigint[]": "coalesce({0}, '{{}}') || 1::bigint",
    "text[]": "coalesce({0}, '{{}}') || 'touched'::text",
}
# What a guard answers, and no constraint.
REFUSED = "23001"
# Whose name may be missing, and why.
BY_NOBODY = {
    "audit_acceptedsoftware.actor_id": "the first look of an installation accepts what it finds",
    "audit_caseact.actor_id": "what the audit does by itself; a constraint names these acts",
    "audit_report.made_by_id": "made by the clock",
    "audit_rulesetrevision.closed_by_id": "not withdrawn or retired; a constraint asks for who did",
    "audit_rulesetrevision.published_by_id": "a draft; a constraint asks for who published",
    "audit_upload.received_by_id": "a file that a command took, as the journal says; a restatement"
    " needs somebody",
}


@pytest.fixture
def filled(ingest: Ingest, django_user_model: Any) -> None:
    """Two rows at least of each kind, all of them sealed."""
    take_in_what_becomes_rare(ingest)
    ingest_all_kinds(ingest)
    make = django_user_model.objects.create_user
    first, second = trusted(make("ines.castro")), trusted(make("tom.reyes"))
    access = access_of(first)
    for number, source in enumerate(("south", "north")):
        operator_of(source, first=first, second=second)
        set_day_rule(
            source=source, table="", time_zone="Asia/Macau", starts_at=60 * number,
            numbering="detect", sources=None, user=first,
        )  # fmt: skip
        set_term(
            access=access, record_class=RecordClass.JOURNAL, source=source, count=11 + number,
            unit=TermUnit.YEAR, reason=f"{source} wants it",
        )  # fmt: skip
        hold = place_hold(access=access, source=source, reason=f"{source} asked again")
        lift_hold(access=access, hold=hold, reason=f"{source} needs it no more")
        Incident.objects.create(kind="clock", place=f"machine {number}", detail=f"{number} s")
        accepted = AcceptedSoftware.objects.create(
            actor=first, reason=f"release {number}", engine="1", items={"a": source},
            sha256=source.encode(),
        )  # fmt: skip
        SoftwareCheck.objects.create(
            accepted=accepted, occasion="daily", process=f"worker {number}", engine="1",
            is_good=True, sha256=source.encode(), differences={},
        )  # fmt: skip
        SignIn.objects.create(
            name=f"mallory {number}", way=SignInWay.PASSWORD, outcome=SignInOutcome.WRONG,
            address="192.0.2.1",
        )  # fmt: skip
        record(
            access=access, act=Act.SEE_HANDS, subject=f"hand:{number}", source=source,
            hand=number + 1, player="Ann", detail={"n": number},
        )  # fmt: skip
        record_review(
            access=access, kind=ReviewKind.JOURNAL, note=f"odd {number}", first=1, last=number + 2,
            facts={"looked": number},
        )  # fmt: skip
    seal_all()
    make_rare_rows(access, access_of(second))
    seal_all()
    tamper("SET CONSTRAINTS ALL IMMEDIATE")


def seal_all() -> None:
    while seal().is_more:
        pass


def ends(kind: LeafKind) -> tuple[int, int]:
    """The first and the last row of a kind that have a leaf and are there."""
    table = SEALED[kind].table
    leaves = f"JOIN audit_sealedleaf l ON l.kind = {kind.value} AND l.row = t.id"
    rows = [row for (row,) in tamper(f"SELECT t.id FROM {table} t {leaves} ORDER BY t.id")]
    assert len(rows) > 1, f"{kind.label}: {len(rows)}"
    return rows[0], rows[-1]


def columns(kind: LeafKind) -> Iterator[tuple[str, str]]:
    """Each column of the table itself that stands in the leaf, and an assignment to change it."""
    sealed = SEALED[kind]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute"
            f" WHERE attrelid = '{sealed.table}'::regclass AND attnum > 0 AND NOT attisdropped"
        )
        types = dict(cursor.fetchall())
    for name in dict.fromkeys(re.findall(r'\bt\."?(\w+)', sealed.fields)):
        if name != "id":
            quoted = f'"{name}"'
            yield name, f"{quoted} = {OTHERWISE.get(types[name], TEXT).format(quoted)}"


def without_constraints(table: str) -> list[str]:
    """What somebody who may do everything does first, so that nothing but the log stands."""
    parts = f"SELECT relid FROM pg_partition_tree('{table}') UNION SELECT '{table}'::regclass"
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint"
            f" WHERE conrelid IN ({parts}) AND contype IN ('c', 'u') AND coninhcount = 0"
        )
        constraints = cursor.fetchall()
        cursor.execute(
            f"SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = '{table}'::regclass"
            " AND indisunique AND NOT indisprimary"
            " AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)"
        )
        indexes = [name for (name,) in cursor.fetchall()]
    return [
        *(f"ALTER TABLE {part} DROP CONSTRAINT {name} CASCADE" for part, name in constraints),
        *(f"DROP INDEX {name} CASCADE" for name in indexes),
    ]


def test_there_are_rows_of_every_kind_and_all_are_as_they_were_sealed(filled: None) -> None:
    found = set(SealedLeaf.objects.values_list("kind", flat=True))
    assert found == set(LeafKind) == set(SEALED)
    status, words = verify()
    assert status == 0, words


def answer_to(statement: str) -> str | None:
    """What is wrong with how the database answered; None where a guard refused."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError as error:
        state = getattr(error.__cause__, "sqlstate", None)
        return None if state == REFUSED else f"{state}: {error}"
    return "it was done"


def test_the_database_refuses_to_change_a_sealed_column_and_to_delete_its_row(filled: None) -> None:
    wrong = {}
    for kind in KINDS:
        table, (_, row) = SEALED[kind].table, ends(kind)
        acts = {name: f"UPDATE {table} SET {change}" for name, change in columns(kind)}
        assert acts, kind
        for name, act in {**acts, "delete": f"DELETE FROM {table}"}.items():
            if (words := answer_to(f"{act} WHERE id = {row}")) is not None:
                wrong[kind.label, name] = words
    assert wrong == {}


def answer_to_migration(operation: RunSQL) -> str | None:
    """As `answer_to`, of what a migration that does this is answered when it is applied."""
    migration = Migration("9999_rewrite", "audit")
    migration.operations = [operation]
    try:
        with connection.schema_editor(atomic=True) as editor:
            migration.apply(ProjectState(), editor)
    except DatabaseError as error:
        state = getattr(error.__cause__, "sqlstate", None)
        return None if state == REFUSED else f"{state}: {error}"
    return "it was done"


def test_a_migration_is_refused_what_the_application_is(filled: None) -> None:
    wrong = {}
    for kind in KINDS:
        table, (_, row) = SEALED[kind].table, ends(kind)
        _, change = next(iter(columns(kind)))
        for act in (
            f"UPDATE {table} SET {change} WHERE id = {row}",
            f"DELETE FROM {table} WHERE id = {row}",
            # Without the word by which tests empty tables.
            f"SET LOCAL tilecourt.guard = 'on'; TRUNCATE {table} CASCADE",
        ):
            if (words := answer_to_migration(RunSQL(act))) is not None:
                wrong[kind.label, act.split()[0]] = words
    assert wrong == {}


@contextmanager
def undone() -> Iterator[None]:
    """Take back what is done inside."""
    point = transaction.savepoint()
    yield
    transaction.savepoint_rollback(point)


def tampered(*statements: str) -> tuple[int, list[str]]:
    """What `verify-store` says when these were done behind the application's back."""
    with undone():
        tamper(*statements)
        status, words = verify()
    return status, words


def test_no_sealed_column_is_changed_unseen(filled: None) -> None:
    unseen = []
    for kind in KINDS:
        table, (_, row) = SEALED[kind].table, ends(kind)
        leaf = SealedLeaf.objects.get(kind=kind, row=row)
        for name, change in columns(kind):
            with undone():
                tamper(*without_constraints(table))
                tamper(f"UPDATE {table} SET {change} WHERE id = {row}")
                for _, fields in read_leaves(kind, [row], form=leaf.form):
                    if hash_row(kind, leaf.index, fields, leaf.form) == bytes(leaf.hash):
                        unseen.append((kind.label, name))
    assert unseen == []


def test_what_was_changed_is_named_in_each_table(filled: None) -> None:
    for kind in KINDS:
        table, (_, row) = SEALED[kind].table, ends(kind)
        name, change = list(columns(kind))[-1]
        status, words = tampered(
            *without_constraints(table), f"UPDATE {table} SET {change} WHERE id = {row}"
        )
        named = [line for line in words if re.match(rf"{kind.label} {row}\b", line)]
        assert status == 1, (kind.label, name)
        assert any(line.endswith(": altered since it was sealed") for line in named), (name, words)


def test_what_was_deleted_is_named_in_each_table(filled: None) -> None:
    gone = {kind: ends(kind)[1] for kind in KINDS}
    status, words = tampered(
        *(f"DELETE FROM {SEALED[kind].table} WHERE id = {row}" for kind, row in gone.items())
    )
    assert status == 1
    for kind, row in gone.items():
        assert any(line.startswith(f"{kind.label} {row}: deleted; ") for line in words), kind.label


def test_two_rows_in_each_others_place_are_named_in_each_table(filled: None) -> None:
    for kind in KINDS:
        table, (first, second) = SEALED[kind].table, ends(kind)
        # A key that nobody has, in the month of the first: another the tables would not take.
        free = first + (1 << 39)
        status, words = tampered(
            f"UPDATE {table} SET id = {free} WHERE id = {first}",
            f"UPDATE {table} SET id = {first} WHERE id = {second}",
            f"UPDATE {table} SET id = {second} WHERE id = {free}",
        )
        assert status == 1, kind.label
        for row in (first, second):
            named = [line for line in words if re.match(rf"{kind.label} {row}\b", line)]
            assert any(line.endswith(": altered since it was sealed") for line in named), words


def test_what_people_do_is_written_by_somebody(db: None) -> None:
    """A column that says who did it takes no NULL, but for those that say why."""
    tables = ", ".join(f"'{sealed.table}'" for sealed in SEALED.values())
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attrelid::regclass || '.' || attname, attnotnull FROM pg_attribute"
            f" WHERE attrelid::regclass::text IN ({tables})"
            " AND attname ~ '(_by_id|^actor_id|^author_id|^actor)$'"
        )
        found = dict(cursor.fetchall())
    assert len(found) > 12
    assert {name for name, is_needed in found.items() if not is_needed} == set(BY_NOBODY)
