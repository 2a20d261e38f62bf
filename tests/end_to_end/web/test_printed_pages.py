"""Reports as pages of HTML in the real Chromium: on A4 and letter paper, and on a screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from core.reports.html_page import to_html
from core.reports.sections import ReportSection
from tests.support.hostile_project import gate_record, make_hostile, project_report
from tests.support.sweeps import sweep
from tests.support.web.printed import PrintedPage, pages_of
from tests.support.workspace import World

pytestmark = pytest.mark.asyncio(loop_scope="session")

MM = 72 / 25.4
PAPER = {"A4": (210, 297), "Letter": (215.9, 279.4)}
SIDE, TOP, BOTTOM = 17, 18, 20
"""The margins of the template, in millimetres."""

CUT = """() => {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = new Range();
  while (walker.nextNode()) {
    range.selectNodeContents(walker.currentNode);
    for (const line of range.getClientRects()) {
      if (line.left < -0.5 || line.right > innerWidth + 0.5) found.push(walker.currentNode.data.slice(0, 80));
    }
  }
  for (const each of document.querySelectorAll("td, li, dd")) {
    if (each.scrollWidth > each.clientWidth + 1) found.push(each.textContent.slice(0, 80));
  }
  return found;
}"""
"""The texts that stick out of the width of the page or of their cell."""


@pytest_asyncio.fixture(loop_scope="session")
async def tab(chromium: Browser) -> AsyncIterator[Page]:
    context = await chromium.new_context(color_scheme="dark")
    yield await context.new_page()
    await context.close()


def cut_texts(page: PrintedPage) -> list[float]:
    """The baselines of texts that the upper or lower edge of the printed area goes through."""
    edges = (page.height - TOP * MM, BOTTOM * MM)
    return [each.baseline for each in page.texts if any(map(each.is_cut_at, edges))]


@pytest.mark.parametrize(
    ("paper", "made"),
    sweep(
        [(paper, made) for paper in PAPER for made in (gate_record, project_report)],
        lambda case: case == ("A4", project_report),
    ),
)
async def test_no_line_is_cut_on_paper_and_nothing_of_it_acts(
    world: World, tab: Page, tmp_path: Path, paper: str, made: Callable[[World], ReportSection]
) -> None:
    make_hostile(world, entries=60 if made is gate_record else 4)
    file = tmp_path / "page.html"
    file.write_text(to_html(made(world)))
    problems: list[str] = []
    requests: list[str] = []
    tab.on("console", lambda message: problems.append(message.text))
    tab.on("dialog", lambda dialog: problems.append(dialog.message))
    tab.on("request", lambda request: requests.append(request.url))
    width, height = PAPER[paper]
    await tab.emulate_media(media="print")
    await tab.set_viewport_size({"width": int((width - 2 * SIDE) / 25.4 * 96), "height": 1000})
    await tab.goto(file.as_uri())
    assert await tab.evaluate(CUT) == []
    style = "getComputedStyle(document.documentElement)"
    colours = await tab.evaluate(f"[{style}.color, {style}.backgroundColor]")
    assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    pages = pages_of(await tab.pdf(format=paper, prefer_css_page_size=False))
    assert len(pages) > 5
    for page in pages:
        assert (page.width, page.height) == pytest.approx((width * MM, height * MM), abs=1)
        assert len(page.texts) > 2
        assert cut_texts(page) == []
    assert await tab.locator("script, img, iframe, [style], [onerror], [onclick]").count() == 0
    assert (problems, requests) == ([], [file.as_uri()])


async def test_a_cut_line_would_be_noticed(tab: Page) -> None:
    lines = "".join(f"<text y={at * 13}>line</text>" for at in range(200))  # a picture is cut where a page ends
    await tab.set_content(f"<style>@page {{ margin: 18mm 17mm 20mm }}</style><svg height=2600>{lines}</svg>")
    pages = pages_of(await tab.pdf(format="A4", prefer_css_page_size=False))
    assert any(map(cut_texts, pages))
    await tab.set_viewport_size({"width": 600, "height": 800})
    await tab.set_content(f"<p style='width: 9in'>{'wide ' * 99}</p><ul><li>{'W' * 300}</ul>")
    assert len(await tab.evaluate(CUT)) > 2


@pytest.mark.sweep
@pytest.mark.parametrize("width", [320, 768, 1600])
@pytest.mark.parametrize("made", [gate_record, project_report])
async def test_nothing_sticks_out_on_a_screen(
    world: World, tab: Page, tmp_path: Path, width: int, made: Callable[[World], ReportSection]
) -> None:
    make_hostile(world, entries=4)
    file = tmp_path / "page.html"
    file.write_text(to_html(made(world)))
    await tab.set_viewport_size({"width": width, "height": 800})
    await tab.goto(file.as_uri())
    assert await tab.evaluate(CUT) == []
