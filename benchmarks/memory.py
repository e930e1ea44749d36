"""Memory: the peak of `python -m replay audit` on a small log and on a large one."""

from __future__ import annotations

import os
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


def _peak_of(log: Path) -> int:
    """The largest resident size, in KiB, of a process that audits a log."""
    command = [sys.executable, "-m", "replay", "audit", str(log)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{log}: the audit ended with status {child.returncode}.")
    # macOS counts bytes, everybody else KiB.
    return usage.ru_maxrss // 1024 if sys.platform == "darwin" else usage.ru_maxrss
