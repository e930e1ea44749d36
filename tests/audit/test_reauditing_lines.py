"""Refused lines judged again: hands now, with the refusal in history."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import replay
from audit import selectors
from audit.models import (
    Admission,
    Chunk,
    Duplicate,
    Hand,
    HandVersion,
    ReauditFault,
    Refusal,
    Role,
    TableTouch,
    Upload,
    Verdict,
)
from audit.selectors.rulesets import forget_rulesets
from audit.services.reauditing import work_on_reaudit
from audit.zstd import unpacked
from tests.access import signed_in, trusted, with_roles
from tests.audit.chains import compare_all, golden
from tests.audit.logs import B, W, changed, log
from tests.audit.reauditing import NAMED, OTHER, engine, know, reaudited, start, write_revision
from tests.audit.test_judging import break_the_core


@pytest.fixture(autouse=True)
def fresh_rulesets() -> Iterator[None]:
    yield
    forget_rulesets()


def counts(upload: int) -> dict[str, Any]:
    return Upload.objects.values().get(pk=upload)


def test_svc_17_a_revision_supplied_later_judges_what_was_refused(
    ingest, settings, tmp_path
) -> None:
    row = ingest(log(B, changed(B, hand_id="late", ruleset=OTHER), b"{}"))
    assert (row.clean, row.rejected) == (1, 2)
    refusal = Refusal.objects.get(line=2)
    assert refusal.reason == f"unknown ruleset {OTHER}"
    assert reaudited(refused_lines="waiting").refused_count == 1
    write_revision(tmp_path, rake_rate='"0.06"')
    know(settings, tmp_path)
    before = counts(row.id)
    job = reaudited(refused_lines="waiting")
    assert (job.state, job.total_count, job.confirmed_count, job.admitted_count) == (
        "done",
        2,
        1,
        1,
    )
    hand = Hand.objects.get(hand_id="late")
    (verdict,) = Verdict.objects.filter(version__hand=hand)
    assert (verdict.ruleset, verdict.kind) == (OTHER, "discrepant")
    ruleset = selectors.current_rulesets().get(OTHER)
    assert bytes(verdict.ruleset_sha256).hex() == ruleset.sha256, "never judged under @1"
    assert (hand.version.upload_id, hand.version.line) == (row.id, 2)
    admission = Admission.objects.get()
    assert (admission.refusal_id, admission.version_id) == (refusal.pk, hand.version_id)
    assert Refusal.objects.values().get(pk=refusal.pk) == {
        **Refusal.objects.values().get(pk=refusal.pk),
        "reason": refusal.reason,
        "place": "$.ruleset",
    }
    assert counts(row.id) == before, "the upload counts what was judged first"
    assert Refusal.objects.filter(upload_id=row.id).count() == 2
    assert TableTouch.objects.filter(table__name=hand.table).exists()
    assert reaudited(refused_lines="waiting").total_count == 2


def test_a_line_that_failed_through_our_fault_is_judged_by_the_mended_engine(
    ingest, monkeypatch
) -> None:
    with monkeypatch.context() as broken:
        break_the_core(broken, "h2")
        row = ingest(log(*(changed(B, hand_id=f"h{number}") for number in range(4))))
        assert (row.state, row.failed) == ("partly", 1)
        job = reaudited(refused_lines="waiting")
        assert (job.state, job.aside_count, job.confirmed_count) == ("partly", 1, 3)
        assert ReauditFault.objects.get().refusal.line == 3
    job = reaudited(refused_lines="waiting")
    assert (job.state, job.admitted_count) == ("done", 1)
    hand = Hand.objects.get(hand_id="h2")
    assert (hand.verdict_kind, hand.version.line) == ("clean", 3)
    assert unpacked(hand.version.raw) == changed(B, hand_id="h2")
    assert Refusal.objects.get().is_our_fault


def test_a_line_that_came_again_meanwhile_is_a_duplicate_of_that_hand(
    ingest, settings, tmp_path
) -> None:
    line = changed(B, hand_id="late", ruleset=OTHER)
    first = ingest(log(line))
    write_revision(tmp_path)
    know(settings, tmp_path)
    ingest(log(line))
    version = HandVersion.objects.get()
    job = reaudited(refused_lines="waiting")
    assert (job.admitted_count, Hand.objects.count()) == (1, 1)
    duplicate = Duplicate.objects.get()
    assert (duplicate.upload_id, duplicate.line) == (first.id, 1)
    assert (duplicate.version_id, Admission.objects.get().version_id) == (version.pk, version.pk)


def test_an_upload_narrows_the_lines(ingest, settings, tmp_path) -> None:
    first = ingest(log(changed(B, hand_id="one", ruleset=OTHER)))
    ingest(log(changed(B, hand_id="two", ruleset=OTHER)))
    write_revision(tmp_path)
    know(settings, tmp_path)
    job = reaudited(query={"upload": str(first.id)}, refused_lines="waiting")
    assert (job.total_count, job.admitted_count) == (1, 1)
    assert Hand.objects.get().hand_id == "one"


def test_lines_refused_for_what_they_hold_are_judged_when_asked_for(ingest) -> None:
    """SVC-14: an older reader refused what this one reads."""
    sound = replay.audit_line

    def stricter(line: bytes, *args: Any, **options: Any) -> replay.Audited:
        if b'"odd"' in line:
            return replay.reject(
                line, replay.Refusal("$.hand_id", "an odd one"), file=None, number=1
            )
        return sound(line, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "audit_line", stricter)
        ingest(log(changed(B, hand_id="odd"), b"[]"))
    assert reaudited(refused_lines="waiting").total_count == 0
    job = reaudited(refused_lines="all")
    assert (job.total_count, job.admitted_count, job.refused_count) == (2, 1, 1)
    assert Hand.objects.get().hand_id == "odd"


def test_two_jobs_at_one_line_admit_it_once(ingest, settings, tmp_path) -> None:
    ingest(log(changed(B, ruleset=OTHER)))
    write_revision(tmp_path)
    know(settings, tmp_path)
    jobs = [start(refused_lines="waiting") for _ in range(2)]
    for _ in range(3):
        for job in jobs:
            work_on_reaudit(reaudit_id=job)
    assert Admission.objects.count() == Hand.objects.count() == 1
    assert NAMED != OTHER


def test_lines_of_several_uploads_are_batches_of_their_own(ingest, settings, tmp_path) -> None:
    for number in range(3):
        ingest(log(changed(B, hand_id=f"h{number}", ruleset=OTHER), W))
    write_revision(tmp_path)
    know(settings, tmp_path)
    job = reaudited(refused_lines="waiting")
    assert (job.confirmed_count, job.admitted_count) == (1, 3)
    assert sorted(len(batch.rows) for batch in job.batches.exclude(upload=None).order_by("pk")) == [
        1,
        1,
        1,
    ]
    assert Chunk.objects.exclude(state="done").count() == 0


def test_a_line_of_a_hand_that_turned_is_counted_with_it(ingest, settings, tmp_path) -> None:
    """The line repeats a hand that is discrepant because of the hand before it: when it turns
    back each of its lines is counted down, this one, too."""
    lines = golden("tien-gow", "continuity")
    shipped = {ruleset.name for ruleset in selectors.current_rulesets()}
    lines = [line for line in lines if json.loads(line)["ruleset"] in shipped]
    with pytest.MonkeyPatch.context() as broken:
        break_the_core(broken, *(json.loads(line)["hand_id"] for line in lines))
        late = ingest(log(*lines))
    upload = ingest(log(*lines))
    compare_all()
    turned = selectors.get_upload(upload.id, sources=None).turned
    assert turned > 0
    reaudited(refused_lines="waiting", query={"upload": str(late.id)})
    assert selectors.get_upload(late.id, sources=None).turned == turned
    with engine():
        reaudited()
        assert [selectors.get_upload(one.id, sources=None).turned for one in (late, upload)] == [
            0,
            0,
        ]


def test_svc_17_the_upload_says_which_of_its_refused_lines_are_hands_now(
    ingest, client, django_user_model, settings, tmp_path
) -> None:
    client.force_login(trusted(django_user_model.objects.create_user("ines.castro")))
    row = ingest(log(changed(B, ruleset=OTHER), b"{}"))
    assert "since" not in client.get(f"/uploads/{row.id}/").content.decode()
    write_revision(tmp_path)
    know(settings, tmp_path)
    job = reaudited(refused_lines="waiting").pk
    hand = Hand.objects.get()
    first, second = selectors.list_refusals(row.id, sources=None, reaudit_sources=None).rows
    assert (first.line, first.hand_pk, first.reaudit_id) == (1, hand.pk, job)
    assert (second.line, second.hand_pk, second.reaudit_id) == (2, None, None)
    page = client.get(f"/uploads/{row.id}/").content.decode()
    assert page.count(f'<a href="/hands/{hand.pk}/">a hand</a> since') == 1
    assert page.count(f"re-audit {job}") == 1
    # Whoever may open no re-audit is not told the number of one.
    (first, _) = selectors.list_refusals(row.id, sources=None).rows
    assert (first.hand_pk, first.reaudit_id) == (hand.pk, None)
    support = with_roles(django_user_model.objects.create_user("sam.lee"), Role.SUPPORT)
    seen = signed_in(support).get(f"/uploads/{row.id}/").content.decode()
    assert (seen.count(f'<a href="/hands/{hand.pk}/">a hand</a> '), "re-audit" in seen) == (
        1,
        False,
    )
    assert "<dt>Refused lines that are hands now</dt><dd>1</dd>" in page
    told = client.get(f"/api/v1/uploads/{row.id}/").json()
    assert (told["verdicts"]["rejected"], told["admitted_later"]) == (2, 1)
