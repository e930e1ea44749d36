"""The hands that are measured: simulated, right, and the same in every run."""

from __future__ import annotations

from collections.abc import Iterator

import replay

SEED = 20_261_129

# The ruleset of each game that is measured.
RULESETS = {
    "tien-gow": "tien-gow/classic@1",
    "banker-pai-gow": "banker-pai-gow/bs-2022@1",
    "wenzhou-pai-gow": "wenzhou-pai-gow/live-2015@1",
}


def hands_of(game: str, count: int, rulesets: replay.Rulesets, *, seed: int = SEED) -> list[bytes]:
    """So many lines of hand-log/1 without their line ends."""
    ruleset = rulesets.get(RULESETS[game])
    assert ruleset is not None
    return list(replay.simulate(game, count, seed, ruleset))


def megabytes_of(
    game: str, megabytes: int, rulesets: replay.Rulesets, *, block: int = 1_000
) -> Iterator[bytes]:
    """Blocks of whole lines, no two of the same seed, until there are so many bytes."""
    size, seed = 0, SEED
    while size < megabytes * 10**6:
        data = b"".join(line + b"\n" for line in hands_of(game, block, rulesets, seed=seed))
        seed += 1
        size += len(data)
        yield data
