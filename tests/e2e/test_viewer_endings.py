"""Each special ending of Tien Gow and a Wenzhou hand, by keyboard and on a phone; axe looks on."""

from __future__ import annotations

import io
import json
from importlib.resources import files

import msgspec
import pytest
from django.contrib.auth import get_user_model

import replay
from audit import selectors, services
from audit.models import Chunk, Hand
from replay.audit import prepared
from replay.simulate import simulate
from replay.tien_gow.payout import ending_of
from replay.tien_gow.play import replay as replay_tien_gow
from tests.access import trusted
from tests.web.lines import PAI_GOW, TIEN_GOW, WENZHOU, planted, with_net

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 390, "height": 844}
ENDINGS = (
    "bao-zun", "four-bao", "yao", "capture", "quad-capture", "slam-seven", "slam-eight",
    "lipai-seven", "lipai-eight",
)  # fmt: skip
AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def special_hands():
    """A simulated hand of each special ending."""
    ruleset = selectors.current_rulesets().get("tien-gow/classic@1")
    game = replay.GAMES["tien-gow"]
    rules = prepared(game, ruleset)
    found = {}
    for line in simulate("tien-gow", 3_000, 3, ruleset):
        hand = msgspec.json.decode(line, type=game.hand_type)
        state = replay_tien_gow(hand, rules)
        if state.is_over:
            found.setdefault(ending_of(hand, state, rules).kind, line)
    return {kind: found[kind] for kind in ENDINGS}


@pytest.fixture
def at():
    """Store a line and give the address of its hand with its walk."""

    def run(line):
        upload = services.receive_upload(name="day.ndjson", stream=io.BytesIO(line + b"\n"))
        for chunk in Chunk.objects.filter(upload_id=upload.upload_id):
            services.judge_chunk(chunk_id=chunk.pk)
        walk = replay.walk(line, selectors.current_rulesets())
        return f"/hands/{Hand.objects.latest('pk').pk}/", walk

    return run


@pytest.fixture
def signed_in(page):
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text)
            if message.type in ("error", "warning") else None)  # fmt: skip
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    trusted(get_user_model().objects.create_user("ines.castro", password="correct horse"))
    page.goto("/hands/")
    page.get_by_label("Name").fill("ines.castro")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/hands/")
    return page


def opened(page, address):
    page.goto(address)
    page.locator("[data-stepper][data-ready]").wait_for()


def press(page, key, number):
    page.keyboard.press(key)
    page.locator(f'[data-number="{number}"]').wait_for()


@pytest.mark.timeout(400)
def test_each_special_ending_and_a_wenzhou_hand_by_keyboard_on_a_phone(signed_in, at):
    page = signed_in
    page.set_viewport_size(PHONE)
    for kind, line in {**special_hands(), "wenzhou": WENZHOU}.items():
        address, walk = at(line)
        last = len(walk.steps) - 1
        opened(page, f"{address}steps/0/")
        for number in range(1, last + 1):
            press(page, "ArrowRight", number)
        assert page.locator("[data-announce]").inner_text().startswith(f"Step {last} of {last}. ")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], kind
        net = [figure.recomputed for figure in walk.figures if figure.name in ("net", "profit")]
        settled = page.locator(".settle.seatwise").inner_text().replace("−", "-")
        assert all(amount in settled for amount in net), kind
        press(page, "[", max(n for n in heads(walk) if n < last))
        press(page, "Home", 0)
    assert page.complaints == []


def heads(walk):
    return [
        step.number
        for step in walk.steps
        if step.number == 0 or step.part.key != walk.steps[step.number - 1].part.key
    ]


def violations(page):
    """What axe finds on the page as it stands: rule, and the elements that break it."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        (one["id"], [node["html"][:160] for node in one["nodes"]][:3])
        for one in found["violations"]
    ]


@pytest.mark.timeout(400)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(signed_in, at, browser, live_server, scheme):
    state = signed_in.context.storage_state()
    context = browser.new_context(
        base_url=live_server.url, storage_state=state, color_scheme=scheme, viewport=PHONE
    )
    page = context.new_page()
    for line in (with_net(PAI_GOW, 1, "-99.00"), planted("tien-gow", "follow-illegal"), TIEN_GOW,
                 WENZHOU):  # fmt: skip
        address, walk = at(line)
        last = len(walk.steps) - 1
        found = next((step.number for step in walk.steps if step.findings), last)
        where = [f"steps/{found}/", f"steps/{last // 2}/?as=public", "what-if/"]
        if line != WENZHOU:
            where += [f"steps/{last // 2}/?as=seat-1", f"steps/{last}/?as=seat-3"]
        for width in (390, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            for path in where:
                page.goto(f"{address}{path}")
                assert violations(page) == [], (path, width)
    # It looks indeed: what is broken on purpose is found.
    page.evaluate("document.querySelector('main').append(document.createElement('img'))")
    assert [rule for rule, _ in violations(page)] == ["image-alt"]
    context.close()


def test_forced_colours_keep_what_a_colour_says(signed_in, at, browser, live_server):
    """The current event, the best play and the refused one are told apart by outlines."""
    state = signed_in.context.storage_state()
    context = browser.new_context(
        base_url=live_server.url, storage_state=state, forced_colors="active"
    )
    page = context.new_page()
    address, walk = at(planted("tien-gow", "follow-illegal"))
    stop = next(step.number for step in walk.steps if step.findings)
    page.goto(f"{address}steps/{stop}/")
    styles = page.evaluate(
        """(names) => names.map((name) => {
            const style = getComputedStyle(document.querySelector(name));
            return [name, style.outlineStyle, style.outlineWidth];
        })""",
        [".ev[aria-current]", ".best", ".refused"],
    )
    for name, style, width in styles:
        assert style in ("solid", "dashed"), json.dumps(styles)
        assert float(width.removesuffix("px")) >= 2, name
    context.close()
