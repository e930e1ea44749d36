"""Pages: how long each takes with some hands stored, and with a hundred times as many.

Before that, what a step's page costs beside the empty page of the site (`benchmarks.stepping`), for
which the goal is the same: its 95th percentile takes at most twice that of the empty page.

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
# So many hands of each game are stepped through.
WALKED = 6


def report(hands: int, times: int) -> str:
    """Measure each page with so many hands, and with so many times as many."""
    with services(is_safe=False) as (_, env):

        def run(*words: str, module: str = "paging") -> str:
            done = subprocess.run(
                [sys.executable, "-m", f"benchmarks.{module}", *words],
                env=env,
                cwd=ROOT,
                stdout=subprocess.PIPE,
                check=True,
                text=True,
            )
            return done.stdout

        run("fill", str(hands))
        steps = json.loads(run(str(WALKED), module="stepping"))
        few = json.loads(run("measure"))
        run("copy", str(times))
        many = json.loads(run("measure"))
    return f"{_of_steps(steps)}\n\n{_words(hands, times, few, many)}"


def _of_steps(times: dict[str, list[tuple[float, float]]]) -> str:
    """Medians and 95th percentiles; the ratio is that of the latter to the empty page's, of CPU."""
    empty = _percentile([cpu for _, cpu in times["the empty page"]], 95)
    rows = [
        f"  {'':<44}{'answers':>8}{'wall: 50':>10}{'95':>8}{'CPU: 50':>10}{'95':>8}{'ratio':>8}"
    ]
    for name, answers in times.items():
        walls, cpus = [wall for wall, _ in answers], [cpu for _, cpu in answers]
        late = _percentile(cpus, 95)
        rows.append(
            f"  {name:<44}{len(answers):8,}{_percentile(walls, 50):10.1f}"
            f"{_percentile(walls, 95):8.1f}{_percentile(cpus, 50):10.1f}{late:8.1f}"
            f"{late / empty:8.2f}" + ("   more than the goal" if late > GOAL * empty else "")
        )
    return "\n".join(("Milliseconds of a step's page, beside the empty page of the site.", *rows))


def _percentile(values: list[float], percent: int) -> float:
    """The value that so many percent of all do not exceed."""
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


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
