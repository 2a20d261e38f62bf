"""What is pasted in a browser with escape sequences in it is text and never keys."""

from __future__ import annotations

import pytest

from tests.end_to_end.web.conftest import Place, Visit
from tests.support.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

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
    await tab.press("n")
    await tab.shows("New card")
    await tab.page.evaluate(PASTE, "from a \x1b[31mbrowser\x1b[0m\nwith id")
    await tab.shows("from a browser with id")
    await tab.press("Enter")
    pasted = "SELECT assignee_id, status FROM item WHERE title = 'from a browser with id'"
    await until(lambda: place.world.rows(pasted) == [{"assignee_id": None, "status": "TO_DO"}])
