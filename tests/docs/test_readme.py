"""The README says what is true: its generated chapters are current and what it points to exists."""

from __future__ import annotations

import re

from core.config import ALLOWED
from tests.docs.readme import CHAPTERS, EXAMPLES, README, SHOWN, with_chapters

TEXT = README.read_text()


def test_the_generated_chapters_are_current() -> None:
    is_current = with_chapters(TEXT) == TEXT
    assert is_current, "python -m tests.docs.readme writes them anew"


def test_each_generated_chapter_has_its_place() -> None:
    for name in CHAPTERS:
        assert f"<!-- {name} -->\n" in TEXT, name


def test_every_picture_and_file_it_points_to_exists() -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)]+)\)", TEXT) + re.findall(r'src="([^"]+)"', TEXT):
        assert (README.parent / target).exists(), target


def test_it_leads_to_every_example_and_names_every_setting() -> None:
    for path in EXAMPLES.iterdir():
        assert path == SHOWN or f"[{path.name}](core/server/examples/{path.name})" in TEXT, path.name
    for setting in ALLOWED:
        assert f"`{setting}`" in TEXT, setting


def test_the_two_lines_are_there() -> None:
    assert "python3 -m pip install . && podium demo" in TEXT
    assert "python3 -m pip install '.[test]' && pytest" in TEXT
