"""`crash-test`: hands come in over HTTP while everything is killed in turn, and none may be lost.

A round sends one log in several uploads. Meanwhile each part of the service is killed once, in an
order and after pauses that the seed gives; the web server in the middle of an upload, which is then
sent again under its key. What was killed is started again, and once all is quiet the store is
compared with the log.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from drills import stock
from drills.log import Log, make_log
from drills.sender import Sender
from drills.stack import VICTIMS, Stack, running_stack

PARTS = 6
# A small drill has small chunks, and need not wait so long for what was killed.
SMALL = 2_000
LEASE_SECONDS, SMALL_LEASE_SECONDS = 15, 6
# How often the clock has lost messages looked for.
SWEEP_SECONDS = 2
QUIET_SECONDS = 300
# Twice as long after it was killed, the receiver of an upload counts as gone.
SENDER_SECONDS = 4
PAUSE_SECONDS = 2.0

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What one round came to."""

    lines: int
    hands: int
    kills: tuple[str, ...]
    attempts: int
    seconds: float
    differences: dict[str, int]
    trouble: str

    @property
    def is_good(self) -> bool:
        return not self.trouble and not any(self.differences.values())


def crash_test(*, rounds: int, seed: int, hands: int, say: Say) -> bool:
    """Run so many rounds on services of their own; returns whether all were good."""
    say(f"Crash test: {rounds} rounds of {hands:,} hands, seed {seed}.")
    settings = {
        "TILECOURT_LEASE_SECONDS": str(SMALL_LEASE_SECONDS if hands <= SMALL else LEASE_SECONDS),
        "TILECOURT_SWEEP_SECONDS": str(SWEEP_SECONDS),
        "TILECOURT_SENDER_SECONDS": str(SENDER_SECONDS),
        "TILECOURT_CHUNK_LINES_MAX": str(max(25, min(1_000, hands // 50))),
    }
    good = True
    with running_stack(**settings) as stack:
        for number in range(1, rounds + 1):
            source = f"round-{number}"
            log = make_log(seed=seed + number, hands=hands, parts=PARTS, source=source)
            done = run_round(stack, log, source=source, seed=seed)
            good = good and done.is_good
            say(told(number, done))
    say("Nothing lost, nothing doubled." if good else f"Not as it must be: --seed {seed}")
    return good


def run_round(stack: Stack, log: Log, *, source: str, seed: int) -> Round:
    """Send a log while all is killed, wait until it is quiet, and take stock."""
    began = time.monotonic()
    chance = random.Random(f"{seed}/{source}/kills")
    stack.killed.clear()
    sender = Sender(stack.launch.port, stack.token, source, log.parts)
    thread = threading.Thread(target=sender.run, name="sender")
    thread.start()
    try:
        kill_all(stack, sender, chance)
    finally:
        sender.cut.set()
        sender.go_on.set()
    trouble = come_to_rest(stack, thread, sender) or stock.ended_badly(stack.database)
    return Round(
        lines=sum(row[0] for row in log.counters),
        hands=len(log.hands),
        kills=tuple(stack.killed),
        attempts=sender.attempts,
        seconds=time.monotonic() - began,
        differences=stock.differences(stack.database, source, log, sender.uploads),
        trouble=trouble,
    )


def kill_all(stack: Stack, sender: Sender, chance: random.Random) -> None:
    """Each victim once, the order and the pauses by chance."""
    for victim in chance.sample(VICTIMS, len(VICTIMS)):
        time.sleep(chance.uniform(0.1, PAUSE_SECONDS))
        if victim == "web":
            # Not before half of a part is there: the cut must go through an upload.
            sender.cut.set()
            sender.halted.wait(QUIET_SECONDS)
            stack.kill(victim)
            sender.go_on.set()
        else:
            stack.kill(victim)
        time.sleep(chance.uniform(0.0, PAUSE_SECONDS / 2))
        stack.restart(victim)


def come_to_rest(stack: Stack, thread: threading.Thread, sender: Sender) -> str:
    """Wait until nothing waits any more, and leave the service to itself; returns what is wrong."""
    limit = time.monotonic() + QUIET_SECONDS
    now = None
    while time.monotonic() < limit:
        if sender.error:
            return sender.error
        if gone := stack.gone():
            return gone
        now = stock.waiting(stack.database)
        if not thread.is_alive() and now.is_nothing:
            return ""
        time.sleep(0.2)
    return f"after {QUIET_SECONDS} s this still waits: {now}"


def told(number: int, done: Round) -> str:
    """The round as a short table."""
    sent = f"{PARTS} uploads sent in {done.attempts} attempts"
    rows = [
        f"round {number}: {done.lines:,} lines, {done.hands:,} hands, {sent}, {done.seconds:.0f} s",
        f"  killed: {', '.join(done.kills)}",
        *(f"  {name:<32}{count:>8,}" for name, count in done.differences.items()),
    ]
    if done.trouble:
        rows.append(f"  {done.trouble}")
    return "\n".join(rows)
