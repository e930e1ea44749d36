"""The command: `python -m drills crash-test`."""

from __future__ import annotations

import argparse
import secrets
import sys

from audit.devstack.errors import StackError
from drills.crash import crash_test

HANDS = 50_000


def main() -> int:
    """Run the drill; the exit status is 1 when anything is not as it must be."""
    parser = argparse.ArgumentParser(prog="python3 dev.py")
    commands = parser.add_subparsers(dest="command", required=True)
    crash = commands.add_parser("crash-test", help="kill everything while hands come in")
    crash.add_argument("--rounds", type=_count, default=2, metavar="N", help="(2)")
    crash.add_argument("--seed", type=_count, metavar="S", help="as an earlier run printed it")
    crash.add_argument("--hands", type=_count, default=HANDS, metavar="H", help=f"({HANDS:,})")
    options = parser.parse_args()
    seed = options.seed or 1 + secrets.randbelow(10**6)
    good = crash_test(
        rounds=options.rounds,
        seed=seed,
        hands=options.hands,
        say=lambda text: print(text, flush=True),
    )
    return 0 if good else 1


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above zero")
    return int(text)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StackError as error:
        sys.exit(f"Tilecourt: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
