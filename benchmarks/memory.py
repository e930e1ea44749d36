"""Memory: the peak of `python -m replay audit` on a small log and on a large one."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import replay
from benchmarks.logs import megabytes_of

GOAL_PERCENT = 10


def report(small: int, large: int) -> str:
    """Write two logs of so many megabytes, audit both in processes of their own, and compare."""
    rulesets = replay.load_rulesets()
    with tempfile.TemporaryDirectory(prefix="tilecourt-bench-") as folder:
        free = shutil.disk_usage(folder).free
        if free < 2 * (small + large) * 10**6:
            sys.exit(f"{folder} has only {free // 10**6:,} MB free.")
        peaks = []
        for megabytes in (small, large):
            log = Path(folder, f"{megabytes}.ndjson")
            with log.open("wb") as stream:
                stream.writelines(megabytes_of("tien-gow", megabytes, rulesets))
            peaks.append(_peak_of(log))
            log.unlink()
    growth = 100 * (peaks[1] - peaks[0]) / peaks[0]
    return (
        f"peak memory of python -m replay audit: {peaks[0] / 1024:.1f} MB on {small:,} MB of"
        f" simulated Tien Gow hands, {peaks[1] / 1024:.1f} MB on {large:,} MB:"
        f" {growth:+.1f} % (goal within {GOAL_PERCENT} %)"
    )


# A process begins with the peak of the one that it was forked from, and this one has grown large:
# a small one stands between.
_BETWEEN = """\
import os, sys
command = [sys.executable, "-m", "replay", "audit", sys.argv[1]]
child = os.spawnv(os.P_NOWAIT, sys.executable, command)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, file=sys.stderr)
"""


def _peak_of(log: Path) -> int:
    """The largest resident size, in KiB, of a process that audits a log."""
    between = subprocess.run(
        [sys.executable, "-c", _BETWEEN, str(log)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    status, peak = between.stderr.split()
    if status != "0":
        sys.exit(f"{log}: the audit ended with status {status}.")
    # macOS counts bytes, everybody else KiB.
    return int(peak) // 1024 if sys.platform == "darwin" else int(peak)
