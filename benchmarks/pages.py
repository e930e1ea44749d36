"""Pages: how long each takes with some hands stored, and with a hundred times as many.

Before that, what a step's page costs beside the empty page of the site (`benchmarks.stepping`), for
which the goal is the same: its 95th percentile takes at most twice that of the empty page. It is
told twice, inside one process and as a browser meets it, over HTTP.

The first hands are simulated and go the usual way; the others are copies of their rows, under other
ids, tables, players and days. A page is made inside one process, without a network: the median of
some requests after two that count nothing, by the wall and in CPU of that process and of the
database's for it. The goal is for the CPU, which other work on the machine lengthens less.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

from audit.devstack.supervisor import Supervisor
from audit.devstack.up import ROOT, WEB_STOP
from benchmarks.stack import services

GOAL = 2.0

# Of a page by its name: by the wall, and of CPU.
Times = dict[str, tuple[float, float]]
# So many hands of each game are stepped through.
WALKED = 6
EMPTY_NAME = "the empty page"
INSIDE = (
    "Milliseconds of a step's page, beside the empty page of the site: inside one process, without"
    " a network."
)
OVER_HTTP = (
    "The same over HTTP, on a connection that is kept: gunicorn with one worker, as it is run;"
    " by the wall is what a browser waits for."
)


def report(hands: int, times: int) -> str:
    """Measure each page with so many hands, and with so many times as many."""
    with services(is_safe=False) as (supervisor, env):

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
        inside = json.loads(run(str(WALKED), module="stepping"))
        port = _serve(supervisor, env)
        over_http = json.loads(run(str(WALKED), str(port), module="stepping"))
        few = json.loads(run("measure"))
        run("copy", str(times))
        many = json.loads(run("measure"))
    tables = (
        _of_steps(INSIDE, inside),
        _of_steps(OVER_HTTP, over_http),
        _words(hands, times, few, many),
    )
    return "\n\n".join(tables)


def _serve(supervisor: Supervisor, env: dict[str, str]) -> int:
    """Start one worker of gunicorn as `python3 dev.py up` does; gives its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    supervisor.start(
        "web",
        [
            *(sys.executable, "-m", "gunicorn", "benchmarks.site:application"),
            *("--bind", f"127.0.0.1:{port}", "--worker-class", "gthread"),
            *("--workers", "1", "--threads", "8", "--no-control-socket"),
        ],
        stop=WEB_STOP,
        env=env,
        cwd=ROOT,
        log=supervisor.log_of("web"),
    )

    def is_answering() -> bool:
        with socket.socket() as line:
            return line.connect_ex(("127.0.0.1", port)) == 0

    supervisor.wait_ready("web", is_answering, seconds=60)
    return port


def _of_steps(heading: str, times: dict[str, list[tuple[float, float]]]) -> str:
    """Medians and 95th percentiles, by the wall and of CPU, and what the latter are of those of the
    empty page; the goal is for the CPU."""
    empties = [_percentile(list(values), 95) for values in zip(*times[EMPTY_NAME], strict=True)]
    head = f"{'wall: 50':>10}{'95':>8}{'ratio':>8}{'CPU: 50':>10}{'95':>8}{'ratio':>8}"
    rows = [f"  {'':<44}{'answers':>8}{head}"]
    for name, answers in times.items():
        row = f"  {name:<44}{len(answers):8,}"
        for values, empty in zip(zip(*answers, strict=True), empties, strict=True):
            late = _percentile(list(values), 95)
            row += f"{_percentile(list(values), 50):10.1f}{late:8.1f}{late / empty:8.2f}"
        rows.append(row + ("   more than the goal" if late > GOAL * empty else ""))
    return "\n".join((heading, *rows))


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
