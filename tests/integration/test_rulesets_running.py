"""Rulesets through a real broker and real workers, and by two people at once."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection

from audit import selectors, services
from audit.models import Hand, Role, RulesetRevision
from audit.selectors.access import Access
from audit.services.rulesets import RulesetRefused, add_ruleset, approve_ruleset
from audit.services.rulesets_rehearsing import rehearse_ruleset
from tests.audit.logs import B, changed, log
from tests.audit.reauditing import many
from tests.audit.rulesets import NAMED, OTHER, access_for, add, publish, revision
from tests.integration.test_reaudits_running import wait_for
from tests.integration.web import PATIENCE_SECONDS

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def author(transactional_db: Any) -> Access:
    return access_for(get_user_model(), "wen.autor", Role.RULES_AUTHOR)


@pytest.fixture
def approver(transactional_db: Any) -> Access:
    return access_for(get_user_model(), "pia.prueft", Role.RULES_APPROVER)


def sent(*lines: bytes) -> selectors.UploadRow:
    """Hand lines in and wait until the worker has judged them."""
    upload = services.receive_upload(name="x", stream=io.BytesIO(log(*lines))).upload_id
    limit = time.monotonic() + PATIENCE_SECONDS
    while (row := selectors.get_upload(upload, sources=None)).finished_at is None:
        assert time.monotonic() < limit, row
        time.sleep(0.02)
    return row


def test_a_running_worker_sees_what_is_published(
    author: Access, approver: Access, celery_worker_process: Any
) -> None:
    """One and the same process refuses a hand, and judges the next that names the same."""
    assert sent(B).rejected == 0
    assert sent(changed(B, hand_id="early", ruleset=OTHER)).rejected == 1
    publish(author, approver)
    assert sent(changed(B, hand_id="late", ruleset=OTHER)).rejected == 0
    assert celery_worker_process.poll() is None
    assert dict(Hand.objects.values_list("hand_id", "verdict__ruleset")) == {
        "base-1": NAMED,
        "late": OTHER,
    }


def test_a_worker_rehearses_a_draft_that_it_never_judges_by(
    author: Access, celery_worker_process: Any
) -> None:
    sent(*many(20))
    add(author)
    job = rehearse_ruleset(access=author, name=OTHER, reason="what if", newest=15)
    row = wait_for(job, lambda row: row.is_ended)
    assert (row.rehearsed, row.flipped, row.aside) == (15, 15, 0)
    assert sent(changed(B, hand_id="early", ruleset=OTHER)).rejected == 1


def at_once(*acts: Callable[[], object]) -> list[str]:
    """Do all of this at the same time; gives what was refused, in words."""
    refused: list[str] = []
    gate = threading.Barrier(len(acts))

    def do(act: Callable[[], object]) -> None:
        try:
            gate.wait(PATIENCE_SECONDS)
            act()
        except RulesetRefused as error:
            refused.append(str(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return refused


def test_of_two_who_publish_at_once_one_does(author: Access, approver: Access) -> None:
    other = access_for(get_user_model(), "otto", Role.RULES_APPROVER)
    for number in range(2, 7):
        key = add(author, revision(number, rake_rate='"0.06"'))

        def publish_as(access: Access, key: int = key) -> None:
            approve_ruleset(
                access=access, revision_pk=key, reason="x", unrehearsed_reason=access.name
            )

        refused = at_once(lambda: publish_as(approver), lambda: publish_as(other))
        assert len(refused) == 1
        assert "is published and cannot be published" in refused[0]
    numbers = RulesetRevision.objects.order_by("publication").values_list("publication", flat=True)
    assert list(numbers) == [1, 2, 3, 4, 5]


def test_of_two_files_of_one_name_at_once_one_stays(author: Access) -> None:
    def hand_in(rate: str) -> None:
        content = revision(rake_rate=f'"{rate}"')
        add_ruleset(access=author, content=content, reason="x")

    refused = at_once(lambda: hand_in("0.06"), lambda: hand_in("0.07"), lambda: hand_in("0.08"))
    assert len(refused) == 2
    assert all("There is a draft" in words for words in refused)
    assert RulesetRevision.objects.count() == 1
