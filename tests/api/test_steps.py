"""A step by program: what a viewer saw, and nothing else (SVC-25, 56, 58, 60, 63, 65)."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import msgspec
import pytest
from django.db import transaction
from django.test import Client

import replay
from audit import selectors, services
from audit.api.rendering import encode
from audit.models import Chunk, Hand
from tests.look_alikes import look_alike
from tests.web.lines import BASE, DECLARED, PAI_GOW, SMALL, TIEN_GOW, WENZHOU

VIEWERS = ("public", "seat-0", "seat-1", "seat-2", "seat-3")


def store(line: bytes) -> int:
    upload = services.receive_upload(name="day.ndjson", stream=io.BytesIO(line + b"\n"))
    for chunk in Chunk.objects.filter(upload_id=upload.upload_id):
        services.judge_chunk(chunk_id=chunk.pk)
    return Hand.objects.latest("pk").pk


@pytest.mark.parametrize("line", BASE, ids=["pg", "tg-declared", "tg", "small", "wz"])
def test_a_step_is_the_walks_own(db: Any, ask: Any, line: bytes) -> None:
    pk = store(line)
    walk = replay.walk(line, selectors.current_rulesets())
    for step in walk.steps:
        answer = ask(f"/api/v1/hands/{pk}/steps/{step.number}/")
        assert answer.status_code == 200
        told = answer.json()
        assert told["board"] == msgspec.json.decode(encode(step.board))
        assert [event["event"] for event in told["events"]] == list(range(len(walk.steps) - 1))
        assert (told["as"], told["is_revealed"]) == ("auditor", True)
        assert len(told["figures"]) == len(walk.figures)
    assert ask(f"/api/v1/hands/{pk}/steps/{len(walk.steps)}/").status_code == 404


# Of every game; nobody sits at a door of Wenzhou Pai Gow.
LOOKED_AT = [
    *((line, viewer) for line in (PAI_GOW, DECLARED, TIEN_GOW, SMALL) for viewer in VIEWERS),
    (WENZHOU, "public"),
]


@pytest.mark.parametrize(("line", "viewer"), LOOKED_AT)
def test_answers_for_hands_that_look_alike_are_byte_equal(
    db: Any, ask: Any, line: bytes, viewer: str
) -> None:
    chance = random.Random(f"{viewer}{line[:60]!r}")
    viewpoint = replay.parse_viewpoint(viewer)
    rulesets = selectors.current_rulesets()
    last = len(json.loads(line)["events"])
    for number in chance.sample(range(last), min(last, 6)):
        if replay.seen(line, rulesets, viewpoint, number).is_revealed:
            continue
        bodies = []
        for one in (line, look_alike(line, viewpoint, number, chance)):
            with transaction.atomic():
                pk = store(one)
                answer = ask(f"/api/v1/hands/{pk}/steps/{number}/?as={viewer}")
                transaction.set_rollback(True)
            assert answer.status_code == 200
            bodies.append(answer.content.replace(f'"hand":"{pk}"'.encode(), b'"hand":"N"'))
        assert bodies[0] == bodies[1]
        assert b'"figures":[]' in bodies[0]


def test_the_viewer_is_named_once(db: Any, ask: Any) -> None:
    pk = store(TIEN_GOW)
    plain = ask(f"/api/v1/hands/{pk}/steps/7/?as=seat-1").content
    for more in ("seat=3", "viewer=auditor", "player=ann"):
        assert ask(f"/api/v1/hands/{pk}/steps/7/?as=seat-1&{more}").content == plain
    for query in ("as=seat-1&as=auditor", "as=", "as=seat-4"):
        assert ask(f"/api/v1/hands/{pk}/steps/7/?{query}").status_code == 400


def test_what_is_not_there_is_not_found(db: Any, ask: Any) -> None:
    pk = store(WENZHOU)
    assert ask(f"/api/v1/hands/{pk}/steps/3/?as=seat-0").status_code == 404
    assert ask(f"/api/v1/hands/{pk + 1}/steps/3/").status_code == 404
    assert ask(f"/api/v1/hands/{'9' * 30}/steps/3/").status_code == 404
    assert Client().get(f"/api/v1/hands/{pk}/steps/3/").status_code == 401


def test_no_answer_is_kept(db: Any, ask: Any) -> None:
    pk = store(PAI_GOW)
    answer = ask(f"/api/v1/hands/{pk}/steps/3/?as=public")
    rules = {rule.strip() for rule in answer.headers["Cache-Control"].split(",")}
    assert {"private", "no-store"} <= rules
