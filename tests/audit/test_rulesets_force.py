"""What was in force when a hand was played: marks, feeds, and the ledger that says so."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import Error, connection, transaction

from audit import importers, services
from audit.models import Chunk, Hand, Refusal, Role, RulesetSwitch
from audit.selectors import rulesets_force
from audit.selectors.access import Access
from audit.selectors.ruleset_changes import changes, hands_out_of_force
from audit.selectors.rulesets import current_rulesets
from audit.selectors.rulesets_force import (
    count_out_of_force,
    force_of_hand,
    list_periods,
    names_out_of_force,
)
from audit.services.rulesets import RulesetRefused, SecondPersonNeeded
from audit.services.rulesets_force import end_force, put_in_force, take_back_switch
from audit.zstd import unpacked
from tests.audit.importers.records import bbin_ticket, ky_answer, ky_row, log_of
from tests.audit.logs import B, changed, log
from tests.audit.reauditing import reaudited, run
from tests.audit.rulesets import NAMED, OTHER, access_for, publish, revision

SOURCE = json.loads(B)["source"]
MARCH = datetime(2025, 3, 1, tzinfo=UTC)
APRIL = datetime(2025, 4, 1, tzinfo=UTC)
MAY = datetime(2025, 5, 1, tzinfo=UTC)
THIRD = NAMED.replace("@1", "@3")


@pytest.fixture
def author(db: Any, django_user_model: Any) -> Access:
    return access_for(django_user_model, "wen.autor", Role.RULES_AUTHOR)


@pytest.fixture
def approver(db: Any, django_user_model: Any) -> Access:
    return access_for(django_user_model, "pia.prueft", Role.RULES_APPROVER)


def say(
    access: Access, ruleset: str, at: datetime, *, source: str = SOURCE, reason: str = "agreed"
) -> int:
    return put_in_force(
        access=access, source=source, ruleset=ruleset, effective_at=at, reason=reason
    )


def hand(hand_id: str, at: datetime, ruleset: str = NAMED) -> bytes:
    clock = at.isoformat()
    return changed(B, hand_id=hand_id, started_at=clock, ended_at=clock, ruleset=ruleset)


def marked() -> list[str]:
    """Hand ids that the filter finds; each is asked for by itself, too."""
    periods = list_periods(sources=None)
    found = Hand.objects.filter(names_out_of_force(periods)).order_by("hand_id")
    alone = [
        one.hand_id
        for one in Hand.objects.order_by("hand_id")
        if force_of_hand(
            source=one.source, game=one.game, ruleset=one.ruleset, played_at=one.played_at
        ).is_out
    ]
    ids = [one.hand_id for one in found]
    assert ids == alone
    return ids


def test_two_hands_either_side_of_a_switch(author: Access, approver: Access, ingest: Any) -> None:
    """S23: each is judged by what it names; the one that names the old rules too late is marked."""
    publish(author, approver)
    say(approver, NAMED, MARCH)
    say(approver, OTHER, APRIL)
    before = datetime(2025, 3, 31, 23, 59, 59, tzinfo=UTC)
    ingest(
        log(
            hand("a-before", before), hand("b-at", APRIL, OTHER),
            hand("c-late", APRIL), hand("d-early", before, OTHER),
        )
    )  # fmt: skip
    assert dict(Hand.objects.values_list("hand_id", "verdict__ruleset")) == {
        "a-before": NAMED, "b-at": OTHER, "c-late": NAMED, "d-early": OTHER,
    }  # fmt: skip
    assert marked() == ["c-late", "d-early"]
    assert count_out_of_force(SOURCE) == 2
    assert [(one.hand_id, one.named, one.in_force) for one in hands_out_of_force(sources=None)] == [
        ("d-early", OTHER, (NAMED,)),
        ("c-late", NAMED, (OTHER,)),
    ]
    assert hands_out_of_force(sources=frozenset({"elsewhere"})) == ()


def test_a_source_too_large_to_count_is_not_waited_for(
    author: Access, approver: Access, ingest: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(log(hand("a", APRIL)))
    publish(author, approver)
    say(approver, OTHER, MARCH)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE audit_hand RENAME TO audit_hand_there")
        cursor.execute(
            "CREATE VIEW audit_hand AS SELECT h.* FROM audit_hand_there h, pg_sleep(0.3)"
        )
        assert count_out_of_force(SOURCE) == 1
        monkeypatch.setattr(rulesets_force, "MOMENT_MS", 50)
        assert count_out_of_force(SOURCE) is None
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)


def test_a_mark_changes_no_verdict(approver: Access, ingest: Any) -> None:
    ingest(log(hand("a", APRIL)))
    before = Hand.objects.values_list("verdict__digest", "finding_codes", "verdict_kind").get()
    say(approver, "banker-pai-gow/event-list-122@1", MARCH)
    assert marked() == ["a"]
    assert Hand.objects.values_list("verdict__digest", "finding_codes", "verdict_kind").get() == (
        before
    )


def test_where_nothing_was_said_nothing_is_marked(
    author: Access, approver: Access, ingest: Any
) -> None:
    publish(author, approver)
    ingest(log(hand("a", MARCH), hand("b", MARCH, OTHER), hand("c", MAY, OTHER)))
    assert marked() == []
    say(approver, NAMED, APRIL, source="another")
    say(approver, "tien-gow/classic@1", MARCH)
    assert marked() == [], "another source and another game say nothing of these"
    say(approver, NAMED, APRIL)
    assert marked() == ["a", "c"], "a names what came into force later, c what is not"


def test_after_an_end_nothing_is_in_force(approver: Access, ingest: Any) -> None:
    ingest(log(hand("a", MARCH), hand("b", MAY)))
    say(approver, NAMED, MARCH)
    game, ruleset_id = NAMED.split("/")[0], NAMED.partition("@")[0]
    end_force(
        access=approver, source=SOURCE, game=game, ruleset_id=ruleset_id, effective_at=APRIL,
        reason="tables closed",
    )  # fmt: skip
    assert marked() == ["b"]
    (period,) = list_periods(sources=None)
    assert (period.starts_at, period.ends_at, period.end_reason) == (MARCH, APRIL, "tables closed")
    with pytest.raises(RulesetRefused, match="No revision of tien-gow/classic is in force"):
        end_force(
            access=approver, source=SOURCE, game="tien-gow", ruleset_id="tien-gow/classic",
            effective_at=APRIL, reason="x",
        )  # fmt: skip


def test_what_was_said_can_be_taken_back_once(
    author: Access, approver: Access, ingest: Any
) -> None:
    publish(author, approver)
    ingest(log(hand("a", MAY)))
    say(approver, NAMED, MARCH)
    wrong = say(approver, OTHER, APRIL, reason="the wrong day")
    assert marked() == ["a"]
    take_back_switch(access=approver, switch_pk=wrong, reason="it was not April")
    assert marked() == []
    with pytest.raises(RulesetRefused, match="taken back already"):
        take_back_switch(access=approver, switch_pk=wrong, reason="again")
    told = [(one.kind, one.option, one.before, one.after) for one in changes(sources=None)[2:]]
    assert told == [
        ("in-force", "revision", "none", NAMED),
        ("in-force", "revision", NAMED, OTHER),
        ("in-force", "rake_rate", "0.05", "0.06"),
        ("taken-back", "revision", OTHER, NAMED),
        ("taken-back", "rake_rate", "0.06", "0.05"),
    ]


def test_of_two_at_one_time_the_later_word_holds(author: Access, approver: Access) -> None:
    publish(author, approver)
    say(approver, NAMED, MARCH)
    say(approver, OTHER, MARCH)
    assert [(one.ruleset, one.ends_at) for one in list_periods(sources=None)] == [(OTHER, None)]


def test_two_ids_may_be_in_force_side_by_side(approver: Access, ingest: Any) -> None:
    ingest(log(hand("a", MAY)))
    say(approver, "banker-pai-gow/event-list-122@1", MARCH)
    say(approver, NAMED, MARCH)
    assert marked() == []


def test_who_wrote_it_puts_it_nowhere_in_force(
    author: Access, approver: Access, django_user_model: Any
) -> None:
    publish(author, approver)
    user = django_user_model.objects.get(username="wen.autor")
    both = access_for(django_user_model, user.username, Role.RULES_APPROVER)
    with pytest.raises(SecondPersonNeeded):
        say(both, OTHER, MARCH)
    say(both, NAMED, MARCH)
    with pytest.raises(RulesetRefused, match="is not published"):
        say(approver, THIRD, MARCH)


def test_an_approver_of_one_source_speaks_for_that_one(
    db: Any, approver: Access, django_user_model: Any
) -> None:
    here = access_for(django_user_model, "local", Role.RULES_APPROVER, source="here")
    switch = say(here, NAMED, MARCH, source="here")
    with pytest.raises(RulesetRefused, match="may not say what is in force at this source"):
        say(here, NAMED, MARCH, source="there")
    there = say(approver, NAMED, MARCH, source="there")
    with pytest.raises(RulesetRefused, match="There is no such switch"):
        take_back_switch(access=here, switch_pk=there, reason="x")
    take_back_switch(access=here, switch_pk=switch, reason="x")
    seen = {one.source for one in changes(sources=frozenset({"here"}))}
    assert seen == {"here"}


@pytest.mark.parametrize("name", ["", "a\0b", "a\nb", "x" * 129, "\ud800"])
def test_a_source_is_a_name(approver: Access, name: str) -> None:
    with pytest.raises(RulesetRefused, match="Name a source"):
        say(approver, NAMED, MARCH, source=name)


# -- feeds, which name no ruleset ---------------------------------------------------------------

YEAR = datetime(2024, 1, 1, tzinfo=UTC)
JUNE = datetime(2024, 6, 1, tzinfo=UTC)
OTHER_ID = "banker-pai-gow/event-list-122@1"


def feed(name: str, data: bytes) -> None:
    received = services.receive_feed(name="f", stream=io.BytesIO(data), feed=name, source="op")
    for chunk in Chunk.objects.filter(upload_id=received.upload_id).order_by("number"):
        assert services.judge_chunk(chunk_id=chunk.pk) is None


def ky(hand_id: str, clock: str) -> bytes:
    return ky_answer(ky_row(GameID=hand_id, GameStartTime=clock, GameEndTime=clock))


def judged_by() -> dict[str, str]:
    return dict(Hand.objects.values_list("hand_id", "verdict__ruleset"))


def test_a_record_is_judged_by_what_was_in_force(author: Access, approver: Access) -> None:
    """S23: the one that comes late, after the switch, gets the old rules."""
    publish(author, approver)
    say(approver, NAMED, YEAR, source="op")
    say(approver, OTHER, JUNE, source="op")
    feed("ky-730", ky("50-1-new", "2024-06-17 21:14:06"))
    feed("ky-730", ky("50-1-old", "2024-05-17 21:14:06"))
    assert judged_by() == {"50-1-new": OTHER, "50-1-old": NAMED}
    assert marked() == []
    assert dict(Hand.objects.values_list("hand_id", "ruleset")) == judged_by()


def test_what_is_chosen_stands_among_the_assumptions(author: Access, approver: Access) -> None:
    publish(author, approver)
    say(approver, OTHER, YEAR, source="op")
    feed("ky-730", ky("50-1-1", "2024-06-17 21:14:06"))
    stored = Hand.objects.get()
    raw, facts = unpacked(stored.version.raw), stored.version.upload.feed_facts
    audited, _ = importers.judge(
        "ky-730", raw, facts, current_rulesets(), choose=importers.named(stored.verdict.ruleset)
    )
    assert audited.verdict.replay_digest == stored.verdict.digest.hex()
    (said,) = [one.text for one in audited.verdict.assumptions if one.name == "ruleset"]
    assert said == f"{OTHER} was in force at this source when the hand was played."


def test_where_nothing_was_said_the_importer_knows(approver: Access) -> None:
    feed("ky-730", ky("50-1-1", "2024-06-17 21:14:06"))
    before = Hand.objects.values_list("verdict__digest").get()
    assert judged_by() == {"50-1-1": NAMED}
    say(approver, NAMED, YEAR, source="op")
    assert reaudited().confirmed_count == 1, "what says the same changes nothing"
    assert Hand.objects.values_list("verdict__digest").get() == before


def test_a_job_goes_on_by_what_was_said_at_its_start(author: Access, approver: Access) -> None:
    publish(author, approver)
    say(approver, NAMED, YEAR, source="op")
    feed("ky-730", ky("50-1-1", "2024-06-17 21:14:06"))
    job = services.open_reaudit(user=None, sources=None, reason="x", query={})
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO audit_rulesetswitch (source, game, ruleset_id, kind, ruleset, sha256,"
            " effective_at, declared_at, declared_by_id, reason)"
            " SELECT s.source, s.game, s.ruleset_id, s.kind, r.name, r.sha256, s.effective_at,"
            " now() + interval '1 minute', s.declared_by_id, 'x'"
            " FROM audit_rulesetswitch s, audit_rulesetrevision r"
        )
    assert run(job).confirmed_count == 1
    assert judged_by() == {"50-1-1": NAMED}


def test_a_rehearsal_asks_nothing_of_what_was_in_force(author: Access, approver: Access) -> None:
    publish(author, approver)
    say(approver, OTHER, YEAR, source="op")
    feed("ky-730", ky("50-1-1", "2024-06-17 21:14:06"))
    assert judged_by() == {"50-1-1": OTHER}
    say(approver, NAMED, datetime(2024, 6, 17, 21, tzinfo=UTC), source="op")
    job = reaudited(ruleset=OTHER)
    assert (job.rehearsed_count, job.aside_count, job.changed_count) == (1, 0, 0)
    job = reaudited()
    assert (job.aside_count, job.written_count) == (1, 0), "its clock has no zone"


def test_before_the_first_word_the_importer_knows(author: Access, approver: Access) -> None:
    publish(author, approver)
    say(approver, OTHER, JUNE, source="op")
    feed("ky-730", ky("50-1-1", "2024-03-17 21:14:06"))
    assert judged_by() == {"50-1-1": NAMED}
    assert marked() == []


def test_a_clock_without_a_zone_near_a_switch_is_refused(author: Access, approver: Access) -> None:
    publish(author, approver)
    say(approver, NAMED, YEAR, source="op")
    say(approver, OTHER, JUNE, source="op")
    feed("ky-730", ky("50-1-1", "2024-06-01 13:59:59"))
    assert not Hand.objects.exists()
    assert Refusal.objects.values_list("place", "reason").get() == (
        "$.started_at",
        f"its clock has no zone, and which ruleset was in force depends on it: {NAMED}, {OTHER}",
    )
    feed("ky-730", ky("50-1-2", "2024-06-01 14:00:00"))
    feed("ky-730", ky("50-1-3", "2024-05-31 11:59:59"))
    assert judged_by() == {"50-1-2": OTHER, "50-1-3": NAMED}


def test_of_several_in_force_the_importers_id_counts(approver: Access, author: Access) -> None:
    publish(author, approver)
    say(approver, OTHER_ID, YEAR, source="op")
    feed("ky-730", ky("50-1-1", "2024-06-17 21:14:06"))
    say(approver, OTHER, YEAR, source="op")
    feed("ky-730", ky("50-1-2", "2024-06-17 21:14:06"))
    assert judged_by() == {"50-1-1": OTHER_ID, "50-1-2": OTHER}


def test_several_in_force_and_none_of_the_importers_is_refused(
    author: Access, approver: Access
) -> None:
    house_name = "banker-pai-gow/house@1"
    house = revision(1).replace(b"banker-pai-gow/bs-2022", b"banker-pai-gow/house")
    publish(author, approver, house)
    say(approver, OTHER_ID, YEAR, source="op")
    say(approver, house_name, YEAR, source="op")
    feed("ky-730", ky("50-1-1", "2024-06-17 21:14:06"))
    assert Refusal.objects.values_list("place", "reason").get() == (
        "$.ruleset",
        f"several rulesets were in force and the record names none: {OTHER_ID}, {house_name}",
    )


def test_the_odds_of_a_ticket_choose_among_what_is_in_force(approver: Access) -> None:
    live, other = "wenzhou-pai-gow/live-2015@1", "wenzhou-pai-gow/live-0.93@1"
    say(approver, live, datetime(2015, 1, 1, tzinfo=UTC), source="op")
    say(approver, other, datetime(2015, 1, 1, tzinfo=UTC), source="op")
    rows = [
        bbin_ticket(SerialID="303-1"),
        bbin_ticket(
            SerialID="303-2", WagersID="9002", Payoff="46.50", BetAmount="50.00",
            Commissionable="46.50", WagerDetail="4,1:0.93,50.00,46.50",
        ),
    ]  # fmt: skip
    feed("bbin-3006", log_of(rows))
    assert judged_by() == {"303-1": live, "303-2": other}


def test_a_record_that_names_its_rules_keeps_them(author: Access, approver: Access) -> None:
    assert importers.FEEDS["partial"].names_ruleset
    assert [name for name, one in importers.FEEDS.items() if one.names_ruleset] == ["partial"]


# -- what the database itself refuses -----------------------------------------------------------


def refused(statement: str, *parameters: Any) -> str:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, parameters)
    except Error as error:
        return str(error).splitlines()[0]
    pytest.fail("the database let it through")


def test_a_switch_never_changes_or_goes_away(approver: Access) -> None:
    say(approver, NAMED, MARCH)
    gone = "rows of audit_rulesetswitch are never changed or deleted"
    for column in ("source", "ruleset", "reason", "kind"):
        assert refused(f"UPDATE audit_rulesetswitch SET {column} = 'x'") == gone
    assert refused("UPDATE audit_rulesetswitch SET effective_at = now()") == gone
    assert refused("UPDATE audit_rulesetswitch SET declared_by_id = 0") == gone
    assert refused("DELETE FROM audit_rulesetswitch") == gone


def test_the_database_lets_no_author_and_no_draft_through(
    author: Access, approver: Access, django_user_model: Any
) -> None:
    publish(author, approver)
    say(approver, OTHER, MARCH)
    copied = (
        "INSERT INTO audit_rulesetswitch (source, game, ruleset_id, kind, ruleset, sha256,"
        " effective_at, cancels_id, declared_by_id, reason)"
        " SELECT source, game, ruleset_id, {kind}, ruleset, {sha}, effective_at, {cancels}, {by},"
        " {why} FROM audit_rulesetswitch ORDER BY id LIMIT 1"
    )
    plain = {
        "kind": "kind", "sha": "sha256", "cancels": "NULL", "by": "declared_by_id", "why": "reason",
    }  # fmt: skip
    words = refused(copied.format(**plain | {"by": str(author.account_id)}))
    assert words == f"ruleset {OTHER} cannot be put in force by this account"
    assert refused(copied.format(**plain | {"sha": "sha256('x')"})) == words
    assert "null value" in refused(copied.format(**plain | {"by": "NULL"}))
    assert "has_a_reason" in refused(copied.format(**plain | {"why": "''"}))
    assert "is_whole" in refused(copied.format(**plain | {"kind": "'end'"}))
    assert "cannot be taken back" in refused(copied.format(**plain | {"kind": "'cancel'"}))
    assert RulesetSwitch.objects.count() == 1
