"""The log of one round, and what must stand in the store once it is loaded.

What is expected comes from the core alone, line by line in the order of the log; nothing that the
service does has a part in it.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import replay
from replay.simulate import simulate_with_faults, source_of

FAULT_PPM = 20_000
# Of so many lines one comes twice, one is cut off in the middle and refused, and one is missing, so
# that the next hand at its table does not join.
REPEATED_OF, BROKEN_OF, MISSING_OF = 60, 150, 40

# The numbers that an upload must show for its lines.
COUNTERS = ("lines", "clean", "discrepant", "void", "rejected", "failed", "turned")

Identity = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stands:
    """What must be said of one hand: by itself, and together with the hand before it."""

    record: str
    alone: str
    kind: str
    digest: str
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """The parts are sent one after the other, each as an upload of its own.

    `repeats` is how many lines bring a hand that came before, `refused` how many bring none;
    `counters` has one row a part, in the order of COUNTERS.
    """

    parts: tuple[bytes, ...]
    hands: dict[Identity, Stands]
    repeats: int
    refused: int
    counters: tuple[tuple[int, ...], ...]


def make_log(*, seed: int, hands: int, parts: int, source: str) -> Log:
    """A log of about so many hands of all games, the same for the same seed."""
    chance = random.Random(f"{seed}/{source}")
    rulesets = replay.load_rulesets()
    lines = _mixed(_by_game(hands, seed, source, rulesets), chance)
    lines = _spoiled(lines, chance)
    size = -(-len(lines) // parts)
    pieces = [lines[start : start + size] for start in range(0, len(lines), size)]
    return _expected(pieces, rulesets)


def _by_game(hands: int, seed: int, source: str, rulesets: replay.Rulesets) -> list[list[bytes]]:
    """Lines of each game in their order; the source keeps the rounds of a drill apart."""
    old, new = (f'"source":"{name}"'.encode() for name in (source_of(seed), source))
    share = -(-hands * MISSING_OF // (MISSING_OF - 1) // len(replay.GAMES))
    found = []
    for game in replay.GAMES:
        ruleset = next(one for one in rulesets if one.game == game and "test" not in one.name)
        made = simulate_with_faults(game, share, seed, ruleset, fault_ppm=FAULT_PPM)
        lines = [one.line.replace(old, new, 1) for one in made]
        assert all(new in line for line in lines)
        found.append(lines)
    return found


def _mixed(logs: list[list[bytes]], chance: random.Random) -> list[bytes]:
    """All lines in one log; those of one game keep their order."""
    turns = [number for number, lines in enumerate(logs) for _ in lines]
    chance.shuffle(turns)
    each = [iter(lines) for lines in logs]
    return [next(each[number]) for number in turns]


def _spoiled(lines: list[bytes], chance: random.Random) -> list[bytes]:
    """The log without some hands, with lines that come again, and with lines that are cut off."""
    lines = [line for line in lines if chance.randrange(MISSING_OF)]
    more: dict[int, list[bytes]] = {}
    for number, line in enumerate(lines):
        if not chance.randrange(REPEATED_OF):
            more.setdefault(chance.randrange(number, len(lines)), []).append(line)
        if not chance.randrange(BROKEN_OF):
            more.setdefault(number, []).append(line[: chance.randrange(1, len(line) - 1)])
    return [one for number, line in enumerate(lines) for one in (line, *more.get(number, ()))]


def _expected(pieces: list[list[bytes]], rulesets: replay.Rulesets) -> Log:
    """Judge the log line by line, each hand once and with the one before it at its table."""
    continuity = replay.Continuity(rulesets)
    hands: dict[Identity, Stands] = {}
    alone: list[list[tuple[str, Identity | None]]] = []
    lines = 0
    for piece in pieces:
        alone.append([])
        for line in piece:
            lines += 1
            audited = replay.audit_line(line, rulesets)
            known = None if audited.hand is None else (audited.hand.source, audited.hand.hand_id)
            alone[-1].append((audited.verdict.verdict, known))
            if known is not None and known not in hands:
                hands[known] = _stands(audited.verdict, continuity.judge(audited))
    brought = sum(known is not None for part in alone for _, known in part)
    return Log(
        parts=tuple(b"".join(line + b"\n" for line in piece) for piece in pieces),
        hands=hands,
        repeats=brought - len(hands),
        refused=lines - brought,
        counters=tuple(_counted(part, hands) for part in alone),
    )


def _stands(alone: replay.Verdict, together: replay.Verdict) -> Stands:
    assert together.record_sha256 is not None
    assert together.replay_digest is not None
    return Stands(
        record=together.record_sha256,
        alone=alone.verdict,
        kind=together.verdict,
        digest=together.replay_digest,
        codes=tuple(sorted({one.code for one in together.findings})),
    )


def _counted(
    part: list[tuple[str, Identity | None]], hands: dict[Identity, Stands]
) -> tuple[int, ...]:
    kinds = Counter(kind for kind, _ in part)
    turned = sum(known is not None and hands[known].kind != kind for kind, known in part)
    return (
        len(part),
        *(kinds[kind] for kind in ("clean", "discrepant", "void", "rejected")),
        0,
        turned,
    )
