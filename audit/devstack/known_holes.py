"""Are there known holes in what `requirements/` locks? Asked of OSV through pip-audit.

Ends with 1 where a hole is known or pip-audit itself fails, and with 0 and a sentence where nobody
could be asked: a machine without the internet can still check everything else.
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# The sets that run in production; those of tests and tools serve nobody.
SETS = ("base", "export")
SERVICE = "https://api.osv.dev/v1/query"
QUESTION = json.dumps({"package": {"name": "pip", "ecosystem": "PyPI"}, "version": "0"}).encode()
SECONDS = 300


def main() -> int:
    """Look through every set, print what was found, and return the status."""
    if (why := unreachable(SERVICE)) is not None:
        print(f"Skipped: {SERVICE} cannot be asked ({why}). Nothing was looked at.")
        return 0
    status = 0
    for name in SETS:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pip_audit", "--vulnerability-service", "osv"),
                *("--requirement", str(ROOT / "requirements" / f"{name}.txt")),
                *("--disable-pip", "--require-hashes", "--progress-spinner", "off"),
                *("--format", "json"),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        lines, is_good = report(name, done.stdout, done.stderr)
        print("\n".join(lines))
        status |= not is_good
    return status


def unreachable(address: str) -> str | None:
    """Why the service does not answer, or None where it does."""
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(address, QUESTION, headers)  # noqa: S310 - https, above
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - https, above
            answer.read()
    except urllib.error.HTTPError:
        return None  # It answers, if with an error: pip-audit shall say what is wrong.
    except OSError as error:
        return str(getattr(error, "reason", error))
    return None


def report(name: str, answer: str, errors: str) -> tuple[list[str], bool]:
    """What pip-audit found in a set, in lines, and whether all was looked at and nothing found."""
    try:
        found: list[dict[str, Any]] = json.loads(answer)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = (errors.strip().splitlines() or ["it gave no reason"])[-1]
        return [f"{name}: pip-audit failed: {last}"], False
    lines = [
        f"{name}: {entry['name']} {entry['version']}: {hole['id']}"
        f" (mended in {', '.join(hole['fix_versions']) or 'no release'})"
        for entry in found
        for hole in entry.get("vulns", ())
    ]
    lines += [f"{name}: {entry['skip_reason']}" for entry in found if "skip_reason" in entry]
    return lines or [f"{name}: {len(found)} packages, no hole is known."], not lines


if __name__ == "__main__":
    sys.exit(main())
