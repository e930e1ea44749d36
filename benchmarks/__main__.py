"""The command: `python -m benchmarks audit`, `memory`, `ingest`, `pages`, `packing` or `seal`."""

from __future__ import annotations

import argparse

from benchmarks import ingest, memory, packing, pages, sealing, speed


def main() -> None:
    """Run one benchmark and print what it found."""
    parser = argparse.ArgumentParser(prog="python3 dev.py bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    audit = commands.add_parser("audit", help="audit against decoding only, and against PokerKit")
    audit.add_argument("--hands", type=_count, default=20_000, help="hands a game (20,000)")
    audit.add_argument("--rounds", type=_count, default=5, help="turns of each contender (5)")
    held = commands.add_parser("memory", help="peak memory on a small and on a large log")
    held.add_argument("--small", type=_count, default=10, metavar="MB", help="(10)")
    held.add_argument("--large", type=_count, default=1_000, metavar="MB", help="(1000)")
    stored = commands.add_parser("ingest", help="file to stored verdicts, against COPY and audit")
    stored.add_argument("--hands", type=_count, default=20_000, help="hands (20,000)")
    stored.add_argument("--rounds", type=_count, default=3, help="turns of each contender (3)")
    lines = commands.add_parser("packing", help="lines packed with the dictionary and without")
    lines.add_argument("--hands", type=_count, default=5_000, help="hands a game (5,000)")
    shown = commands.add_parser("pages", help="each page with few hands stored and with many")
    shown.add_argument("--hands", type=_count, default=10_000, help="few (10,000)")
    shown.add_argument("--times", type=_count, default=100, help="as many are many (100)")
    sealed = commands.add_parser("seal", help="what the log costs, and a proof out of many leaves")
    sealed.add_argument("--hands", type=_count, default=10_000, help="hands (10,000)")
    sealed.add_argument("--leaves", type=_count, default=1_000_000, help="leaves (1,000,000)")
    options = parser.parse_args()
    if options.command == "audit":
        print(speed.report(options.hands, options.rounds))
    elif options.command == "ingest":
        print(ingest.report(options.hands, options.rounds))
    elif options.command == "pages":
        print(pages.report(options.hands, options.times))
    elif options.command == "packing":
        print(packing.report(options.hands))
    elif options.command == "seal":
        print(sealing.report(options.hands, options.leaves))
    else:
        print(memory.report(options.small, options.large))


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number above zero")
    return int(text)


if __name__ == "__main__":
    main()
