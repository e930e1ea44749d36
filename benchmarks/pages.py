"""Pages: how long each takes with some hands stored, and with a hundred times as many.

The first hands are simulated and go the usual way; the others are copies of their rows, under other
ids, tables, players and days. A page is made inside one process, without a network: the median of
some requests after two that count nothing, by the wall and in CPU of that process and of the
database's for it. The goal is for the CPU, which other work on the machine lengthens less.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from audit.devstack.up import ROOT
from benchmarks.stack import services

GOAL = 2.0

# Of a page by its name: by the wall, and of CPU.
Times = dict[str, tuple[float, float]]


def report(hands: int, times: int) -> str:
    """Measure each page with so many hands, and with so many times as many."""
    with services(is_safe=False) as (_, env):

        def run(*words: str) -> str:
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.paging", *words],
                env=env,
                cwd=ROOT,
                stdout=subprocess.PIPE,
                check=True,
                text=True,
            )
            return done.stdout

        run("fill", str(hands))
        few = json.loads(run("measure"))
        run("copy", str(times))
        many = json.loads(run("measure"))
    return _words(hands, times, few, many)


def _words(hands: int, times: int, few: Times, many: Times) -> str:
    rows, over = [], 0
    for name, (wall, processor) in many.items():
        wall_few, processor_few = few[name]
        is_over = processor > GOAL * processor_few
        over += is_over
        rows.append(
            f"  {name:<36}{wall_few:9.1f}{wall:9.1f}{wall / wall_few:8.2f}"
            f"{processor_few:12.1f}{processor:9.1f}{processor / processor_few:8.2f}"
            + ("   more than the goal" if is_over else "")
        )
    return "\n".join(
        (
            f"{hands:,} hands, and {hands * times:,}: milliseconds of each page, and their ratio.",
            f"By the wall, and of CPU; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}.",
            "",
            *rows,
            "",
            f"{len(many) - over} of {len(many)} pages stay within {GOAL:g} times.",
        )
    )
