"""Speed: the whole audit against decoding alone and against PokerKit, and where its time goes.

Times are CPU times of this process. Contenders take turns, and the median of each one's turns
counts. Whatever a contender makes of a hand is dropped before the next, as it is in the command.
"""

from __future__ import annotations

import gc
import platform
from collections.abc import Callable, Iterable
from functools import partial
from hashlib import sha256
from statistics import median
from time import process_time
from typing import Any

import msgspec

import replay
from benchmarks import poker
from benchmarks.logs import SEED, hands_of
from replay.audit import prepared, typed_decode
from replay.record import check_times, needs_strict_scan
from replay.verdict import digest_of

GOAL_OF_DECODING = 0.4
GOAL_OF_POKERKIT = 60

# Hands a stage takes at a time: few enough for them to be as warm in the caches as in the audit.
BATCH = 20
BREAKDOWN_HANDS = 4_000


def report(hands: int, rounds: int) -> str:
    """Measure, and say what was found."""
    rulesets = replay.load_rulesets()
    lines = {
        game: hands_of(game, hands, rulesets)
        for game in ("tien-gow", "banker-pai-gow", "wenzhou-pai-gow")
    }
    texts = poker.hands(max(1, min(300, hands // 20)), SEED)
    decode = msgspec.json.Decoder().decode
    times = _in_turns(
        {
            "decode": lambda: _each(decode, lines["tien-gow"]),
            "pokerkit": lambda: poker.replay_all(texts),
            **{game: partial(_audit_all, own, rulesets) for game, own in lines.items()},
        },
        rounds,
    )
    own = {game: times[game] / hands for game in lines}
    events = sum(len(decode(line)["events"]) for line in lines["tien-gow"]) / hands
    size = sum(map(len, lines["tien-gow"])) / hands
    whole, decoding = own["tien-gow"], times["decode"] / hands
    rate, poker_rate = events / whole, poker.actions_in(texts) / times["pokerkit"]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"""\
{python}, one process, CPU time, median of {rounds} rounds.
{hands:,} simulated hands a game; one of Tien Gow has {events:.1f} events and {size:,.0f} bytes.

audit: from the line to the verdict line, every check on
{_table({game: (seconds, f"{1 / seconds:,.0f} hands/s") for game, seconds in own.items()})}

(a) decoding the same Tien Gow lines untyped: {decoding * 1e6:.1f} µs
    audit reaches {decoding / whole:.2f} of it (goal {GOAL_OF_DECODING})
(b) PokerKit on {len(texts)} hands of its own format: {poker_rate:,.0f} actions/s
    audit: {rate:,.0f} events/s, {rate / poker_rate:.1f} times as many (goal {GOAL_OF_POKERKIT})
    banker-pai-gow takes {own["banker-pai-gow"] / whole:.2f} of a Tien Gow hand
    wenzhou-pai-gow takes {own["wenzhou-pai-gow"] / whole:.2f} of a Tien Gow hand

where the time of a Tien Gow hand goes
{_table({name: (seconds, "") for name, seconds in _breakdown(lines, rulesets, rounds).items()})}"""


def _table(rows: dict[str, tuple[float, str]]) -> str:
    return "\n".join(
        f"  {name:<50}{seconds * 1e6:6.1f} µs   {words}".rstrip()
        for name, (seconds, words) in rows.items()
    )


def _each(function: Callable[[bytes], object], lines: Iterable[bytes]) -> None:
    for line in lines:
        function(line)


def _audit_all(lines: list[bytes], rulesets: replay.Rulesets) -> None:
    for number, line in enumerate(lines, start=1):
        replay.format_verdict(replay.audit(line, rulesets, file="bench", number=number))


def _in_turns(contenders: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """The median CPU time of each contender, in seconds. One turn more comes first, unmeasured."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, run in contenders.items():
            start = process_time()
            run()
            if number:
                times[name].append(process_time() - start)
    return {name: median(of_one) for name, of_one in times.items()}


def _breakdown(
    lines_of: dict[str, list[bytes]], rulesets: replay.Rulesets, rounds: int
) -> dict[str, float]:
    """Seconds a hand of each stage of the audit of right Tien Gow hands."""
    lines = lines_of["tien-gow"][:BREAKDOWN_HANDS]
    found: dict[str, list[float]] = {}
    # The batches keep more than an audit ever does at a time, and would wake the collector.
    gc.disable()
    try:
        for _ in range(rounds):
            once: dict[str, float] = {}
            for start in range(0, len(lines), BATCH):
                _time_stages(lines[start : start + BATCH], rulesets, once)
            for name, seconds in once.items():
                found.setdefault(name, []).append(seconds / len(lines))
    finally:
        gc.enable()
    parts = {name: median(of_one) for name, of_one in found.items()}
    whole = parts.pop("audit as a whole")
    written = parts.pop("verdict line")
    parts["the verdict itself, calls, the rest"] = whole - sum(parts.values())
    parts["verdict line"] = written
    parts["all"] = whole + written
    return parts


def _time_stages(lines: list[bytes], rulesets: replay.Rulesets, total: dict[str, float]) -> None:
    """Run each stage on a batch, and add its seconds to `total`."""

    def stage(name: str, function: Callable[..., Any], *inputs: Iterable[Any]) -> list[Any]:
        start = process_time()
        made = list(map(function, *inputs))
        total[name] = total.get(name, 0) + process_time() - start
        return made

    ruleset = rulesets.get(replay.read(lines[0]).hand.ruleset)
    assert ruleset is not None
    game = replay.GAMES[ruleset.game]
    rules = prepared(game, ruleset)
    each_rules, nobody = [rules] * len(lines), [None] * len(lines)
    hands = stage("typed decoding", typed_decode, lines)
    stage("is anything hidden that the decoder does not see", needs_strict_scan, lines, hands)
    started, ended = [hand.started_at for hand in hands], [hand.ended_at for hand in hands]
    stage("times", check_times, started, ended)
    facts = stage("amounts and form checks", game.check, hands)
    judged = stage("replay, settlement, comparison", game.judge, hands, facts, each_rules, nobody)
    settled = [judgement.settlement for judgement in judged]
    digits = [hand.minor_digits for hand in hands]
    texts = stage("settlement as text", game.render, settled, digits)
    sums = stage("SHA-256 of the line", lambda line: sha256(line).hexdigest(), lines)
    stage(
        "digest of the verdict",
        lambda text, own: digest_of(
            record_sha256=own,
            ruleset_sha256=ruleset.sha256,
            kind="clean",
            findings=(),
            settlement=text,
        ),
        texts,
        sums,
    )
    verdicts = stage("audit as a whole", lambda line: replay.audit(line, rulesets), lines)
    stage("verdict line", replay.format_verdict, verdicts)
