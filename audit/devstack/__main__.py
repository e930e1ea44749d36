"""`python -m audit.devstack up | borrow`: what dev.py calls inside the virtual environment."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from audit.devstack.errors import StackError
from audit.devstack.throwaway import throwaway_services


def borrow(arguments: list[str]) -> int:
    """Run a Python program beside throw-away services."""
    with throwaway_services() as services:
        return subprocess.run(
            [sys.executable, *arguments], env={**os.environ, **services}, check=False
        ).returncode


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 dev.py", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("borrow", help="run a Python program beside throw-away services")
    if sys.argv[1:2] == ["borrow"]:
        return borrow(sys.argv[2:])
    parser.parse_args()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StackError as error:
        sys.exit(f"Tilecourt: {error}")
