"""A hash that a feed published of its deal, on the pages of a hand."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from audit.models import Hand
from tests.web.lines import PAI_GOW, changed

SEED = "1740794400"
VALUES = {"time": SEED, "number": "77", "fine": "a" * 64}


def committed(value, **more):
    told = {"algorithm": "sha256", "hash": hashlib.sha256(value.encode()).hexdigest()}
    return changed(PAI_GOW, ext={"commitment": told | {"value": value} | more})


def last_step(line) -> int:
    return len(json.loads(line)["events"])


@pytest.mark.parametrize("viewer", ["", "?as=public", "?as=seat-1"])
def test_svc_77_only_the_hash_is_visible_before_the_reveal(site, store, viewer):
    line = committed(SEED)
    store(line)
    hand = Hand.objects.get()
    for number in range(last_step(line)):
        html = site.get(f"/hands/{hand.pk}/steps/{number}/{viewer}").content.decode()
        assert hashlib.sha256(SEED.encode()).hexdigest() in html
        assert SEED not in html, number
        assert "Guessable" not in html
    html = site.get(f"/hands/{hand.pk}/steps/{last_step(line)}/{viewer}").content.decode()
    assert f"<bdi>{SEED}</bdi>" in html
    assert "The hash is of this value." in html


@pytest.mark.parametrize(
    ("kind", "words"),
    [("time", "is a time stamp"), ("number", "is a number of 32 bits"), ("fine", None)],
)
def test_svc_77_a_value_that_can_be_guessed_is_flagged(site, store, kind, words):
    line = committed(VALUES[kind])
    store(line)
    hand = Hand.objects.get()
    # It is a note of ours: the verdict knows nothing of it.
    assert (hand.verdict_kind, hand.finding_codes) == ("clean", [])
    html = site.get(f"/hands/{hand.pk}/steps/{last_step(line)}/").content.decode()
    found = re.search(r"Guessable: the value ([^,]+),", html)
    assert (found and found[1]) == words


def test_svc_77_a_hash_of_something_else_is_told(site, store):
    line = committed("x" * 40, hash="00" * 32)
    store(line)
    hand = Hand.objects.get()
    html = site.get(f"/hands/{hand.pk}/steps/{last_step(line)}/").content.decode()
    assert "The hash is not of this value." in html


def test_without_a_commitment_nothing_is_shown(site, store):
    store(PAI_GOW)
    html = site.get(f"/hands/{Hand.objects.get().pk}/steps/0/").content.decode()
    assert "Published before play" not in html
