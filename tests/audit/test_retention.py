"""Terms, holds and runs (S16 to S18): nothing goes before its date, what went is on record."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from audit.models import (
    Case,
    CaseAct,
    Comparison,
    Finding,
    Grant,
    Hand,
    HandVersion,
    JournalEntry,
    LeafKind,
    NameSalt,
    Player,
    RecordClass,
    Refusal,
    RetentionBatch,
    RetentionDeletion,
    RetentionRun,
    RetentionState,
    Role,
    SealedLeaf,
    TermUnit,
    Upload,
    Verdict,
    WebhookAttempt,
    WebhookDelivery,
)
from audit.models.uploads import UploadSource
from audit.selectors.access import access_of
from audit.selectors.references import missing_references
from audit.selectors.retention import deleted_leaves, list_runs, term_in_force
from audit.selectors.retention_due import all_due, scope_of
from audit.services import compare_table, retention, retention_deleting
from audit.services.bundling import bundle_hand
from audit.services.retention import (
    RetentionRefused,
    begin_run,
    continue_run,
    lift_hold,
    place_hold,
    set_term,
)
from audit.services.sealing import seal
from audit.services.webhooks import create_webhook
from audit.services.webhooks_sending import gather_messages
from replay.evidence import Frontier, verify_bundle
from tests.audit.chains import golden
from tests.audit.dumps import places_of
from tests.audit.logs import B, W, changed, log, respelt, with_net
from tests.audit.seals import ingest_all_kinds

pytestmark = pytest.mark.django_db

HANDS, CASES, JOURNAL = RecordClass.HANDS, RecordClass.CASES, RecordClass.JOURNAL


@pytest.fixture(autouse=True)
def own_places(tmp_path, settings):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    settings.STATE = tmp_path


@pytest.fixture
def keeper():
    """What an administrator of every source may do."""
    user = User.objects.create_user("kay")
    Grant.objects.create(account=user, role=Role.ADMINISTRATOR)
    return access_of(user)


def tamper(*statements: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica")
        for statement in statements:
            cursor.execute(statement)
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


def age(years: int = 11, lines: str = "true") -> None:
    """Let what is stored have been received so long ago; before it is sealed."""
    then = f"created_at - interval '{years} years'"
    tamper(
        f"UPDATE audit_handversion SET created_at = {then} WHERE {lines}",
        f"UPDATE audit_upload SET created_at = {then}",
    )


def verify(*arguments: str) -> tuple[int, list[str]]:
    out = io.StringIO()
    status = 0
    try:
        call_command("verify_store", *arguments, stdout=out, stderr=io.StringIO())
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    return status, out.getvalue().splitlines()


def source_of(line: bytes) -> str:
    return json.loads(line)["source"]


def run_over(access, record_class=HANDS, source=None, **how):
    run = begin_run(access=access, record_class=record_class, source=source, reason="of age", **how)
    return continue_run(run_id=run)


def second(name: str):
    """What another administrator may do."""
    user = User.objects.create_user(name)
    Grant.objects.create(account=user, role=Role.ADMINISTRATOR)
    return access_of(user)


def counts() -> dict[str, int]:
    models = (Hand, HandVersion, Verdict, Finding, Comparison)
    return {model.__name__: model.objects.count() for model in models}


# -- terms ----------------------------------------------------------------------------------


def test_ten_years_where_nobody_says_otherwise_and_less_for_attachments(keeper):
    for record_class, words in (
        (HANDS, "10 years"), (CASES, "10 years"), (JOURNAL, "10 years"),
        (RecordClass.ATTACHMENTS, "90 days"),
    ):  # fmt: skip
        term = term_in_force(record_class, "table-7")
        assert (term.words, term.term, term.is_own) == (words, None, False)
    set_term(
        access=keeper, record_class=HANDS, source=None, count=7, unit=TermUnit.YEAR, reason="x"
    )
    set_term(
        access=keeper, record_class=HANDS, source="a", count=6, unit=TermUnit.MONTH, reason="y"
    )
    assert term_in_force(HANDS, "a").words == "6 months"
    assert term_in_force(HANDS, "b").words == "7 years"
    # What belongs to no source is kept as long as anything.
    assert term_in_force(HANDS, None).words == "7 years"
    set_term(access=keeper, record_class=HANDS, source="b", count=9, unit=TermUnit.YEAR, reason="z")
    assert term_in_force(HANDS, None).words == "9 years"
    assert term_in_force(CASES, "a").words == "10 years"


@pytest.mark.parametrize(("count", "reason"), [(0, "x"), (40_000, "x"), (1, " "), (1, "a\x00")])
def test_a_term_is_a_time_and_has_a_reason(keeper, count, reason):
    with pytest.raises(RetentionRefused):
        set_term(
            access=keeper, record_class=HANDS, source=None, count=count, unit=TermUnit.DAY,
            reason=reason,
        )  # fmt: skip


def test_only_who_administers_a_source_sets_its_term():
    user = User.objects.create_user("sue")
    Grant.objects.create(account=user, role=Role.ADMINISTRATOR, source="a")
    Grant.objects.create(account=user, role=Role.AUDITOR)
    how = {"record_class": HANDS, "count": 1, "unit": TermUnit.YEAR, "reason": "x"}
    set_term(access=access_of(user), source="a", **how)
    for source in ("b", None):
        with pytest.raises(RetentionRefused, match="may not say"):
            set_term(access=access_of(user), source=source, **how)
    entries = JournalEntry.objects.filter(act="manage-retention").values_list("actor", "source")
    assert list(entries) == [("sue", "a")]


# -- before its date ------------------------------------------------------------------------


def test_deletion_before_its_date_is_refused_by_the_service(ingest, keeper):
    ingest(log(B))
    age(9)
    early = timezone.now() - timedelta(days=9 * 365)
    with pytest.raises(RetentionRefused, match="The date has not come: hands are kept for 10"):
        begin_run(
            access=keeper, record_class=HANDS, source=source_of(B), reason="x", cutoff_at=early
        )
    assert run_over(keeper, source=source_of(B)).items == 0
    assert Hand.objects.count() == 1


def test_deletion_before_its_date_is_refused_by_the_database(ingest, keeper):
    ingest(log(B, changed(B, hand_id="young")))
    age(lines="line = 1")
    seal()
    user = User.objects.get(username="kay")
    with pytest.raises(DatabaseError, match="date of retention run"), transaction.atomic():
        RetentionRun.objects.create(
            record_class=HANDS, source=source_of(B), cutoff_at=timezone.now(), reason="x",
            asked_by=user,
        )  # fmt: skip
    run = begin_run(access=keeper, record_class=HANDS, source=source_of(B), reason="x")
    young = Hand.objects.get(hand_id="young")
    with pytest.raises(DatabaseError, match=r"is to be kept \(date\)"), transaction.atomic():
        RetentionBatch.objects.create(run_id=run, items=[young.pk])
    # A batch opens the way for what it names and for nothing else, in its own transaction.
    old = Hand.objects.get(hand_id="base-1")
    with transaction.atomic():
        batch = RetentionBatch.objects.create(run_id=run, items=[old.pk])
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('tilecourt.retention_batch', %s, true)", [str(batch.pk)]
            )
            for statement in (
                f"DELETE FROM audit_hand WHERE id = {young.pk}",
                f"DELETE FROM audit_handversion WHERE hand_id = {young.pk}",
                f"DELETE FROM audit_verdict WHERE version_id = {young.version_id}",
                f"UPDATE audit_handversion SET line = 9 WHERE hand_id = {old.pk}",
                "DELETE FROM audit_upload",
                "DELETE FROM audit_sealedleaf",
                "DELETE FROM audit_retentionrun",
            ):
                with pytest.raises(DatabaseError, match="never changed or deleted"), \
                        transaction.atomic():  # fmt: skip
                    cursor.execute(statement)
            cursor.execute("SELECT set_config('tilecourt.retention_batch', '', true)")
    with pytest.raises(DatabaseError, match="never changed or deleted"), transaction.atomic():
        HandVersion.objects.filter(hand=old)._raw_delete("default")


def test_nobody_shortens_a_term_and_deletes_by_it_alone(ingest, keeper):
    """Two people are needed, as for rulesets and remedies: else one could be rid of the journal."""
    ingest(log(B))
    age(years=1)
    seal()
    source = source_of(B)
    set_term(
        access=keeper, record_class=HANDS, source=source, count=1, unit=TermUnit.DAY, reason="room"
    )
    with pytest.raises(RetentionRefused, match="Whoever set a term does not delete by it"):
        run_over(keeper, source=source)
    assert Hand.objects.count() == 1
    # The database says so, too.
    term = term_in_force(HANDS, source)
    with pytest.raises(DatabaseError, match="does not delete by it"), transaction.atomic():
        RetentionRun.objects.create(
            record_class=HANDS, source=source, term_id=term.term, cutoff_at=term.cutoff_at,
            reason="x", asked_by_id=keeper.account_id,
        )  # fmt: skip
    assert run_over(second("lou"), source=source).items == 1
    assert Hand.objects.count() == 0


def test_a_longer_term_set_meanwhile_stops_a_run(ingest, keeper):
    ingest(log(B))
    age()
    run = begin_run(access=keeper, record_class=HANDS, source=source_of(B), reason="x")
    set_term(
        access=keeper, record_class=HANDS, source=source_of(B), count=12, unit=TermUnit.YEAR,
        reason="a law suit",
    )  # fmt: skip
    with pytest.raises(RetentionRefused, match="A longer term was set since: 12 years"):
        continue_run(run_id=run)
    with pytest.raises(DatabaseError, match="has not come"), transaction.atomic():
        RetentionBatch.objects.create(run_id=run, items=[Hand.objects.get().pk])


# -- a run ----------------------------------------------------------------------------------


def test_what_is_due_is_told_of_each_place_by_its_own_term_in_a_fixed_number_of_questions(
    ingest, keeper, django_assert_num_queries
):
    """Each year for ten years a hand of each source came, and a line that is none."""
    years = {f"s{number}": number for number in range(1, 7)}
    for year in range(10, 0, -1):
        hands = [changed(B, source=source, hand_id=f"{year}") for source in years]
        row = ingest(log(*hands, b"{}"))
        then = f"now() - interval '{year} years 1 day'"
        tamper(
            f"UPDATE audit_handversion SET created_at = {then} WHERE upload_id = {row.id}",
            f"UPDATE audit_upload SET created_at = {then} WHERE id = {row.id}",
        )
    for source, count in years.items():
        set_term(access=keeper, record_class=HANDS, source=source, count=count,
                 unit=TermUnit.YEAR, reason="x")  # fmt: skip
    places = [(HANDS, source) for source in years]
    with django_assert_num_queries(3):
        (alone,) = all_due(places[:1])
    with django_assert_num_queries(3):
        due = all_due(places)
    assert [one.term.source for one in due] == list(years)
    assert [one.count for one in due] == [11 - count for count in years.values()]
    assert alone.count == 10
    others = [(HANDS, None), (CASES, "s1"), (JOURNAL, "s1"), (JOURNAL, None),
              (RecordClass.ATTACHMENTS, "s1")]  # fmt: skip
    with django_assert_num_queries(9):
        whole = all_due([*places, *others])
    # Refused lines go by the longest term, which nobody set: ten years.
    assert [one.count for one in whole] == [*(one.count for one in due), 1, 0, 0, 0, 0]
    assert [one.term for one in whole] == [term_in_force(*place) for place in [*places, *others]]


def test_what_is_of_age_goes_with_all_that_hangs_on_it_and_the_log_still_verifies(ingest, keeper):
    ingest_all_kinds(ingest)
    age()
    seal()
    before = SealedLeaf.objects.count()
    lines = {name: Hand.objects.filter(source=name).count() for name in
             Hand.objects.values_list("source", flat=True).distinct()}  # fmt: skip
    assert min(lines.values()) >= 1
    assert Comparison.objects.exists()
    done = [run_over(keeper, source=name) for name in lines]
    assert [one.items for one in done] == list(lines.values())
    assert set(counts().values()) == {0}
    assert not Player.objects.exists()
    # The vault keeps no name longer than its hands.
    assert not NameSalt.objects.exists()
    refused = Refusal.objects.count()
    refusals = run_over(keeper, source=None)
    assert refusals.items == refused >= 2
    assert not Refusal.objects.exists()
    assert all(one.rows == 0 for one in missing_references())
    status, words = verify()
    assert status == 0, words
    assert words[: len(done) + 1] == [
        f"{one.leaves:,} leaves: deleted under retention run {one.run}" for one in [*done, refusals]
    ]
    uploads = SealedLeaf.objects.filter(index__lt=before, kind=LeafKind.UPLOAD).count()
    assert sum(one.leaves for one in done) + refusals.leaves == before - uploads


def test_a_certificate_says_what_went_and_over_which_leaves(ingest, keeper):
    ingest(log(B, changed(W, source="elsewhere"), with_net(B, 1, "0.00"), respelt(B)))
    age()
    seal()
    wanted = SealedLeaf.objects.exclude(kind=LeafKind.UPLOAD).order_by("index")
    frontier = Frontier()
    rows = {"audit_hand": 1, "audit_handversion": 2, "audit_verdict": 2, "audit_duplicate": 1}
    gone = [
        leaf for leaf in wanted
        if leaf.kind != LeafKind.VERSION
        or HandVersion.objects.get(pk=leaf.row).hand.source == source_of(B)
    ]  # fmt: skip
    done = run_over(keeper, source=source_of(B))
    (run,) = list_runs(sources=None)
    told = json.loads(run.certificate)
    assert told["deleted"] == 1
    assert {name: told["rows"][name] for name in rows} == rows
    assert told["leaves"] == done.leaves
    assert told["root"] == done.root == run.root
    left = {(leaf.kind, leaf.row) for leaf in gone}
    for deletion in RetentionDeletion.objects.all():
        assert {(deletion.kind, row) for row in deletion.rows} <= left | {
            (LeafKind.DUPLICATE, row) for row in deletion.rows
        }
    deleted = {(one.kind, row) for one in RetentionDeletion.objects.all() for row in one.rows}
    for leaf in wanted:
        if (leaf.kind, leaf.row) in deleted:
            frontier.append(bytes(leaf.hash))
    assert (frontier.size, frontier.root().hex()) == (done.leaves, done.root)
    assert deleted_leaves(run.pk) == (done.leaves, bytes.fromhex(done.root))


def test_the_hand_before_goes_and_the_comparison_with_it_stays_as_sealed(ingest, keeper):
    ingest(log(*golden("tien-gow", "continuity-gaps")))
    from audit.models import Table  # noqa: PLC0415

    for table in Table.objects.all():
        while compare_table(table_id=table.pk):
            pass
    with_earlier = Comparison.objects.exclude(earlier=None).order_by("pk").last()
    assert with_earlier is not None
    later = with_earlier.verdict.version.hand
    earlier = with_earlier.earlier.version.hand
    tamper(
        "UPDATE audit_handversion SET created_at = created_at - interval '11 years'"
        f" WHERE hand_id = {earlier.pk}",
    )
    seal()
    scope = scope_of(HANDS, later.source, term_in_force(HANDS, later.source).cutoff_at)
    run = begin_run(access=keeper, record_class=HANDS, source=later.source, reason="x")
    retention_deleting.delete_batch(run_id=run, items=[earlier.pk])
    assert not Hand.objects.filter(pk=earlier.pk).exists()
    assert Comparison.objects.filter(pk=with_earlier.pk).exists()
    assert scope.record_class == HANDS
    continue_run(run_id=run)
    status, words = verify()
    assert status == 0, words
    assert all(one.rows == 0 for one in missing_references())
    # Its bundle has what can still be made again.
    made = bundle_hand(hand_id=later.pk, sources=None)
    assert verify_bundle(made.data).problems == ()


def test_a_hand_that_was_stated_anew_keeps_its_first_version_too(ingest, keeper):
    ingest(log(B))
    age()
    ingest(log(with_net(B, 1, "1.00")))
    done = run_over(keeper, source=source_of(B))
    assert (done.items, done.kept) == (0, {"date": 1})
    assert HandVersion.objects.count() == 2


def test_what_was_deleted_without_a_run_is_still_missing(ingest, keeper):
    ingest(log(B, changed(B, hand_id="other")))
    seal()
    row = HandVersion.objects.order_by("pk").first()
    tamper(f"DELETE FROM audit_handversion WHERE id = {row.id}")
    status, words = verify()
    assert status == 1
    index = SealedLeaf.objects.get(kind=LeafKind.VERSION, row=row.pk).index
    assert f"hand version {row.id}: deleted; it was sealed as leaf {index:,}" in words


def test_a_run_that_says_it_deleted_more_is_named(ingest, keeper):
    ingest(log(B, changed(B, hand_id="other")))
    age(lines="line = 1")
    seal()
    done = run_over(keeper, source=source_of(B))
    assert done.items == 1
    row = HandVersion.objects.get()
    tamper(
        f"DELETE FROM audit_handversion WHERE id = {row.id}",
        f"UPDATE audit_retentiondeletion SET rows = rows || {row.id}::bigint"
        f" WHERE kind = {LeafKind.VERSION.value}",
    )
    status, words = verify()
    assert status == 1
    deletion = RetentionDeletion.objects.get(kind=LeafKind.VERSION)
    assert f"deletion of a retention run {deletion.pk}: altered since it was sealed" in words
    assert f"retention run {done.run}: what it deleted is not what its certificate says" in words


@pytest.mark.parametrize("change", ["certificate = certificate || ' '", "leaf_count = 99"])
def test_an_altered_run_is_named(ingest, keeper, change):
    ingest(log(B))
    age()
    done = run_over(keeper, source=source_of(B))
    tamper(f"UPDATE audit_retentionrun SET {change}")
    status, words = verify()
    assert status == 1
    assert f"retention run {done.run}: altered since it was sealed" in words


def test_a_run_is_stopped_between_batches_and_gone_on_with(ingest, keeper, monkeypatch):
    monkeypatch.setattr(retention, "ITEMS_AT_ONCE", 2)
    ingest(log(*(changed(B, hand_id=f"many-{number}") for number in range(7))))
    age()
    run = begin_run(access=keeper, record_class=HANDS, source=source_of(B), reason="x")

    def stop(looked, whole):
        assert whole >= 7 - looked
        if looked == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        continue_run(run_id=run, on_progress=stop)
    assert Hand.objects.count() == 3
    assert RetentionRun.objects.get().state == RetentionState.STOPPED
    with pytest.raises(RetentionRefused, match="is not done: go on with it"):
        begin_run(access=keeper, record_class=HANDS, source=source_of(B), reason="x")
    done = continue_run(run_id=run)
    assert (done.items, Hand.objects.count()) == (7, 0)
    with pytest.raises(RetentionRefused, match="is done"):
        continue_run(run_id=run)
    assert verify()[0] == 0


# -- holds ----------------------------------------------------------------------------------


def test_a_hold_on_a_hand_keeps_it_until_it_is_lifted(ingest, keeper):
    ingest(log(B, changed(B, hand_id="other")))
    age()
    hold = place_hold(access=keeper, source=source_of(B), hand_id="base-1", reason="a dispute")
    done = run_over(keeper, source=source_of(B))
    assert (done.items, done.kept) == (1, {"hold": 1})
    run = begin_run(access=keeper, record_class=HANDS, source=source_of(B), reason="x")
    with pytest.raises(DatabaseError, match=r"to be kept \(hold\)"), transaction.atomic():
        RetentionBatch.objects.create(run_id=run, items=[Hand.objects.get().pk])
    lift_hold(access=keeper, hold=hold, reason="settled")
    with pytest.raises(RetentionRefused, match="lifted already"):
        lift_hold(access=keeper, hold=hold, reason="settled")
    # Whoever lifts it does not delete by that: somebody else does, in a run of their own.
    with pytest.raises(DatabaseError, match=r"to be kept \(lifted\)"), transaction.atomic():
        RetentionBatch.objects.create(run_id=run, items=[Hand.objects.get().pk])
    done = continue_run(run_id=run)
    assert (done.items, done.kept) == (0, {"lifted": 1})
    assert run_over(second("lou"), source=source_of(B)).items == 1
    assert verify()[0] == 0
    assert all(one.rows == 0 for one in missing_references())


def test_a_hold_on_a_source_keeps_all_of_it(ingest, keeper):
    ingest(log(B, changed(B, hand_id="2", source="elsewhere"), b"{}"))
    age()
    place_hold(access=keeper, source=source_of(B), reason="a law suit")
    assert run_over(keeper, source=source_of(B)).kept == {"hold": 1}
    assert run_over(keeper, source="elsewhere").items == 1
    assert run_over(keeper, source=None).kept == {"hold": 1}
    for how in ({"source": "x", "hand_id": "y"}, {"source": source_of(B), "case": 1}):
        with pytest.raises(RetentionRefused, match="There is no such"):
            place_hold(access=keeper, reason="z", **how)


@pytest.mark.parametrize("what", ["hand", "source"])
def test_what_a_hold_held_is_not_deleted_by_whoever_lifted_it(ingest, keeper, what):
    ingest(log(B, b"{}"))
    age()
    named = {"hand_id": "base-1"} if what == "hand" else {}
    hold = place_hold(access=keeper, source=source_of(B), reason="a dispute", **named)
    lou = second("lou")
    lift_hold(access=lou, hold=hold, reason="settled")
    place = ("--class", "hands", "--source", source_of(B), "--dry-run")
    assert command(*place, "--by", "kay")[1] == "1 would go.\n"
    assert command(*place, "--by", "lou")[1] == (
        "0 would go.\n1 stay: its hold was lifted by whoever deletes, or since the run began.\n"
    )
    kept = run_over(lou, source=source_of(B))
    assert (kept.items, kept.kept) == (0, {"lifted": 1})
    # What came in after the hold was lifted was never under it.
    tamper("UPDATE audit_holdend SET lifted_at = lifted_at - interval '12 years'")
    assert run_over(lou, source=source_of(B)).items == 1


def test_a_refused_line_a_case_and_an_act_of_the_journal_stay_for_whoever_lifted_their_hold(keeper):
    """The one place that says what stays, for each class."""
    lou, source = second("lou"), "table-7"
    hold = place_hold(access=keeper, source=source, reason="a law suit")
    case = Case.objects.create(
        source=source, state="withdrawn", opened_at=timezone.now(), due_at=timezone.now()
    )
    CaseAct.objects.create(
        case=case, number=1, kind="withdrawn", state="withdrawn", actor_id=keeper.account_id
    )
    entry = JournalEntry.objects.create(actor="ann", act="see-hands", subject="x", source=source)
    upload = Upload.objects.create(name="x", state="failed", finished_at=timezone.now())
    UploadSource.objects.create(upload=upload, source=source, has_hands=False)
    line = Refusal.objects.create(upload=upload, line=1, offset=0, place="", reason="x")
    items = (("hands", None, line.pk), ("cases", source, case.pk), ("journal", source, entry.pk))

    def kept(by) -> list[str | None]:
        soon = timezone.now() + timedelta(days=1)
        found: list[str | None] = []
        with connection.cursor() as cursor:
            for record_class, of_source, key in items:
                cursor.execute(
                    "SELECT audit_retention_stays(%s, %s, %s, %s, %s, NULL)",
                    [record_class, of_source, soon, key, by.account_id],
                )
                found.append(cursor.fetchone()[0])
        return found

    assert kept(lou) == ["hold", "hold", "hold"]
    lift_hold(access=lou, hold=hold, reason="settled")
    assert kept(lou) == ["lifted", "lifted", "lifted"]
    assert kept(keeper) == [None, None, None]


def test_a_hold_that_is_lifted_while_a_run_is_stopped_opens_nothing_to_it(ingest, keeper):
    """Else whoever lifts could go on with a run that somebody else began."""
    ingest(log(B))
    age()
    hold = place_hold(access=keeper, source=source_of(B), reason="a dispute")
    lou, ann = second("lou"), second("ann")
    run = begin_run(access=lou, record_class=HANDS, source=source_of(B), reason="of age")
    tamper("UPDATE audit_retentionrun SET started_at = started_at - interval '1 hour'")
    lift_hold(access=ann, hold=hold, reason="settled")
    assert continue_run(run_id=run).kept == {"lifted": 1}
    assert run_over(lou, source=source_of(B)).items == 1


def test_what_webhooks_were_told_of_it_goes_with_a_hand(ingest, keeper):
    hook = create_webhook(
        access=keeper, name="Room 1", url="https://example.org/", sources=None, only_errors=False
    )
    ingest(log(with_net(B, 1, "-99.00"), changed(with_net(B, 1, "-98.00"), hand_id="young")))
    age(lines="line = 1")
    seal()
    gather_messages()
    [message] = WebhookDelivery.objects.filter(webhook=hook.pk)
    WebhookAttempt.objects.create(
        delivery=message, number=1, status=400, error="", answer=message.body, took_ms=1
    )
    told = json.loads(message.body)["findings"]
    old = [one for one in told if one["hand_id"] == "base-1"]
    assert 0 < len(old) < len(told)
    assert run_over(keeper, source=source_of(B)).items == 1
    message.refresh_from_db()
    said = json.loads(message.body)
    assert said["findings"] == [one for one in told if one["hand_id"] == "young"]
    assert (said["deleted"], message.finding_count) == (len(old), len(told))
    assert (message.state, WebhookAttempt.objects.get().answer) == ("waiting", "")
    tamper("UPDATE audit_handversion SET created_at = created_at - interval '11 years'")
    assert run_over(keeper, source=source_of(B)).items == 1
    message.refresh_from_db()
    # There is nothing left to send.
    assert (json.loads(message.body)["findings"], message.state) == ([], "given-up")
    assert places_of("base-1") <= {"audit_retentionrun.certificate"}
    for statement in (
        "UPDATE audit_webhookattempt SET answer = 'x'",
        "UPDATE audit_webhookattempt SET status = 1",
    ):
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), \
                connection.cursor() as cursor:  # fmt: skip
            cursor.execute(statement)


# -- other classes --------------------------------------------------------------------------


def test_the_journal_has_a_term_of_its_own(keeper):
    for number in range(4):
        JournalEntry.objects.create(
            actor="ann",
            act="see-hands",
            subject=f"hand:{number}",
            source=("a", "a", "b", None)[number],
        )
    tamper("UPDATE audit_journal SET at = at - interval '11 years'")
    done = run_over(keeper, JOURNAL, "a")
    assert done.items == 2
    left = JournalEntry.objects.filter(act="see-hands").values_list("source", flat=True)
    assert sorted(left, key=str) == [None, "b"]
    assert run_over(keeper, JOURNAL, None).items == 1


# -- the command ----------------------------------------------------------------------------


def command(*arguments: str) -> tuple[int, str, str]:
    out, err, status = io.StringIO(), io.StringIO(), 0
    try:
        call_command("retention", *arguments, stdout=out, stderr=err)
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    return status, out.getvalue(), err.getvalue()


def test_the_command_lists_tries_and_runs(ingest, keeper):
    ingest(log(B, changed(B, hand_id="2")))
    age()
    place_hold(access=keeper, source=source_of(B), hand_id="2", reason="a dispute")
    place = ("--class", "hands", "--source", source_of(B))
    day = term_in_force(HANDS, source_of(B)).cutoff_at
    _, out, _ = command()
    first = out.splitlines()[0]
    assert first == (
        f"hands, {source_of(B)}: kept 10 years; received before {day:%Y-%m-%d}: 2 of age"
    )
    status, out, _ = command(*place, "--dry-run")
    assert (status, out) == (0, "1 would go.\n1 stay: under a legal hold.\n")
    assert command(*place, "--run")[0] == 64
    assert command("--class", "hands", "--run", "--by", "kay")[0] == 64
    status, _, err = command(*place, "--run", "--by", "kay")
    assert (status, err) == (1, "A reason is needed.\n")
    status, out, _ = command(*place, "--run", "--by", "kay", "--reason", "ten years are over")
    assert status == 0, out
    run = RetentionRun.objects.get()
    assert out == (
        f"Retention run {run.pk} begins.\nRetention run {run.pk} is done: 1 deleted;"
        f" {run.leaf_count} leaves of the log stay for what went, root {bytes(run.root).hex()}.\n"
        "1 stay: under a legal hold.\n"
    )
    assert command("--resume", str(run.pk))[0] == 1
    assert command("--list")[1].startswith(f"{run.pk}: hands, {source_of(B)}")
