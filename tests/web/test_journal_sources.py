"""In which source a row of the journal lies: what an address says beside it changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from audit.models import Hand, JournalEntry
from tests.web.lines import TIEN_GOW


@pytest.mark.parametrize(
    "path", ["", "steps/3/", "steps/?step=2", "record", "verdict", "what-if/", "links", "bundle"]
)
def test_a_look_at_a_hand_cannot_be_put_into_another_source(
    site: Any, store: Any, settings: Any, tmp_path: Any, path: str
) -> None:
    """Auditors of one source see its rows alone: one that lay elsewhere would be hidden."""
    settings.TILECOURT_SEAL_KEY_FILE = tmp_path / "seal_key"
    settings.TILECOURT_SEAL_HEADS = tmp_path / "heads"
    store(TIEN_GOW)
    hand = Hand.objects.get()
    glue = "&" if "?" in path else "?"
    answer = site.get(f"/hands/{hand.pk}/{path}{glue}source=elsewhere")
    assert answer.status_code in (200, 302)
    entry = JournalEntry.objects.latest("pk")
    assert (entry.hand, entry.source) == (hand.pk, hand.source)


def test_a_search_in_a_source_lies_there(site: Any, store: Any) -> None:
    store(TIEN_GOW)
    source = Hand.objects.get().source
    assert site.get("/hands/", {"source": source}).status_code == 200
    assert JournalEntry.objects.latest("pk").source == source
