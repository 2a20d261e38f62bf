"""Podium in the real Chromium: signing in, keys, sizes, files, and the end of a session."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import expect

from core.actions.workspace.credentials import ListTokens, RevokeToken
from core.actions.workspace.profile import SetPreference
from tests.end_to_end.web.conftest import Place, Visit
from tests.support.sweeps import sweep
from tests.support.waiting import until
from tests.support.web.browser import BrowserTab
from tests.support.web.gateway import alive, children

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIGHT_PAGE, DARK_PAGE = "rgb(247, 247, 244)", "rgb(20, 23, 31)"
"""The backgrounds of the light and of the dark theme."""


async def canvas(tab: BrowserTab, place: Place, name: str = "maya") -> None:
    """Sign in and open the Canvas of "Spring launch"."""
    await tab.sign_in(place.url, place.token(name))
    await tab.shows("Spring launch")
    await tab.press("Enter")
    await tab.shows("To Do")


async def test_a_person_signs_in_and_moves_a_card_with_keys_alone(place: Place, visit: Visit) -> None:
    card = place.world.task("Book the hall")
    tab = await visit()
    await tab.sign_in(place.url, "not-a-token")
    assert "This token is not valid" in await tab.page.get_by_role("alert").inner_text()
    await expect(tab.page.get_by_label("Your token")).to_be_focused()
    await tab.page.keyboard.type(place.token())
    await tab.press("Enter")
    await tab.shows("Maya Okafor · workspace admin · browser")
    await tab.press("Enter")
    await tab.shows("Book the hall")
    await tab.press("Shift+L")
    await until(lambda: place.world.status(card) == "IN_PROGRESS")
    await tab.shows("In Progress 1")
    await tab.press("u")
    await until(lambda: place.world.status(card) == "TO_DO")
    assert await tab.page.title() == "Studio North · Podium"
    hosts = {urlsplit(url).netloc for url in tab.requests if not url.startswith("data:")}
    assert hosts == {urlsplit(place.url).netloc}
    assert tab.problems == []


async def test_a_person_whose_token_is_revoked_reads_how_to_come_in_with_another(place: Place, visit: Visit) -> None:
    tab = await visit()
    await canvas(tab, place, "vera")
    for line in place.world.ask(ListTokens(), place.world.vera):
        place.world.do(RevokeToken(token_id=line.id), place.world.vera)
    await tab.shows("Load this page again to sign in with another token.")
    await tab.page.reload()
    await expect(tab.page.get_by_role("heading", name="Your sign-in has ended.")).to_be_visible()
    await tab.page.get_by_role("link", name="Sign in").click()
    await expect(tab.page.get_by_label("Your token")).to_be_focused()


@pytest.mark.sweep
async def test_two_people_each_see_their_own_name_and_what_the_other_does(place: Place, visit: Visit) -> None:
    maya, bob = await visit(), await visit()
    await canvas(maya, place)
    await canvas(bob, place, "bob")
    await maya.shows("Maya Okafor · owner · browser")
    await bob.shows("Bob Lind · contributor · browser")
    await maya.press("n")
    await maya.page.keyboard.type("Typed in a browser")
    await maya.press("Enter")
    await bob.shows("Typed in a browser")
    assert place.world.row("item", title="Typed in a browser")["status"] == "TO_DO"


async def test_the_terminal_is_as_large_as_the_window_and_ends_with_it(place: Place, visit: Visit) -> None:
    before = place.gateway.podiums()
    tab = await visit(1280, 800)
    await canvas(tab, place)
    (first,) = place.gateway.podiums() - before
    wide = tab.screen.cols, tab.screen.rows
    assert 125 <= wide[0] <= 145
    assert 38 <= wide[1] <= 44
    await tab.page.set_viewport_size({"width": 800, "height": 600})
    await until(lambda: (tab.screen.cols, tab.screen.rows) < wide)
    await tab.shows("Maya Okafor")
    assert 78 <= tab.screen.cols <= 91
    assert await tab.page.evaluate("[...document.fonts].map((font) => font.status)") == ["loaded", "loaded"]
    await tab.page.reload()
    await until(lambda: not alive(first))
    await tab.shows("Projects · Studio North")
    (second,) = place.gateway.podiums() - before
    await tab.page.close()
    await until(lambda: not alive(second))
    assert place.gateway.podiums() <= before


async def test_a_tab_that_closes_while_a_form_is_open_leaves_no_draft_on_the_host(place: Place, visit: Visit) -> None:
    tab = await visit()
    before = place.gateway.podiums()
    await canvas(tab, place)
    (program,) = place.gateway.podiums() - before
    await tab.press("n")
    await tab.shows("What needs to be done?")
    await tab.page.keyboard.type("Words of Maya")
    await tab.shows("Words of Maya")
    await tab.page.close()
    await until(lambda: not alive(program))
    other = await visit()
    await canvas(other, place)
    await other.press("n")
    await other.shows("What needs to be done?")
    assert "Restored" not in other.screen.text
    states = (Path("/.local/state/podium/drafts"), place.folder / ".local/state/podium/drafts")
    assert not any(path.exists() for path in states)


async def test_no_editor_and_no_shell_runs_on_the_host_and_the_text_is_written_in_the_whole_window(
    place: Place, visit: Visit
) -> None:
    before = place.gateway.podiums()
    tab = await visit()
    await canvas(tab, place)
    (program,) = place.gateway.podiums() - before
    await tab.press("Control+z")
    await tab.shows("Podium runs in a browser here, so there is no shell to go back to.")
    await tab.press("n")
    await tab.shows("New card")
    await tab.page.keyboard.type("Long words")
    await tab.press("Enter")
    await tab.shows("Long words, task, To Do, in Discover")  # the card with the cursor, in the last lines
    await tab.press("Shift+E")
    await tab.shows("An editor can start a shell, so none runs here")
    await tab.page.keyboard.type(":!id")
    await tab.shows(":!id")
    assert list(children(program)) == []
    await tab.press("Control+s")
    await until(lambda: place.world.row("item", title="Long words")["description"] == ":!id")


async def test_leaving_ends_on_a_page_that_starts_again_or_signs_out(place: Place, visit: Visit) -> None:
    tab = await visit()
    await tab.sign_in(place.url, place.token())
    await tab.shows("Spring launch")
    await tab.press("q")
    assert await tab.ended() == "You quit Podium."
    await tab.press("Enter")  # “Start again” has the focus
    await tab.page.locator("body.-first-byte").wait_for()
    await tab.press("q")
    await tab.ended()
    await tab.page.get_by_role("button", name="Sign out").click()
    await tab.page.get_by_label("Your token").wait_for()
    await tab.page.goto(place.url)
    assert await tab.page.get_by_label("Your token").is_visible()


@pytest.mark.slow
async def test_an_export_is_saved_by_the_browser_under_a_plain_name(place: Place, visit: Visit, tmp_path: Path) -> None:
    tab = await visit()
    await canvas(tab, place)
    await tab.press(":")
    await tab.page.keyboard.type("export")
    await tab.shows("Export")
    async with tab.page.expect_download() as download:
        await tab.press("Enter")
        await tab.shows("whole project")
        await tab.press("Control+s")
    saved = tmp_path / "saved"
    await (await download.value).save_as(saved)
    assert re.fullmatch(r"[A-Za-z0-9._-]+", (await download.value).suggested_filename)
    assert "Spring launch" in saved.read_text()
    await tab.shows("Your browser saves spring-launch.json")
    assert (await tab.page.request.get((await download.value).url)).status == 404  # there is one to be had


@pytest.mark.parametrize(
    ("scheme", "page", "line"),
    sweep([("light", LIGHT_PAGE, "e4e4de"), ("dark", DARK_PAGE, "222734")], lambda case: case[0] == "light"),
)
async def test_page_and_podium_have_the_colours_of_the_browser(
    place: Place, visit: Visit, scheme: str, page: str, line: str
) -> None:
    tab = await visit(color_scheme=scheme)
    await canvas(tab, place, "vera")
    assert await background(tab) == page
    await until(lambda: tab.screen.shown[-1][0].bg == line)


@pytest.mark.slow
async def test_page_and_podium_have_the_colours_that_their_person_chose(place: Place, visit: Visit) -> None:
    tab = await visit(color_scheme="light")
    await tab.page.goto(place.url)
    assert await background(tab) == LIGHT_PAGE
    place.world.do(SetPreference(name="theme", value="podium-dark"), place.world.vera)
    await canvas(tab, place, "vera")
    assert await background(tab) == DARK_PAGE
    await until(lambda: tab.screen.shown[-1][0].bg == "222734")
    place.world.do(SetPreference(name="theme", value="podium-light"), place.world.vera)
    await tab.page.reload()
    assert await background(tab) == LIGHT_PAGE
    place.world.do(SetPreference(name="theme", value=""), place.world.vera)


async def background(tab: BrowserTab) -> str:
    found: str = await tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return found


async def test_the_form_works_without_scripts(place: Place, visit: Visit) -> None:
    tab = await visit(java_script_enabled=False)
    await tab.sign_in(place.url, place.token())
    assert "switched off" in await tab.page.locator("noscript").inner_text()


@pytest.mark.slow
async def test_a_link_of_a_card_opens_in_a_window_that_cannot_reach_this_one(place: Place, visit: Visit) -> None:
    place.world.activity("A card with a link", link=f"{place.url}/sign-in")
    tab = await visit()
    await canvas(tab, place)
    await tab.press("/")
    await tab.page.keyboard.type("card with")
    await tab.press("Enter")
    await tab.shows("No matches")
    await tab.press("Enter")
    await tab.shows("/sign-in")
    async with tab.page.context.expect_page() as opened:
        await tab.press("o")
    window = await opened.value
    await window.wait_for_url(f"{place.url}/")
    assert await window.evaluate("window.opener") is None
    assert await tab.page.locator("#blocked").is_hidden()


@pytest.mark.slow
async def test_a_server_that_is_away_is_told_of_and_tried_again(place: Place, visit: Visit) -> None:
    tab = await visit()
    await tab.sign_in(place.url, place.token())
    await tab.shows("Spring launch")
    place.server.stop()
    try:
        await tab.page.reload()
        assert "cannot be reached" in await tab.page.locator("main").inner_text()
    finally:
        place.server.start()
    await tab.page.get_by_role("link", name="Try again").click()
    await tab.shows("Spring launch")


@pytest.mark.slow
async def test_a_tab_that_is_closed_fifty_times_leaves_no_process(place: Place, visit: Visit) -> None:
    tab = await visit()
    await tab.sign_in(place.url, place.token())
    await tab.shows("Spring launch")
    own = place.gateway.podiums()
    for number in range(50):
        page = await tab.page.context.new_page()
        await page.goto(place.url)
        if number % 5 == 0:  # one is ready, the next are still starting
            await page.locator("body.-first-byte").wait_for()
        await page.close()
    await until(lambda: place.gateway.podiums() == own)
