"""`python -m audit.devstack up | borrow …`: what dev.py calls inside the virtual environment."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from audit.devstack.errors import StackError
from audit.devstack.throwaway import throwaway_services
from audit.devstack.up import up

PORT = 8000


def borrow(arguments: list[str]) -> int:
    """Run a Python program beside throw-away services."""
    with throwaway_services() as services:
        return subprocess.run(
            [sys.executable, *arguments], env={**os.environ, **services}, check=False
        ).returncode


def port_number(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port number from 1 to 65535")
    return int(text)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["borrow"]:
        return borrow(arguments[1:])
    parser = argparse.ArgumentParser(prog="python3 dev.py")
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("up", help="start everything and serve the site")
    running.add_argument(
        "--port",
        type=port_number,
        default=os.environ.get("TILECOURT_PORT") or str(PORT),
        help=f"the site's port on 127.0.0.1 (TILECOURT_PORT, or {PORT})",
    )
    return up(parser.parse_args(arguments).port)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except StackError as error:
        sys.exit(f"Tilecourt: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
