"""A process can be held to a part of a core, and is let go in the end."""

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.slowly import held_to, used_seconds

BUSY = "while True: pass"
WORKING_SECONDS = 0.5


def test_each_process_gets_its_part_and_goes_on_afterwards():
    with subprocess.Popen([sys.executable, "-c", BUSY]) as busy:
        try:
            with held_to(0.25):
                # What it may have used before it was first seen does not count.
                time.sleep(0.2)
                before, start = used_seconds(busy.pid), time.monotonic()
                while used_seconds(busy.pid) - before < WORKING_SECONDS:
                    time.sleep(0.01)
                took = time.monotonic() - start
            state = Path(f"/proc/{busy.pid}/stat").read_text().rpartition(")")[2].split()[0]
        finally:
            busy.kill()
    assert took > 2 * WORKING_SECONDS
    assert state != "T", "it is still stopped"
