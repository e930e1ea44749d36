"""Engines and rulesets that differ, and a way to run a re-audit without workers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

import replay
from audit import services
from audit.models import Reaudit
from audit.selectors.rulesets import forget_rulesets
from tests.audit.logs import B, changed

NAMED = json.loads(B)["ruleset"]
OTHER = NAMED.replace("@1", "@2")
NEXT_ENGINE = "9.0.0"

Alter = Callable[[replay.Audited], replay.Verdict]


def start(reason: str = "a test", **asked: Any) -> int:
    """Open a re-audit of everything, or of what is asked for."""
    given = {"user": None, "sources": None, "query": {}, **asked}
    return services.open_reaudit(reason=reason, **given)


def run(reaudit_id: int) -> Reaudit:
    """Work on it until nothing is left to do here: first gather, then judge."""
    for _ in ("gathering", "judging"):
        while services.work_on_reaudit(reaudit_id=reaudit_id) is not None:
            pass
    return Reaudit.objects.get(pk=reaudit_id)


def reaudited(**asked: Any) -> Reaudit:
    return run(start(**asked))


@contextmanager
def engine(name: str = NEXT_ENGINE, alter: Alter | None = None) -> Iterator[None]:
    """Judge by an engine of this name; `alter` gives another verdict than the real one."""
    sound = replay.audit_line

    def audit_line(line: bytes, *args: Any, **options: Any) -> replay.Audited:
        audited = sound(line, *args, **options)
        if audited.hand is None:
            return audited
        verdict = alter(audited) if alter is not None else audited.verdict
        verdict = msgspec.structs.replace(verdict, engine=name)
        return msgspec.structs.replace(audited, verdict=verdict)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replay, "audit_line", audit_line)
        patch.setattr(replay, "ENGINE", name)
        yield


def without_rake(audited: replay.Audited) -> replay.Verdict:
    """What a reader that drops `rake` would say of a hand with one: its rake is wrong."""
    verdict = audited.verdict
    assert verdict.settlement is not None
    seats = [{**seat, "rake": "0.00", "net": seat["gross"]} for seat in verdict.settlement["seats"]]
    findings = (replay.Finding(code="rake-mismatch", seat=0, logged="0.50", expected="0.00"),)
    settlement = {**verdict.settlement, "seats": seats}
    return msgspec.structs.replace(
        verdict,
        verdict="discrepant",
        findings=findings,
        settlement=settlement,
        replay_digest="ab" * 32,
    )


def write_revision(folder: Path, *, revision: int = 2, **options: str) -> str:
    """A revision of the ruleset of B with other options; gives its name."""
    shipped = replay.load_rulesets().get(NAMED)
    assert shipped is not None
    text = shipped.content.decode().replace("\nrevision = 1\n", f"\nrevision = {revision}\n")
    assert f"revision = {revision}" in text
    lines = []
    for line in text.splitlines():
        key = line.partition("=")[0].strip()
        lines.append(f"{key} = {options.pop(key)}" if key in options else line)
    assert not options
    (folder / f"revision-{revision}.toml").write_text("\n".join(lines) + "\n")
    return NAMED.replace("@1", f"@{revision}")


def know(settings: Any, *folders: Path) -> None:
    """Let this process know the rulesets of these folders, as after a restart."""
    settings.TILECOURT_RULESETS = folders
    forget_rulesets()


def many(count: int, line: bytes = B) -> list[bytes]:
    """Hands at one table, a minute apart."""
    return [
        changed(
            line,
            hand_id=f"h{number}",
            started_at=f"2025-03-01T{number // 60:02}:{number % 60:02}:00Z",
        )
        for number in range(count)
    ]
