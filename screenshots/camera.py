"""Taking the pictures of a running site with the system's Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from screenshots.pages import DEVICES, MODES, Page, file_name
from screenshots.png import squeeze

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
TIMEOUT_MS = 30_000
# The account that stock.py makes.
NAME = "ines.castro"

Say = Callable[[str], None]


class NoBrowser(Exception):
    """There is no Chromium on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Camera:
    """`keys` fill the addresses; a picture shows at most `height` pixels of a page."""

    browser: Browser
    address: str
    password: str
    keys: Mapping[str, int | str]
    folder: Path
    height: int

    def take(self, pages: Sequence[Page], say: Say) -> list[str]:
        """Take all pages on each device in each mode; gives what is not right with them."""
        faults: list[str] = []
        known = self._signed_in()
        count, total = 0, len(pages) * len(DEVICES) * len(MODES)
        for device, (width, height) in DEVICES.items():
            for mode in MODES:
                options = {
                    "base_url": self.address,
                    "viewport": {"width": width, "height": height},
                    "color_scheme": mode,
                    "reduced_motion": "reduce",
                    "timezone_id": "UTC",
                }
                for language in sorted({page.language for page in pages}):
                    member = self._context(storage_state=known, locale=language, **options)
                    stranger = self._context(locale=language, **options)
                    for page in (one for one in pages if one.language == language):
                        count += 1
                        name = file_name(page, device, mode)
                        context = stranger if page.is_public else member
                        faults += self._one(context, page, name, width)
                        say(f"{count} of {total}  {name}")
                    member.close()
                    stranger.close()
        return faults

    def _context(self, **options: object) -> BrowserContext:
        context = self.browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(TIMEOUT_MS)
        return context

    def _signed_in(self) -> object:
        context = self._context(base_url=self.address)
        page = context.new_page()
        page.goto("/login")
        page.get_by_label("Name").fill(NAME)
        page.get_by_label("Password").fill(self.password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/overview/")
        state = context.storage_state()
        context.close()
        return state

    def _one(self, context: BrowserContext, page: Page, name: str, width: int) -> list[str]:
        shown = context.new_page()
        faults: list[str] = []
        shown.on("pageerror", lambda error: faults.append(f"{name}: {error}"))
        answer = shown.goto(page.address.format(**self.keys), wait_until="load")
        if answer is None or answer.status != page.status:
            shown.close()
            return [f"{name}: the site answers {answer.status if answer else 'nothing'}"]
        shown.evaluate("document.fonts.ready.then(() => true)")
        wide, high = shown.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        if wide > width:
            faults.append(f"{name}: the page is {wide} pixels wide")
        # What sticks to the window's edge is to be at that of the picture.
        shown.set_viewport_size({"width": width, "height": min(high, self.height)})
        data = shown.screenshot(animations="disabled")
        shown.close()
        # A run that is stopped leaves whole pictures, old or new.
        draft = self.folder / f"{name}.part"
        draft.write_bytes(squeeze(data))
        draft.replace(self.folder / name)
        return faults


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser. Raises: NoBrowser."""
    named = (os.environ.get("CHROMIUM"), *BROWSERS)
    path = next((found for name in named if name and (found := shutil.which(name))), None)
    if path is None:
        raise NoBrowser("No Chromium was found on this machine (CHROMIUM may name one).")
    # Chromium refuses its sandbox to root.
    arguments = ["--lang=en-GB", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()
