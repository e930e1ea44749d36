"""The life of a ruleset: handed in, rehearsed, published by a second person, kept for good."""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import Any

import pytest
from django.db import Error, connection, transaction

import replay
from audit import selectors, services
from audit.models import Chunk, Hand, JournalEntry, Reaudit, Role, RulesetRevision, RulesetSwitch
from audit.selectors.access import Access
from audit.selectors.reaudits_report import list_amounts
from audit.selectors.ruleset_changes import changes
from audit.selectors.rulesets import current_rulesets, forget_rulesets, rulesets_naming
from audit.selectors.rulesets_revisions import find_revision, list_revisions, revision_detail
from audit.services.rulesets import (
    RulesetRefused,
    SecondPersonNeeded,
    approve_ruleset,
    retire_ruleset,
    withdraw_ruleset,
)
from audit.services.rulesets_rehearsing import judge_waiting, rehearse_ruleset
from tests.audit.logs import B, changed, log
from tests.audit.reauditing import many, run
from tests.audit.rulesets import NAMED, OTHER, access_for, add, publish, revision

DEARER = revision(rake_rate='"0.06"')


@pytest.fixture
def author(db: Any, django_user_model: Any) -> Access:
    return access_for(django_user_model, "wen.autor", Role.RULES_AUTHOR)


@pytest.fixture
def approver(db: Any, django_user_model: Any) -> Access:
    return access_for(django_user_model, "pia.prueft", Role.RULES_APPROVER)


def state_of(name: str = OTHER) -> str:
    return find_revision(name).state


def test_a_file_is_kept_byte_for_byte_and_judges_nothing_as_a_draft(author: Access) -> None:
    key = add(author, DEARER)
    row = RulesetRevision.objects.get(pk=key)
    assert bytes(row.content) == DEARER
    assert (row.name, row.game, row.state) == (OTHER, "banker-pai-gow", "draft")
    assert current_rulesets().get(OTHER) is None
    assert state_of() == "draft"


def test_everything_that_is_wrong_is_told_with_its_place(author: Access) -> None:
    content = revision(rake_rate="0.06", high9='"lax"', more="[sources]\nraek = 'a typo'\n")
    lines = content.decode().split("\n")
    with pytest.raises(RulesetRefused) as caught:
        add(author, content)
    assert str(caught.value) == "This is no ruleset: 3 things are wrong with it."
    assert [(one.path, one.line, one.rule) for one in caught.value.problems] == [
        ("$.options.high9", lines.index('high9 = "lax"') + 1, "PG-19"),
        ("$.options.rake_rate", lines.index("rake_rate = 0.06") + 1, "PG-31"),
        ("$.sources.raek", lines.index("raek = 'a typo'") + 1, None),
    ]
    assert not RulesetRevision.objects.exists()


def test_a_name_stands_for_one_file(author: Access, approver: Access) -> None:
    with pytest.raises(RulesetRefused, match="with these very bytes"):
        add(author, revision(1))
    with pytest.raises(RulesetRefused, match=r"never edited: give the change a new revision"):
        add(author, revision(1, rake_rate='"0.06"'))
    key = add(author, DEARER)
    with pytest.raises(RulesetRefused, match=r"There is a draft .* with these very bytes"):
        add(author, DEARER)
    with pytest.raises(RulesetRefused, match=r"There is a draft .* with other bytes"):
        add(author, revision(rake_rate='"0.07"'))
    withdraw_ruleset(access=author, revision_pk=key, reason="a typo")
    again = add(author, revision(rake_rate='"0.07"'))
    approve_ruleset(access=approver, revision_pk=again, reason="x", unrehearsed_reason="y")
    with pytest.raises(RulesetRefused, match=r"known already with other bytes"):
        add(author, DEARER)
    game = revision(9, of="tien-gow/classic@1").replace(b"tien-gow/classic", NAMED[:-2].encode())
    with pytest.raises(RulesetRefused, match=r"is a ruleset of another game, banker-pai-gow"):
        add(author, game)


def test_who_wrote_it_cannot_publish_it(author: Access, django_user_model: Any) -> None:
    both = access_for(django_user_model, "both", Role.RULES_AUTHOR, Role.RULES_APPROVER)
    key = add(both)
    with pytest.raises(SecondPersonNeeded):
        approve_ruleset(access=both, revision_pk=key, reason="x", unrehearsed_reason="y")
    with pytest.raises(RulesetRefused, match=r"wen\.autor has no role that may do this"):
        approve_ruleset(access=author, revision_pk=key, reason="x", unrehearsed_reason="y")
    assert state_of() == "draft"


def test_who_approves_for_one_source_publishes_nothing(
    author: Access, approver: Access, django_user_model: Any
) -> None:
    local = access_for(django_user_model, "local", Role.RULES_APPROVER, source="here")
    key = add(author)
    with pytest.raises(RulesetRefused, match="holds for every source"):
        approve_ruleset(access=local, revision_pk=key, reason="x", unrehearsed_reason="y")
    approve_ruleset(access=approver, revision_pk=key, reason="x", unrehearsed_reason="y")
    with pytest.raises(RulesetRefused, match="holds for every source"):
        retire_ruleset(access=local, revision_pk=key, reason="x")


def test_publishing_needs_a_rehearsal_of_these_very_bytes(
    author: Access, approver: Access, ingest: Any
) -> None:
    ingest(log(*many(3)))
    first = add(author, revision(rake_rate='"0.07"'))
    run(rehearse_ruleset(access=author, name=OTHER, reason="what if"))
    assert state_of() == "rehearsed"
    withdraw_ruleset(access=author, revision_pk=first, reason="a typo")
    key = add(author, DEARER)
    assert state_of() == "draft", "other bytes under the same name are not rehearsed"
    with pytest.raises(RulesetRefused, match="was not rehearsed with these bytes"):
        approve_ruleset(access=approver, revision_pk=key, reason="agreed")
    job = run(rehearse_ruleset(access=approver, name=OTHER, reason="what if"))
    approve_ruleset(access=approver, revision_pk=key, reason="agreed")
    row = find_revision(OTHER)
    assert (row.state, row.rehearsal_id, row.published_by) == ("published", job.pk, "pia.prueft")


def test_whoever_publishes_upon_few_hands_says_why(
    author: Access, approver: Access, ingest: Any, settings: Any
) -> None:
    """Of those that could be: all of the id, or as many as are wanted where there are more."""
    settings.TILECOURT_REHEARSED_MIN = 3
    ingest(log(*many(5)))
    key = add(author, DEARER)
    draft = replay.read_ruleset(DEARER)

    def proof() -> tuple[int, int, int, bool]:
        found = revision_detail(draft.sha256, sources=None).proof
        assert found is not None
        return found.rehearsed, found.could, found.wanted, found.is_enough

    assert proof() == (0, 5, 3, False)
    run(rehearse_ruleset(access=author, name=OTHER, reason="what if", newest=1))
    assert proof() == (1, 5, 3, False)
    sentence = "was rehearsed on 1 of 5 hands, where 3 are wanted: rehearse more, or say why"
    for why in ("", "  "):
        with pytest.raises(RulesetRefused, match=sentence):
            approve_ruleset(
                access=approver, revision_pk=key, reason="agreed", unrehearsed_reason=why
            )
    job = run(rehearse_ruleset(access=author, name=OTHER, reason="what if", newest=3))
    assert proof() == (3, 5, 3, True)
    approve_ruleset(
        access=approver, revision_pk=key, reason="agreed", unrehearsed_reason="not needed"
    )
    row = find_revision(OTHER)
    assert (row.rehearsal_id, row.rehearsed, row.rehearsed_of) == (job.pk, 3, 5)
    assert row.unrehearsed_reason == ""
    entry = JournalEntry.objects.filter(act="approve-rulesets").latest("pk")
    assert entry.detail == {
        "done": "published", "reason": "agreed", "rehearsed": 3, "rehearsed_of": 5,
    }  # fmt: skip


def test_why_so_few_were_enough_is_kept(author: Access, approver: Access, ingest: Any) -> None:
    ingest(log(*many(3)))
    key = add(author, DEARER)
    run(rehearse_ruleset(access=author, name=OTHER, reason="what if", newest=1))
    approve_ruleset(
        access=approver, revision_pk=key, reason="agreed", unrehearsed_reason="the rest is void"
    )
    row = find_revision(OTHER)
    assert (row.rehearsed, row.rehearsed_of) == (1, 3)
    assert row.unrehearsed_reason == "the rest is void"


def test_a_ruleset_of_a_new_id_could_be_rehearsed_on_all_of_its_game(
    author: Access, ingest: Any
) -> None:
    ingest(log(*many(2)))
    content = revision(1).replace(b'id = "banker-pai-gow/bs-2022"', b'id = "banker-pai-gow/new"')
    add(author, content)
    detail = revision_detail(replay.read_ruleset(content).sha256, sources=None)
    assert detail.proof is not None
    assert (detail.proof.could, detail.proof.wanted) == (2, 2)


def test_a_rehearsal_of_no_hand_proves_nothing(author: Access, approver: Access) -> None:
    key = add(author)
    job = run(rehearse_ruleset(access=author, name=OTHER, reason="what if"))
    assert (job.state, job.total_count) == ("done", 0)
    with pytest.raises(RulesetRefused, match="was not rehearsed"):
        approve_ruleset(access=approver, revision_pk=key, reason="agreed")


def test_a_rehearsal_tells_the_money_and_changes_nothing(author: Access, ingest: Any) -> None:
    """Idea 6: the preview is what a run by hand gives, and past verdicts stay byte for byte."""
    lines = many(5)
    ingest(log(*lines))
    before = list(Hand.objects.order_by("pk").values_list("verdict_id", "verdict_kind"))
    add(author, DEARER)
    job = run(rehearse_ruleset(access=author, name=OTHER, reason="what if"))
    assert (job.rehearsed_count, job.flipped_count, job.aside_count) == (5, 5, 0)
    draft = replay.read_ruleset(DEARER)
    rulesets = replay.Rulesets()
    rulesets.add(draft, where="")
    rake = 0
    nets: Counter[str] = Counter()
    for line in lines:
        settled = replay.audit(line.replace(NAMED.encode(), OTHER.encode()), rulesets).settlement
        assert settled is not None
        rake += sum(replay.parse_minor(seat["rake"], 2) for seat in settled["seats"])
        players = {seat["seat"]: seat["player"] for seat in json.loads(line)["seats"]}
        for seat in settled["seats"]:
            nets[players[seat["seat"]]] += replay.parse_minor(seat["net"], 2)
    totals, _ = list_amounts(job.pk, "currency")
    assert [row.rake_after for row in totals] == [rake]
    by_player, _ = list_amounts(job.pk, "player")
    assert {row.player: row.net_after for row in by_player} == nets
    assert list(Hand.objects.order_by("pk").values_list("verdict_id", "verdict_kind")) == before
    report = revision_detail(draft.sha256, sources=None)
    assert [one.id for one in report.rehearsals] == [job.pk]


def test_a_rehearsal_takes_the_hands_played_last(author: Access, ingest: Any) -> None:
    lines = many(6)
    ingest(log(*reversed(lines)))
    add(author)
    job = run(rehearse_ruleset(access=author, name=OTHER, reason="what if", newest=2))
    taken = (
        Reaudit.objects.get().results.order_by("hand_id").values_list("hand__hand_id", flat=True)
    )
    assert sorted(taken) == ["h4", "h5"]
    assert job.filter_text == (
        "naming any revision of banker-pai-gow/bs-2022, game Banker Pai Gow, the 2 played last"
    )


def test_the_latest_hands_are_those_of_the_start(author: Access, ingest: Any) -> None:
    """What arrives before the first step takes no place, and what was found stays."""
    ingest(log(*many(3)))
    add(author)
    job = rehearse_ruleset(access=author, name=OTHER, reason="what if", newest=2)
    ingest(
        log(
            changed(
                B,
                hand_id="later",
                started_at="2025-03-01T09:00:00Z",
                ended_at="2025-03-01T09:01:00Z",
            )
        )
    )
    done = run(job)
    assert done.results.count() == 2
    taken = done.results.values_list("hand__hand_id", flat=True)
    assert sorted(taken) == ["h1", "h2"]
    words = refused("UPDATE audit_reaudit SET played_from = now()")
    assert words == "rows of audit_reaudit are never changed or deleted"
    assert refused("UPDATE audit_reaudit SET newest_max = 9") == words
    fewer = run(rehearse_ruleset(access=author, name=OTHER, reason="what if", newest=900))
    assert fewer.rehearsed_count == 4


def test_what_is_published_is_seen_without_a_restart(
    author: Access, approver: Access, ingest: Any
) -> None:
    """SVC-17: an unknown revision, supplied later. SVC-16: hands that name another stay."""
    line = changed(B, ruleset=OTHER)
    data = log(B, line.replace(b'"hand_id": "', b'"hand_id": "2-'))
    upload = ingest(data)
    (refused,) = selectors.list_refusals(upload.id, sources=None).rows
    assert refused.reason == f"unknown ruleset {OTHER}"
    key = publish(author, approver, DEARER)
    known = current_rulesets().get(OTHER)
    assert known is not None
    assert known.content == DEARER
    before = Hand.objects.get().verdict_id
    detail = revision_detail(known.sha256, sources=None)
    assert detail.waiting == 1
    job = run(judge_waiting(access=approver, name=OTHER))
    assert job.admitted_count == 1
    assert sorted(Hand.objects.values_list("ruleset", flat=True)) == [NAMED, OTHER]
    assert Hand.objects.get(ruleset=NAMED).verdict_id == before
    late = Hand.objects.get(ruleset=OTHER)
    assert late.verdict.ruleset_sha256.hex() == known.sha256
    assert revision_detail(known.sha256, sources=None).waiting == 0
    assert RulesetRevision.objects.get(pk=key).publication == 1


def test_asking_costs_one_query_and_gives_the_same_value(
    author: Access, approver: Access, django_assert_num_queries: Any
) -> None:
    first = current_rulesets()
    with django_assert_num_queries(1):
        assert current_rulesets() is first
    publish(author, approver)
    assert first.get(OTHER) is None, "a chunk is judged by one state of things"
    with django_assert_num_queries(2):
        second = current_rulesets()
    assert second.get(NAMED) is first.get(NAMED), "compiled rules hang on it"
    with django_assert_num_queries(1):
        assert current_rulesets() is second


def test_a_job_goes_on_by_the_rules_of_its_start(
    author: Access, approver: Access, ingest: Any
) -> None:
    """What is published meanwhile neither stops a re-audit nor comes into it."""
    ingest(log(B, changed(B, hand_id="2", ruleset=OTHER)))
    job = services.open_reaudit(
        user=None, sources=None, reason="x", query={}, refused_lines="waiting"
    )
    publish(author, approver)
    done = run(job)
    assert (done.state, done.confirmed_count, done.admitted_count, done.refused_count) == (
        "done", 1, 0, 1,
    )  # fmt: skip
    again = run(
        services.open_reaudit(
            user=None, sources=None, reason="x", query={}, refused_lines="waiting"
        )
    )
    assert again.admitted_count == 1


def test_retired_is_still_judged_by(author: Access, approver: Access, ingest: Any) -> None:
    key = publish(author, approver)
    retire_ruleset(access=approver, revision_pk=key, reason="the year is over")
    forget_rulesets()
    assert current_rulesets().get(OTHER) is not None
    ingest(log(changed(B, ruleset=OTHER)))
    assert Hand.objects.get().ruleset == OTHER
    with pytest.raises(RulesetRefused, match="is retired and cannot be retired"):
        retire_ruleset(access=approver, revision_pk=key, reason="again")


def test_a_stored_revision_that_was_tampered_with_is_not_used(
    author: Access, approver: Access
) -> None:
    key = publish(author, approver)
    content = DEARER.replace(b"0.06", b"0.09")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE audit_rulesetrevision DISABLE TRIGGER USER")
        cursor.execute(
            "UPDATE audit_rulesetrevision SET content = %s WHERE id = %s", [content, key]
        )
        cursor.execute("ALTER TABLE audit_rulesetrevision ENABLE TRIGGER USER")
    forget_rulesets()
    with pytest.raises(replay.RulesetError, match="not those that were published"):
        current_rulesets()


def test_the_list_has_files_and_revisions_in_order(author: Access, approver: Access) -> None:
    publish(author, approver)
    add(author, revision(10, rake_rate='"0.07"'))
    rows = [(row.name, row.state) for row in list_revisions() if row.game == "banker-pai-gow"]
    assert rows == [
        (NAMED, "shipped"),
        (OTHER, "published"),
        (NAMED.replace("@1", "@10"), "draft"),
        ("banker-pai-gow/event-list-122@1", "shipped"),
    ]


def test_a_change_of_the_rake_is_an_event_with_all_six(author: Access, approver: Access) -> None:
    """S24: time, item, user, reason, value before, value after."""
    key = publish(author, approver, revision(rake_rate='"0.06"', tie_rule='"push"'))
    row = RulesetRevision.objects.get(pk=key)
    found = changes(sources=None)
    assert [
        (one.at, one.kind, one.item, one.rule, one.user, one.reason, one.before, one.after)
        for one in found
    ] == [
        (row.published_at, "published", item, rule, "pia.prueft", "agreed", before, after)
        for item, rule, before, after in (
            (OTHER, None, NAMED, OTHER),
            (f"{OTHER} tie_rule", None, "banker_wins", "push"),
            (f"{OTHER} rake_rate", "PG-31", "0.05", "0.06"),
        )
    ]
    assert changes(sources=None, until=row.published_at) == ()
    assert changes(sources=frozenset()) == ()


# -- what the database itself refuses ---------------------------------------------------------


@pytest.fixture
def published(author: Access, approver: Access) -> RulesetRevision:
    return RulesetRevision.objects.get(pk=publish(author, approver))


def refused(statement: str, *parameters: Any) -> str:
    """The words with which the database refuses a statement of its owner."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL tilecourt.guard = 'on'")
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(statement, parameters)
    except Error as error:
        return str(error).splitlines()[0]
    pytest.fail("the database let it through")


@pytest.mark.parametrize(
    "values",
    [
        "content = 'x'", "sha256 = 'x'", "name = 'x@1'", "title = 'x'",
        "author_id = published_by_id",
        "published_at = now()", "publish_reason = 'x'", "unrehearsed_reason = 'x'",
        "publication = 7", "state = 'draft'", "state = 'withdrawn'", "reason = 'x'",
    ],
)  # fmt: skip
def test_a_published_revision_never_changes(published: RulesetRevision, values: str) -> None:
    words = refused(f"UPDATE audit_rulesetrevision SET {values}")
    assert "is published and stays as it is" in words


def test_no_revision_ever_goes_away(published: RulesetRevision, author: Access) -> None:
    add(author, revision(3))
    gone = "rows of audit_rulesetrevision are never changed or deleted"
    assert refused("DELETE FROM audit_rulesetrevision WHERE state = 'draft'") == gone
    assert refused("DELETE FROM audit_rulesetrevision WHERE state = 'published'") == gone
    assert refused("TRUNCATE audit_rulesetrevision") == gone
    assert refused("TRUNCATE audit_rulesetswitch").startswith("rows of audit_rulesetswitch")


def test_the_database_wants_a_second_person_and_a_rehearsal(author: Access, ingest: Any) -> None:
    add(author)
    publication = (
        "UPDATE audit_rulesetrevision SET state = 'published', publication = 1,"
        " published_at = now(), publish_reason = 'x', published_by_id = "
    )
    words = refused(f"{publication}%s, unrehearsed_reason = 'y'", author.account_id)
    assert "ruleset_second_person" in words
    other = Reaudit.objects.create(
        reason="x", filter={}, filter_text="", rulesets={}, hand_max=0, named="", ruleset="",
        engine=replay.ENGINE,
    )  # fmt: skip
    assert "ruleset_publication_is_whole" in refused(f"{publication}author_id + 1")
    assert "that is no rehearsal" in refused(
        f"{publication}author_id + 1, rehearsal_id = {other.pk}"
    )


def test_a_revision_begins_as_a_draft_of_its_own_bytes(author: Access) -> None:
    columns = "ruleset_id, revision, name, game, title, content, sha256, state, author_id, reason"
    row = "'a', 1, %s, 'g', 't', 'x', {}, %s, %s, 'r'"
    insert = (
        f"INSERT INTO audit_rulesetrevision ({columns}, publish_reason, unrehearsed_reason,"
        f" close_reason) VALUES ({row}, '', '', '')"
    )
    right, wrong = insert.format("sha256('x')"), insert.format("sha256('y')")
    who = author.account_id
    assert "is not what its name and its hash say" in refused(wrong, "a@1", "draft", who)
    assert "is not what its name and its hash say" in refused(right, "a@2", "draft", who)
    assert "begins as a draft" in refused(right, "a@1", "published", who)
    assert "null value" in refused(right, "a@1", "draft", None)
    assert not RulesetSwitch.objects.exists()


def test_judging_under_a_draft_is_refused_by_name(author: Access) -> None:
    """A hand that names a draft is refused as one that names nothing known."""
    add(author)
    received = services.receive_upload(name="x", stream=io.BytesIO(log(changed(B, ruleset=OTHER))))
    for chunk in Chunk.objects.filter(upload_id=received.upload_id):
        assert services.judge_chunk(chunk_id=chunk.pk) is None
    assert not Hand.objects.exists()


def test_a_hand_that_names_what_is_held_asks_nothing(
    author: Access, approver: Access, django_assert_num_queries: Any
) -> None:
    held = current_rulesets()
    publish(author, approver)
    with django_assert_num_queries(0):
        assert rulesets_naming(NAMED) is held
    with django_assert_num_queries(2):
        assert rulesets_naming(OTHER).get(OTHER) is not None
    with django_assert_num_queries(0):
        assert rulesets_naming(OTHER).get(OTHER) is not None
    with django_assert_num_queries(1):
        assert rulesets_naming("tien-gow/none@1").get("tien-gow/none@1") is None
