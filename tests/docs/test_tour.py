"""The moving picture of the README can be made again, and shows one still after the other."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from tests.docs.screenshots import FOLDER, TOUR, demo, take_tour
from tests.docs.tour import STEPS, SVG

MAX_BYTES = 150_000


def visible_at(svg: str, step: int) -> str:
    """The words of a moving picture while one of its steps is shown."""
    percent = 100 * (step + 0.5) / len(STEPS)
    hidden = set()
    for number, keyframes in re.findall(r"@keyframes k(\d+)\{(.*?\})\}", svg):
        changes = re.findall(r"([\d.]+)%\{visibility:(\w+)\}", keyframes)
        if [state for at, state in changes if float(at) <= percent][-1] == "hidden":
            hidden.add(f"t{number}")
    groups = [each for each in ElementTree.fromstring(svg).iter(f"{SVG}g") if each.attrib["class"] not in hidden]
    return "\n".join(text.text or "" for group in groups for text in group.iter(f"{SVG}text")).replace("\xa0", " ")


async def test_the_tour_can_be_played_and_shows_its_steps_one_at_a_time(tmp_path: Path) -> None:
    target = tmp_path / "tour.svg"
    with demo() as database:
        await take_tour(database, target)
    svg = target.read_text()
    assert len(svg) < MAX_BYTES
    for number in range(len(STEPS)):
        words = visible_at(svg, number)
        assert [step.caption for step in STEPS if step.caption in words] == [STEPS[number].caption]
    assert "can unlock it" in visible_at(svg, 2)
    assert "Undone" in visible_at(svg, 6)


def test_the_picture_of_the_readme_shows_these_steps() -> None:
    svg = (FOLDER / f"{TOUR}.svg").read_text()
    for number, step in enumerate(STEPS):
        assert step.caption in visible_at(svg, number)
