"""Packing lines: with the dictionary of the service and without; and training a new one.

`python -m benchmarks.packing FILE` trains a dictionary on simulated hands of every game and writes
it to FILE. One that is in use is never written again: a new one gets a new name.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import replay
from audit.zstd import packed, packed_line, unpacked, zstd
from replay.simulate import TABLES

TRAIN_SEED = 20_260_000
MEASURE_SEED = 1
TRAIN_HANDS = 4_000
DICTIONARY_BYTES = 32 * 1024
TURNS = 3


def report(hands: int) -> str:
    """Pack so many hands a game, of another seed than the dictionary was trained on."""
    rows = []
    for game in replay.GAMES:
        lines = list(_lines(game, hands, MEASURE_SEED))
        plain = _measured(packed, lines)
        shared = _measured(packed_line, lines)
        size = sum(map(len, lines)) / len(lines)
        rows.append(
            f"  {game:<20}{size:8.0f}{plain[0]:10.0f}{shared[0]:8.0f}"
            f"{plain[1]:10.1f}{shared[1]:8.1f}{plain[2]:10.1f}{shared[2]:8.1f}"
        )
    head = (
        "  game                   line  packed: alone  dict.   µs: alone  dict.  back: alone  dict."
    )
    return "\n".join((f"{hands:,} hands a game, bytes and µs of CPU a line", "", head, *rows))


def _lines(game: str, hands: int, seed: int) -> Iterator[bytes]:
    """Hands of a game in equal parts under each of its rulesets."""
    rulesets = [one for one in replay.load_rulesets() if one.game == game]
    for number, ruleset in enumerate(rulesets):
        yield from replay.simulate(game, -(-hands // len(rulesets)), seed + number, ruleset)


def _measured(pack: Callable[[bytes], bytes], lines: list[bytes]) -> tuple[float, float, float]:
    """Bytes a line, and microseconds of packing and of unpacking: the best of some turns."""
    packing, unpacking = [], []
    for _ in range(TURNS):
        start = process_time()
        frames = [pack(line) for line in lines]
        packing.append(process_time() - start)
        start = process_time()
        back = [unpacked(frame) for frame in frames]
        unpacking.append(process_time() - start)
        assert back == lines
    micro = 1e6 / len(lines)
    return sum(map(len, frames)) / len(lines), min(packing) * micro, min(unpacking) * micro


def train(hands: int = TRAIN_HANDS) -> bytes:
    """A dictionary out of so many hands of each game; the same for the same library."""
    assert hands >= TABLES
    lines = [line for game in replay.GAMES for line in _lines(game, hands, TRAIN_SEED)]
    random.Random(TRAIN_SEED).shuffle(lines)
    return zstd.train_dict(lines, DICTIONARY_BYTES).dict_content


if __name__ == "__main__":
    path = Path(sys.argv[1])
    if path.exists():
        sys.exit(f"{path} is there already: lines may have been packed with it.")
    path.write_bytes(train())
