"""Pastes in a browser with escape sequences are text and not keys."""

from __future__ import annotations

import pytest

from tests.end_to_end.web.conftest import Place, Visit
from tests.support.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

CARDS = "SELECT id, title, kind, status FROM item"

PASTE = """text => {
    const clipboard = new DataTransfer();
    clipboard.setData("text/plain", text);
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", {clipboardData: clipboard, bubbles: true}));
}"""


async def test_coloured_output_in_a_title_is_one_line_that_enter_saves(place: Place, visit: Visit) -> None:
    tab = await visit()
    await tab.sign_in(place.url, place.token())
    await tab.shows("Spring launch")
    await tab.press("Enter")
    await tab.shows("To Do")
    before = place.world.rows(CARDS)
    await tab.press("n")
    await tab.shows("New card")
    await tab.page.evaluate(PASTE, "from a \x1b[31mbrowser\x1b[0m\nwith id")
    await tab.shows("Use as one title")
    await tab.press("Tab")
    await tab.press("Enter")
    await tab.shows("from a browser with id")
    await tab.press("Enter")
    await until(lambda: len(place.world.rows(CARDS)) > len(before))
    (card,) = [row for row in place.world.rows(CARDS) if row not in before]
    assert (card["title"], card["kind"], card["status"]) == ("from a browser with id", "TASK", "TO_DO")
    await tab.shows("from a browser with id, task, To Do, in Discover")  # the card with the cursor, in the last lines
    await until(lambda: "New card" not in tab.screen.text)  # the picture behind it can come first
    assert tab.screen.text.count("from a browser with id") == 2  # there, and one card in the column
