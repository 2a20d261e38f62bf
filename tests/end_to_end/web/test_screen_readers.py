"""The terminal for screen readers in the real Chromium: its lines are text, and the page says what is selected."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.end_to_end.web.conftest import Place, Visit
from tests.support.web.browser import BrowserTab
from tests.support.web.gateway import GatewayProgram

pytestmark = pytest.mark.asyncio(loop_scope="session")

ON, OFF = "Turn screen reader support on", "Turn screen reader support off"
LINES = ".xterm-accessibility-tree > *"


async def says(tab: BrowserTab, *words: str) -> None:
    """Wait until the page says these words."""
    for each in words:
        await expect(tab.page.locator("#spoken")).to_contain_text(each, timeout=20_000)


async def test_without_the_choice_there_are_no_lines_as_text(place: Place, visit: Visit) -> None:
    tab = await visit()
    await tab.sign_in(place.url, place.token())
    await tab.shows("Spring launch")
    await tab.page.locator("body.-first-byte").wait_for()
    assert await tab.page.locator(".xterm-accessibility").count() == 0
    await expect(tab.page.get_by_role("application", name="Podium")).to_be_visible()
    await expect(tab.page.locator("#spoken")).to_be_empty()


async def test_the_lines_are_text_and_the_page_says_what_is_selected(place: Place, visit: Visit) -> None:
    place.world.task("Ask the reader")
    place.world.task("Ask the writer")
    tab = await visit()
    await tab.page.goto(place.url)
    await tab.page.get_by_role("link", name=ON).click()
    await expect(tab.page.get_by_role("link", name=OFF)).to_be_visible()
    await tab.page.get_by_label("Your token").fill(place.token())
    await tab.press("Enter")
    await says(tab, "Projects · Studio North")
    await tab.press("Enter")
    await tab.shows("To Do")
    await tab.press("Shift+G")
    await says(tab, "○ Ask the writer", "Ask the writer, task, To Do, in Discover")
    await expect(tab.page.locator(LINES).filter(has_text="▌○ Ask the writer")).to_be_attached()
    await tab.press("k")
    await says(tab, "○ Ask the reader", "Ask the reader, task, To Do, in Discover")
    await expect(tab.page.locator(LINES).filter(has_text="▌○ Ask the reader")).to_be_attached()
    await tab.press("a")
    await says(tab, "Assign “Ask the reader”")
    await tab.press("ArrowDown")
    await says(tab, "Bob Lind contributor")
    await expect(tab.page.get_by_role("region", name="Podium")).to_be_visible()
    assert tab.problems == []


async def test_keys_that_a_browser_has_a_meaning_for_are_podium_s(place: Place, visit: Visit) -> None:
    tab = await visit()
    await tab.page.goto(f"{place.url}/?reader=1")
    await tab.sign_in(place.url, place.token())
    await tab.shows("Spring launch")
    await tab.press("Enter")
    await tab.shows("To Do")
    await tab.press("n")
    await says(tab, "New card in")
    await tab.press("Shift+Tab")
    await says(tab, "Cancel")
    await expect(tab.page.locator(".xterm-helper-textarea")).to_be_focused()


async def test_a_browser_keeps_the_choice_and_can_take_it_back(place: Place, visit: Visit) -> None:
    tab = await visit()
    await tab.page.goto(f"{place.url}/?reader=1")
    await tab.sign_in(place.url, place.token())
    await tab.page.locator(".xterm-accessibility").wait_for(state="attached")
    await tab.page.reload()
    await tab.page.locator(".xterm-accessibility").wait_for(state="attached")
    await tab.page.get_by_role("link", name=OFF).focus()
    await tab.press("Enter")
    await tab.page.get_by_role("link", name=ON).wait_for(state="attached")
    await tab.page.locator("body.-first-byte").wait_for()
    assert await tab.page.locator(".xterm-accessibility").count() == 0
    assert tab.page.url == f"{place.url}/"


@pytest.mark.slow
async def test_a_gateway_can_make_the_choice_for_all(place: Place, visit: Visit, tmp_path: Path) -> None:
    with GatewayProgram(place.server.address, tmp_path, "--screen-reader") as gateway:
        tab = await visit()
        await tab.sign_in(gateway.url, place.token())
        await tab.page.locator(".xterm-accessibility").wait_for(state="attached")
        await tab.page.goto(f"{gateway.url}/?reader=0")
        await tab.page.locator("body.-first-byte").wait_for()
        assert await tab.page.locator(".xterm-accessibility").count() == 0
