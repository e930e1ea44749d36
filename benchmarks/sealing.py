"""What the log costs: announcing, sealing and verifying a hand, and a proof out of many leaves."""

from __future__ import annotations

import os
import subprocess
import sys

from audit.devstack.up import ROOT
from benchmarks.stack import services

GOAL_PROOF_MS = 100


def report(hands: int, leaves: int) -> str:
    """Measure so many Tien Gow hands, then proofs out of so many leaves, and say what was found."""
    with services(is_safe=True) as (_, env):
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.sealing_inside", str(hands), str(leaves)],
            env=env,
            cwd=ROOT,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    found = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    number = {name: float(value) for name, value in found.items()}
    return f"""\
{hands:,} simulated Tien Gow hands; µs of CPU a hand, this process and the database's together.
{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end.

  storing without announcing   {number["plain"]:8.1f}
  storing with announcing      {number["announced"]:8.1f}
  sealing                      {number["sealing"]:8.1f}   ({number["wall"]:.1f} by the wall)
  verifying                    {number["verifying"]:8.1f}
  bytes of the log a hand      {number["bytes"]:8.0f}

A proof of inclusion and one of consistency out of {leaves:,} leaves: {number["proof"]:.1f} ms on
average, {number["slowest"]:.1f} at most (goal {GOAL_PROOF_MS}).
The bundle of a hand: {number["bundle"]:.0f} ms."""
