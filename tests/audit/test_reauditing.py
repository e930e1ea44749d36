"""Re-audits: what is judged again, what becomes current, what stands beside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, InternalError, connection, transaction
from django.urls import reverse

import replay
from audit import selectors, services
from audit.models import (
    CaseHand,
    Chunk,
    Finding,
    Hand,
    Reaudit,
    ReauditAmount,
    ReauditBatch,
    ReauditFault,
    ReauditResult,
    TableTouch,
    Upload,
    Verdict,
)
from audit.selectors.rulesets import forget_rulesets
from audit.services import desk
from tests.access import trusted
from tests.audit.chains import (
    GAMES,
    assert_counts_hold,
    assert_stands,
    by_command,
    compare_all,
    golden,
)
from tests.audit.logs import BASE_LINES, GOLDEN, B, W, changed, log, void, with_net
from tests.audit.reauditing import (
    NAMED,
    NEXT_ENGINE,
    engine,
    know,
    many,
    reaudited,
    run,
    start,
    without_rake,
    write_revision,
)
from tests.golden_vectors import rulesets

WRONG = with_net(changed(B, hand_id="wrong"), 1, "-99.00")


@pytest.fixture(autouse=True)
def fresh_rulesets() -> Iterator[None]:
    yield
    forget_rulesets()


def verdicts() -> list[Any]:
    return list(Verdict.objects.order_by("pk").values())


def hands() -> list[Any]:
    return list(Hand.objects.order_by("pk").values())


def test_the_same_engine_and_rulesets_write_nothing(ingest) -> None:
    ingest(log(*BASE_LINES[:5], WRONG, void(B, hand_id="void")))
    before = verdicts(), hands(), list(Finding.objects.order_by("pk").values())
    TableTouch.objects.all().delete()
    job = reaudited()
    assert (job.state, job.total_count, job.done_count) == ("done", 7, 7)
    assert (job.confirmed_count, job.written_count, job.changed_count) == (7, 0, 0)
    assert (verdicts(), hands(), list(Finding.objects.order_by("pk").values())) == before
    assert not ReauditResult.objects.exists()
    assert not TableTouch.objects.exists()


def test_svc_14_a_corrected_reader_reads_again_and_its_verdict_is_current(ingest) -> None:
    with engine("0.9.0", without_rake):
        ingest(log(B))
    (hand,) = selectors.list_hands(sources=None).rows
    assert (hand.verdict, hand.error_code) == ("discrepant", "rake-mismatch")
    job = reaudited()
    assert (job.written_count, job.changed_count, job.flipped_count) == (1, 1, 1)
    detail = selectors.hand_detail(hand.pk, sources=None)
    assert (detail.hand.verdict, detail.hand.error_code, detail.hand.finding_count) == (
        "clean",
        "",
        0,
    )
    assert [(one.engine, one.kind) for one in detail.verdicts] == [
        (replay.ENGINE, "clean"),
        ("0.9.0", "discrepant"),
    ]
    assert detail.findings == ()
    expected = replay.audit(B, selectors.current_rulesets())
    assert detail.verdict.settlement == expected.settlement
    assert detail.verdict.digest == expected.replay_digest
    result = ReauditResult.objects.get()
    assert (result.kind_before, result.code_before) == ("discrepant", "rake-mismatch")
    assert (result.kind, result.code, result.is_current) == ("clean", "", True)
    assert (result.before.engine, result.after.engine) == ("0.9.0", replay.ENGINE)
    assert result.settlement is None


def test_svc_14_the_same_bytes_uploaded_after_a_re_audit_are_a_duplicate(ingest) -> None:
    with engine("0.9.0", without_rake):
        ingest(log(B))
    reaudited()
    before = verdicts()
    row = ingest(log(B))
    assert (row.new, row.duplicates, row.clean) == (0, 1, 1)
    assert verdicts() == before


def test_findings_of_the_new_verdict_are_those_of_the_core(ingest) -> None:
    lines = (GOLDEN / "banker-pai-gow" / "planted.ndjson").read_bytes().splitlines()
    shipped = {ruleset.name for ruleset in selectors.current_rulesets()}
    lines = [line for line in lines if json.loads(line)["ruleset"] in shipped]
    ingest(log(*lines))
    found = {}
    for hand in Hand.objects.all():
        found[hand.pk] = selectors.hand_detail(hand.pk, sources=None)
    with engine():
        job = reaudited()
        assert (job.written_count, job.changed_count) == (len(lines), 0)
    assert len(lines) > 50
    for pk, before in found.items():
        after = selectors.hand_detail(pk, sources=None)
        assert after.findings == before.findings
        assert after.hand.finding_codes == before.hand.finding_codes
        assert after.hand.error_code == before.hand.error_code
        assert after.verdict.settlement == before.verdict.settlement
        assert (before.verdict.engine, after.verdict.engine) == (replay.ENGINE, NEXT_ENGINE)


def test_svc_16_a_new_revision_is_used_by_the_hands_that_name_it_alone(
    ingest, settings, tmp_path
) -> None:
    ingest(log(B))
    before = verdicts(), hands()
    name = write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    job = reaudited()
    assert (job.confirmed_count, job.written_count) == (1, 0)
    assert (verdicts(), hands()) == before
    ingest(log(changed(B, hand_id="second", ruleset=name)))
    assert Hand.objects.get(hand_id="base-1").verdict_kind == "clean"
    second = Hand.objects.get(hand_id="second")
    assert (second.verdict_kind, second.verdict.ruleset) == ("discrepant", name)
    assert reaudited().confirmed_count == 2


def test_a_rehearsal_stands_beside_and_changes_no_hand(ingest, settings, tmp_path) -> None:
    ingest(log(B, WRONG, void(B, hand_id="void"), W))
    name = write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    before = verdicts(), hands()
    job = reaudited(ruleset=name, named=NAMED)
    assert (verdicts(), hands()) == before
    assert (job.rehearsed_count, job.total_count, job.state) == (3, 3, "done")
    results = {result.hand.hand_id: result for result in ReauditResult.objects.all()}
    assert sorted(results) == ["base-1", "void", "wrong"]
    one = results["base-1"]
    assert (one.kind_before, one.kind, one.code, one.is_flipped) == (
        "clean",
        "discrepant",
        "rake-mismatch",
        True,
    )
    ruleset = selectors.current_rulesets().get(name)
    assert bytes(job.ruleset_sha256).hex() == ruleset.sha256
    expected = replay.audit(changed(B, ruleset=name), selectors.current_rulesets())
    assert one.settlement == expected.settlement
    assert one.finding_count == len(expected.findings)
    assert (one.after, results["void"].is_changed) == (None, False)


def test_money_of_a_rehearsal_is_added_up_by_player_and_table(ingest, settings, tmp_path) -> None:
    """B: gross 10, -100, 40, 50 at seats 0 to 3; a rake of 5 % becomes one of 6 %."""
    twice = changed(B, hand_id="b2", table="other")
    ingest(log(B, twice, changed(B, hand_id="b3")))
    know(settings, tmp_path)
    name = write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    reaudited(ruleset=name)
    table = json.loads(B)["table"]
    rows = {(row.table, row.player): row for row in ReauditAmount.objects.filter(currency="CNY")}
    assert len(rows) == 10
    ann = rows[table, "Ann"]
    assert (ann.hand_count, ann.minor_digits) == (2, 2)
    assert (ann.net_before, ann.net_after) == (Decimal(1900), Decimal(1880))
    assert (ann.rake_before, ann.rake_after) == (Decimal(100), Decimal(120))
    assert (ann.valid_bet_before, ann.valid_bet_after) == (Decimal(2000), Decimal(2000))
    whole = rows["other", None]
    assert (whole.hand_count, whole.rake_before, whole.rake_after) == (
        1,
        Decimal(500),
        Decimal(600),
    )
    assert (whole.net_before, whole.net_after) == (Decimal(-500), Decimal(-600))
    assert "Bo" in {player for _, player in rows}, "who pays no rake has a line too"


def test_a_hand_in_conflict_has_each_of_its_records_judged(ingest) -> None:
    with engine("0.9.0", without_rake):
        ingest(log(B, with_net(B, 1, "-99.00")))
    job = reaudited()
    assert (job.total_count, job.written_count) == (2, 2)
    assert (job.changed_count, job.flipped_count) == (1, 1), "of the current version alone"
    assert sorted(ReauditResult.objects.values_list("is_current", flat=True)) == [False, True]
    hand = Hand.objects.get()
    assert (hand.verdict_kind, hand.is_conflict) == ("discrepant", True)
    judged = [
        selectors.hand_detail(hand.pk, version=number, sources=None).verdict for number in (1, 2)
    ]
    assert [(one.kind, one.engine) for one in judged] == [
        ("clean", replay.ENGINE), ("discrepant", replay.ENGINE),
    ]  # fmt: skip
    newest = Verdict.objects.filter(engine=replay.ENGINE).values_list("pk", flat=True)
    assert sorted(hand.contending_verdicts or ()) == sorted(newest)


def test_only_what_the_filter_finds_is_judged(ingest) -> None:
    with engine("0.9.0", without_rake):
        row = ingest(log(B, WRONG))
        ingest(log(changed(B, hand_id="later")))
    job = reaudited(query={"upload": str(row.id), "verdict": "discrepant"})
    assert (job.total_count, job.written_count) == (2, 2)
    assert job.filter == {"verdict": "discrepant", "upload": str(row.id)}
    assert job.filter_text == f"verdict discrepant, upload {row.id}"
    later = Hand.objects.get(hand_id="later")
    assert later.verdict.engine == "0.9.0"


def test_hands_that_arrive_meanwhile_are_left_out(ingest) -> None:
    ingest(log(B))
    job = start()
    ingest(log(WRONG))
    assert run(job).total_count == 1


def test_nothing_found_is_an_end(db) -> None:
    job = reaudited()
    assert (job.state, job.total_count) == ("done", 0)
    assert job.finished_at is not None


def test_gathering_goes_on_where_it_was(ingest, monkeypatch, settings) -> None:
    monkeypatch.setattr("audit.services.reauditing.GATHERED_AT_ONCE", 2)
    settings.TILECOURT_REAUDIT_BATCH_MAX = 1
    ingest(log(*many(5)))
    job = start()
    steps = []
    for _ in range(4):
        services.work_on_reaudit(reaudit_id=job)
        row = Reaudit.objects.get()
        steps.append((row.state, row.total_count))
    assert steps == [("gathering", 2), ("gathering", 4), ("gathering", 5), ("running", 5)]
    rows = [row for batch in ReauditBatch.objects.order_by("pk") for row in batch.rows]
    assert rows == list(Verdict.objects.order_by("version").values_list("version", flat=True))
    assert run(job).confirmed_count == 5


def test_a_version_that_the_engine_fails_on_is_set_aside_by_name(ingest) -> None:
    def fail(audited: replay.Audited) -> replay.Verdict:
        if audited.verdict.hand_id == "h3":
            raise ZeroDivisionError("a planted fault")
        return audited.verdict

    ingest(log(*many(5)))
    with engine(alter=fail):
        job = reaudited()
    assert (job.state, job.written_count, job.aside_count) == ("partly", 4, 1)
    fault = ReauditFault.objects.get()
    assert fault.version.hand.hand_id == "h3"
    assert fault.reason == (
        "could not be audited, through a fault of ours (ZeroDivisionError: a planted fault)"
    )
    assert Hand.objects.get(hand_id="h3").verdict.engine == replay.ENGINE


def test_a_hand_whose_ruleset_was_taken_away_keeps_what_was_said(
    ingest, settings, tmp_path
) -> None:
    name = write_revision(tmp_path)
    know(settings, tmp_path)
    ingest(log(changed(B, ruleset=name)))
    before = hands()
    know(settings)
    job = reaudited()
    assert (job.state, job.aside_count) == ("partly", 1)
    assert ReauditFault.objects.get().reason == f"refused now: $.ruleset: unknown ruleset {name}"
    assert hands() == before


def read_as(name: str) -> Any:
    """Let the engine read each line as that of a hand of another id."""
    sound = replay.audit_line

    def corrected(line: bytes, *args: Any, **options: Any) -> replay.Audited:
        audited = sound(line, *args, **options)
        if audited.hand is None or audited.hand.hand_id != "7700":
            return audited
        return msgspec.structs.replace(
            audited,
            hand=msgspec.structs.replace(audited.hand, hand_id=name),
            verdict=msgspec.structs.replace(audited.verdict, hand_id=name),
        )

    return corrected


def test_svc_15_an_id_corrected_later_leaves_one_live_hand(ingest, client) -> None:
    """The hand that the record names now is judged as any other; the old one leads there."""
    ingest(log(with_net(changed(B, hand_id="7700"), 1, "-99.00"), W))
    desk.gather_cases()
    old = Hand.objects.get(hand_id="7700")
    user = trusted(User.objects.create_user("ines"))
    complaint = desk.Complaint(
        hand_ids=(old.pk,), player=old.players[0], text="Mine.", claimed_at=old.played_at
    )  # fmt: skip
    claim = desk.enter_claim(sources=None, user=user, complaint=complaint).pk
    before = verdicts()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "audit_line", read_as("base-1"))
        job = reaudited(query={"table": "T1"})
        assert job.aside_count == 1
        reason = ReauditFault.objects.get().reason
        assert reason.startswith("read as another hand now, base-1 of ")
        assert verdicts() == before
        for chunk in Chunk.objects.filter(state="queued"):
            assert services.judge_chunk(chunk_id=chunk.pk) is None
    new = Hand.objects.get(hand_id="base-1")
    assert new.version.sha256 == old.version.sha256
    # One live hand in lists and figures; the old one stays, with its verdict, and is found by name.
    listed = selectors.list_hands(selectors.HandFilters(table="T1"), sources=None).rows
    assert [row.hand_id for row in listed] == ["base-1"]
    named = selectors.list_hands(selectors.HandFilters(text="7700"), sources=None).rows
    assert [row.hand_id for row in named] == ["7700"]
    assert verdicts()[: len(before)] == before
    # The dispute on 7700 still opens, and so does the hand; both lead on to base-1.
    client.force_login(user)
    for address in (f"/hands/{old.pk}/", reverse("claim", args=(claim,))):
        page = client.get(address)
        assert page.status_code == 200
        assert f'<a href="/hands/{new.pk}/"><bdi>base-1</bdi></a>' in page.content.decode()
    # Its error counts once: the case has the hand that stands for it.
    desk.gather_cases()
    standing = CaseHand.objects.filter(left_at__isnull=True).values_list("hand_id", flat=True)
    assert list(standing) == [new.pk]
    # Done again, nothing is replaced twice.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "audit_line", read_as("base-1"))
        assert reaudited(query={"table": "T1"}).aside_count == 0
    assert Hand.objects.filter(is_replaced=True).count() == 1


def test_a_rehearsal_replaces_nothing(ingest) -> None:
    ingest(log(changed(B, hand_id="7700")))
    before = verdicts(), hands()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "audit_line", read_as("base-1"))
        job = reaudited(ruleset="banker-pai-gow/bs-2022@1")
    assert job.aside_count == 1
    assert "hand its line in again" in ReauditFault.objects.get().reason
    assert (verdicts(), hands()) == before
    assert Upload.objects.count() == 1


def test_what_is_read_otherwise_is_found_otherwise_and_both_tables_are_touched(ingest) -> None:
    ingest(log(B))
    TableTouch.objects.all().delete()
    sound = replay.audit_line

    def corrected(line: bytes, *args: Any, **options: Any) -> replay.Audited:
        audited = sound(line, *args, **options)
        assert audited.hand is not None
        hand = msgspec.structs.replace(
            audited.hand, table="T9", started_at="2025-03-01T11:00:00+08:00"
        )
        verdict = msgspec.structs.replace(audited.verdict, engine=NEXT_ENGINE)
        return msgspec.structs.replace(audited, hand=hand, verdict=verdict)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "audit_line", corrected)
        patch.setattr(replay, "ENGINE", NEXT_ENGINE)
        assert reaudited().written_count == 1
    (row,) = selectors.list_hands(selectors.HandFilters(table="T9"), sources=None).rows
    assert (row.started_at, row.played_at.isoformat()) == (
        "2025-03-01T11:00:00+08:00",
        "2025-03-01T03:00:00+00:00",
    )
    touches = TableTouch.objects.order_by("since").values_list("table__name", "since", "until")
    assert [(name, since.hour, until.hour) for name, since, until in touches] == [
        ("T1", 2, 2),
        ("T9", 3, 3),
    ]


def test_the_same_engine_that_says_something_else_is_broken(ingest) -> None:
    ingest(log(B, WRONG))
    before = verdicts(), hands()
    with engine(replay.ENGINE, without_rake):
        job = reaudited(query={"verdict": "clean"})
    assert (job.aside_count, job.done_count) == (1, 1)
    assert "gave the digest " + "ab" * 32 in ReauditFault.objects.get().reason
    assert (verdicts(), hands()) == before


def test_going_back_to_a_ruleset_makes_the_older_verdict_current(
    ingest, settings, tmp_path
) -> None:
    write_revision(tmp_path, rake_rate='"0.05"')
    know(settings, tmp_path)
    name = write_revision(tmp_path, rake_rate='"0.05"')
    ingest(log(changed(B, ruleset=name)))
    first = Hand.objects.get().verdict_id
    write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    assert reaudited().written_count == 1
    assert Hand.objects.get().verdict_kind == "discrepant"
    write_revision(tmp_path, rake_rate='"0.05"')
    know(settings, tmp_path)
    job = reaudited()
    assert (job.written_count, job.confirmed_count, job.flipped_count) == (0, 1, 1)
    hand = Hand.objects.get()
    assert (hand.verdict_id, hand.verdict_kind, hand.finding_count) == (first, "clean", 0)


@pytest.mark.parametrize("game", GAMES)
def test_hands_are_compared_again_and_their_lines_counted(
    ingest, monkeypatch, settings, game: str
) -> None:
    """ADR 3: a new verdict takes the comparison with it, and the tables are compared again."""
    settings.TILECOURT_REAUDIT_BATCH_MAX = 7
    for module in (
        "services.judging",
        "services.comparing",
        "services.reauditing",
        "selectors.rulesets",
    ):
        monkeypatch.setattr(f"audit.{module}.current_rulesets", rulesets)
    lines = golden(game, "continuity")
    upload = ingest(log(*lines))
    compare_all()
    stands = by_command(lines)
    assert_stands(stands)
    turned = Upload.objects.get(pk=upload.id).turned_count
    assert turned > 0
    with engine():
        job = reaudited()
        assert (job.written_count, job.changed_count) == (len(lines), 0)
        assert Upload.objects.get(pk=upload.id).turned_count == 0
        assert_counts_hold()
        compare_all()
        assert_stands(stands)
    assert Upload.objects.get(pk=upload.id).turned_count == turned


def test_touches_of_hands_far_apart_are_several(ingest) -> None:
    with engine("0.9.0"):
        ingest(log(*many(3), changed(B, hand_id="far", started_at="2025-03-01T01:30:00Z")))
    TableTouch.objects.all().delete()
    reaudited()
    spans = TableTouch.objects.order_by("since").values_list("since", "until")
    assert [(since.isoformat()[11:16], until.isoformat()[11:16]) for since, until in spans] == [
        ("00:00", "00:02"),
        ("01:30", "01:30"),
    ]


def test_svc_25_events_keep_the_order_of_the_file_after_a_re_audit(ingest) -> None:
    line = (GOLDEN / "odd" / "repeats-clocks-timers.ndjson").read_bytes().splitlines()[3]
    ingest(log(line))
    pk = Hand.objects.get().pk
    before = selectors.hand_detail(pk, sources=None)
    with engine():
        reaudited()
    after = selectors.hand_detail(pk, sources=None)
    assert after.raw == before.raw == line
    assert after.verdict.digest == before.verdict.digest


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"reason": " "}, "Say why"),
        ({"reason": "x" * 600}, "longer than 500"),
        ({"reason": "a\0b"}, "a character that cannot be kept"),
        ({"reason": "a\ud800b"}, "a character that cannot be kept"),
        ({"query": {"gmae": "tien-gow"}}, "There is no filter “gmae”"),
        ({"query": {"game": "mahjong"}}, "The filter “game” is none of"),
        ({"ruleset": "nowhere@1"}, "'nowhere@1' is not known"),
        ({"ruleset": NAMED, "refused_lines": "waiting"}, "A rehearsal is of hands"),
        ({"query": {"game": "tien-gow"}, "refused_lines": "all"}, "by their upload alone"),
        ({"refused_lines": "some"}, "one of none, waiting, all"),
        ({"named": "x" * 129}, "No ruleset has such a name"),
        ({"named": "a\0b"}, "No ruleset has such a name"),
        ({"named": "a\ud800b"}, "No ruleset has such a name"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(db, asked: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        start(**asked)
    assert not Reaudit.objects.exists()


def test_what_was_asked_for_and_found_is_never_changed(ingest, settings, tmp_path) -> None:
    with engine("0.9.0", without_rake):
        ingest(log(B))
    reaudited()
    for statement in (
        "UPDATE audit_reaudit SET reason = 'another'",
        "UPDATE audit_reauditresult SET kind = 'clean'",
        "DELETE FROM audit_reauditresult",
        "UPDATE audit_reauditamount SET net_after = 0",
    ):
        refused = pytest.raises((IntegrityError, InternalError), match="never changed or deleted")
        with refused, transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
