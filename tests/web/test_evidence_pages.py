"""The page of the log, its heads as files, and the bundle of a hand."""

from __future__ import annotations

from itertools import pairwise

import pytest
from django.contrib.auth.models import User

from audit.models import CheckOccasion, Hand, SealPending, TreeHead
from audit.selectors import diagnosis_evidence
from audit.selectors.seal_keys import read_keys
from audit.services import self_check
from audit.services.sealing import seal
from replay.evidence import open_head, split_notes, verify_bundle
from tests.access import trusted
from tests.audit.conftest import ingest  # noqa: F401 - a fixture
from tests.audit.logs import B, changed, log

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_places(tmp_path, settings):
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"


@pytest.fixture
def reader(client):
    client.force_login(trusted(User.objects.create_user("ann")))
    return client


def waiting_rows() -> int:
    """How many rows have no leaf yet: those of hands, and what the reader's visits left."""
    return sum(len(rows) for rows in SealPending.objects.values_list("rows", flat=True))


def test_an_empty_log_says_so(reader):
    page = reader.get("/evidence/")
    assert page.status_code == 200
    text = page.content.decode()
    assert "Nothing has been sealed yet." in text
    assert "Nobody has looked at the software yet." in text
    assert 'role="alert"' not in text
    assert reader.get("/evidence/heads.txt").content == b""
    assert reader.get("/evidence/heads.json").json() == {"keys": [], "heads": []}


def test_heads_are_shown_and_given_out(reader, ingest):  # noqa: F811
    for number in range(3):
        ingest(log(changed(B, hand_id=f"h{number}")))
        seal()
    key = read_keys().public[0]
    sizes = list(TreeHead.objects.order_by("size").values_list("size", flat=True))
    # Each hand has an upload, a version and a verdict; the reader's own visit comes before them.
    assert [later - earlier for earlier, later in pairwise(sizes)] == [3, 3]
    waiting = waiting_rows()
    text = reader.get("/evidence/").content.decode()
    for head in TreeHead.objects.all():
        assert bytes(head.root).hex() in text
    assert str(key).replace("+", "+") in text
    assert f"{sizes[-1]} leaves, {waiting} row{'s' * (waiting != 1)} wait" in text
    given = reader.get("/evidence/heads.txt")
    assert given["Content-Disposition"] == 'attachment; filename="heads.txt"'
    notes = split_notes(given.content.decode())
    assert [open_head(note, key).head.size for note in notes] == sizes
    told = reader.get("/evidence/heads.json").json()
    assert told["keys"] == [str(key)]
    assert [head["size"] for head in told["heads"]] == sizes[::-1]
    assert [head["note"] for head in told["heads"]] == notes[::-1]


def test_what_differs_is_shown_with_an_alert(reader, monkeypatch):
    self_check.check_software(occasion=CheckOccasion.START, process="web")
    items = self_check.take_inventory()
    monkeypatch.setattr(self_check, "take_inventory", lambda: items | {"code x.py": "ab"})
    self_check.check_software(occasion=CheckOccasion.DAILY, process="worker")
    text = reader.get("/evidence/").content.decode()
    assert text.count('role="alert"') == 1
    assert "1 thing differs from the accepted software, code x.py first" in text
    assert (
        "<code>code x.py</code><br>expected <code>nothing</code><br>found <code>ab</code>" in text
    )
    assert "Found at the first start." in text


def test_rows_that_wait_too_long_are_an_alert(reader, ingest, monkeypatch):  # noqa: F811
    ingest(log(B))
    monkeypatch.setattr(diagnosis_evidence, "WAITING_SECONDS_MAX", -1.0)
    waiting = waiting_rows()
    assert waiting >= 3
    text = reader.get("/evidence/").content.decode()
    assert f"{waiting} rows have waited up to 0 minutes to be sealed" in text


def test_the_bundle_of_a_hand_is_a_link_away(reader, ingest):  # noqa: F811
    ingest(log(B))
    hand = Hand.objects.get()
    address = f"/hands/{hand.pk}/bundle"
    assert f'href="{address}"' in reader.get(f"/hands/{hand.pk}/").content.decode()
    answer = reader.get(address)
    assert answer["Content-Type"] == "application/zip"
    assert answer["Content-Disposition"] == f'attachment; filename="hand-{hand.pk}.zip"'
    assert verify_bundle(answer.content, read_keys().public).is_accepted
    assert reader.get("/hands/999999/bundle").status_code == 404
    assert reader.post(address).status_code == 405


def test_a_bundle_that_cannot_be_made_says_why(reader, ingest, settings, tmp_path):  # noqa: F811
    ingest(log(B))
    seal()
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "elsewhere"
    answer = reader.get(f"/hands/{Hand.objects.get().pk}/bundle")
    assert answer.status_code == 503
    assert "There is no seal key here" in answer.content.decode()
