"""The command: `python -m screenshots screenshots`."""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import sys
from pathlib import Path

from audit.devstack.errors import StackError
from audit.devstack.up import ROOT
from drills.stack import Stack, running_stack
from screenshots.camera import Camera, NoBrowser, chromium
from screenshots.pages import DEVICES, MODES, PAGES, Page, file_name

FOLDER = ROOT / "docs" / "screenshots"
INDEX = "README.md"
HEIGHT, HEIGHT_MAX = 900, 2_000


def main() -> int:
    """Take the pictures; the exit status is 1 when something is not right with a page."""
    parser = argparse.ArgumentParser(prog="python3 dev.py")
    commands = parser.add_subparsers(dest="command", required=True)
    taking = commands.add_parser("screenshots", help="pictures of each page family")
    taking.add_argument("names", metavar="PAGE", nargs="*", help="only these (all)")
    taking.add_argument("--folder", type=Path, default=FOLDER, help="(docs/screenshots)")
    taking.add_argument("--height", type=_height, default=HEIGHT, metavar="PIXELS", help="(900)")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - {page.name for page in PAGES})
    if unknown:
        parser.error(f"there is no page {', '.join(unknown)}")
    pages = [page for page in PAGES if not options.names or page.name in options.names]
    options.folder.mkdir(parents=True, exist_ok=True)
    faults = take(pages, options.folder, options.height)
    (options.folder / INDEX).write_text(index())
    for fault in faults:
        say(fault)
    return 1 if faults else 0


def take(pages: list[Page], folder: Path, height: int) -> list[str]:
    """Take pictures of a stack of our own, which is gone afterwards."""
    password = secrets.token_urlsafe(24)
    say("Starting PostgreSQL, Valkey, a worker and the web server …")
    with (
        chromium() as browser,
        running_stack(
            TILECOURT_PICTURES_PASSWORD=password,
            # The webhook in the pictures tells a listener on this machine.
            TILECOURT_WEBHOOK_PRIVATE="1",
        ) as stack,
    ):
        stack.launch.ingest()
        say("Entering a claim, deciding a case, certifying a day, judging again, …")
        camera = Camera(
            browser=browser,
            address=stack.launch.address,
            password=password,
            keys=stocked(stack),
            folder=folder,
            height=height,
        )
        return camera.take(pages, say)


def stocked(stack: Stack) -> dict[str, int | str]:
    """What stock.py brought in. Raises: StackError when it could not."""
    done = subprocess.run(
        [sys.executable, "-m", "screenshots.stock"],
        env={**stack.env, "DJANGO_SETTINGS_MODULE": "audit.config.settings"},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=False,
        text=True,
    )
    if done.returncode:
        raise StackError("What the pictures are to show could not be brought in: see above.")
    keys: dict[str, int | str] = json.loads(done.stdout)
    return keys


def index() -> str:
    """The list of all pictures, as Markdown."""
    shots = [(device, mode) for device in DEVICES for mode in MODES]
    rows = [
        f"| {page.title} | "
        + " | ".join(f"[{mode}]({file_name(page, device, mode)})" for device, mode in shots)
        + " |"
        for page in PAGES
    ]
    return "\n".join(
        (
            "# Pictures of the pages",
            "",
            "Made by `python3 dev.py screenshots` from the sample logs, on services of its own.",
            "`python3 dev.py screenshots case` makes those of one page anew; `--height 2000` shows",
            "more of each page, and `--folder DIR` keeps them elsewhere. Which pages have no",
            "picture, and why: `screenshots/pages.py`.",
            "",
            "| page | " + " | ".join(device for device, _ in shots) + " |",
            "|---|" + "---|" * len(shots),
            *rows,
            "",
        )
    )


def say(text: str) -> None:
    print(text, flush=True)


def _height(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 100 <= int(text) <= HEIGHT_MAX:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 100 to {HEIGHT_MAX}")
    return int(text)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (StackError, NoBrowser) as error:
        sys.exit(f"Tilecourt: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
