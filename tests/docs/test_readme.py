"""The pages are true: generated parts are current, and all that a page names exists."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from core.config import RULES
from core.server.openapi.document import document
from core.server.openapi.error_pages import pages
from tests.docs.readme import ARCHITECTURE, CHANGELOG, CHAPTERS, EXAMPLES, PAGES, README, SHOWN, with_chapters
from tests.docs.readme import without_chapters as own_text
from tests.support.paths import ROOT
from tui.cli.program import podium
from tui.keys.names import spell_key
from tui.keys.table import KEYS

TEXTS = {page: page.read_text() for page in PAGES}
EVERYTHING = "\n".join(TEXTS.values())
CURRENT = [page for page in PAGES if page != CHANGELOG]
"""The pages that say what is true now; the changelog names what was."""

SOURCES = "\n".join(path.read_text() for top in ("core", "tui") for path in (ROOT / top).rglob("*.py"))

PLAIN_ENGLISH = (
    r"\bwhoever\b|\bwhatever is\b|\bsomebody\b|\bnobody\b|\banybody\b|\beverybody\b|\banew\b|\bis told\b|\bmay not be\b"
    r"|\bone's own\b|\bnone but\b|\bso that one\b|\bstands? in the way\b"
)
"""Phrases that the pages say in plainer words."""

each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
each_current_page = pytest.mark.parametrize("page", CURRENT, ids=lambda page: str(page.relative_to(ROOT)))


def anchor(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    without_code = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return {anchor(heading) for heading in re.findall(r"^#+ (.+)$", without_code, re.MULTILINE)}


def spans(text: str) -> list[str]:
    """The texts in backticks, without blocks of code."""
    without_code = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return [" ".join(found.split()) for found in re.findall(r"(?<!`)`([^`]+)`(?!`)", without_code)]


def test_the_list_of_pages_is_complete() -> None:
    below = {path for top in ("core", "tui", "tests", ".github") for path in (ROOT / top).rglob("*.md")}
    assert below | set(ROOT.glob("*.md")) == set(PAGES)


@each_page
def test_the_generated_parts_are_current(page: Path) -> None:
    is_current = with_chapters(TEXTS[page]) == TEXTS[page]
    assert is_current, "python -m tests.docs.readme writes them"


def test_each_generated_part_is_on_one_page() -> None:
    for name in CHAPTERS:
        assert EVERYTHING.count(f"<!-- {name} -->\n") == EVERYTHING.count(f"<!-- /{name} -->") == 1, name


@each_page
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)\s]+)\)", TEXTS[page]) + re.findall(r'src="([^"]+)"', TEXTS[page])
    for target in targets:
        name, _, heading = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        assert path.exists(), target
        assert not heading or heading in anchors(path.read_text()), target


@each_current_page
def test_every_file_that_is_named_exists(page: Path) -> None:
    named = {each for each in spans(TEXTS[page]) if re.fullmatch(r"(core|tui|tests|screenshots|\.ci)/[\w./-]+", each)}
    assert {each for each in named if not (ROOT / each).exists()} == set()


def test_the_pages_link_every_example_and_name_every_setting_and_error() -> None:
    linked = set(re.findall(r"\]\([^)]*examples/([\w.-]+)\)", EVERYTHING))
    assert linked | {SHOWN.name} == {path.name for path in EXAMPLES.iterdir()}
    named = {each for text in TEXTS.values() for each in spans(text)}
    assert [setting for setting in RULES if setting not in named] == []
    assert [code for code in pages() if code not in named] == []


@each_current_page
def test_every_command_option_route_and_error_code_that_is_named_exists(page: Path) -> None:
    for each in spans(TEXTS[page]):
        for words in re.findall(r"(?:^|\s)podium ([a-z][a-z -]*)", each.removeprefix("sudo -u podium ")):
            assert is_command(words.split()), each
        if route := re.fullmatch(r"(GET|POST|PUT|PATCH|DELETE) (/v1/[\w/{}-]+)", each):
            assert is_route(*route.groups()), each
        if re.fullmatch(r"[A-Z]{4,}(_[A-Z]+)+", each) and not each.startswith("PODIUM_"):
            assert each in pages() or re.search(rf"\b{each}\b", SOURCES), each


def is_command(words: list[str]) -> bool:
    """True if these words begin with a command and, after a group, with a command of that group."""
    command: click.Command | None = podium
    while words and isinstance(command, click.Group):
        command = command.get_command(click.Context(command), words.pop(0))
    return command is not None


def is_route(method: str, path: str) -> bool:
    shape = re.sub(r"\{\w+\}|\b[A-Z]+\b", "{}", path)
    operations = {re.sub(r"\{\w+\}", "{}", known): methods for known, methods in document()["paths"].items()}
    return shape == "/v1/openapi.json" or method.lower() in operations.get(shape, {})


def test_the_readme_is_short_and_begins_with_a_picture_and_the_two_commands() -> None:
    lines = TEXTS[README].splitlines()
    assert len(lines) <= 250
    picture = next(number for number, line in enumerate(lines) if line.startswith("!["))
    command = lines.index("python3 -m pip install . && podium demo")
    assert picture < command < 20
    assert "python3 -m pip install --editable '.[test]' && pytest" in EVERYTHING


@each_page
def test_a_page_has_each_heading_once(page: Path) -> None:
    headings = re.findall(r"^#+ .+$", re.sub(r"^```.*?^```", "", TEXTS[page], flags=re.S | re.M), re.MULTILINE)
    assert len(headings) > 0
    assert [each for each in headings if headings.count(each) > 1] == []


def test_the_essential_keys_are_keys() -> None:
    table = TEXTS[README].partition("## Essential keys")[2].partition("\n\nA letter")[0]
    keys = [key for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for key in re.findall(r"`(.+?)`", row)]
    assert len(keys) > 12
    known = {spell_key(each) for key in KEYS for each in key.keys.split(",")} | {"hjkl"}
    assert [key for key in keys if key not in known] == []


@each_page
def test_a_page_is_written_in_plain_english(page: Path) -> None:
    text = " ".join(own_text(TEXTS[page]).split())
    found = [text[max(0, at.start() - 40) : at.end() + 40] for at in re.finditer(PLAIN_ENGLISH, text, re.IGNORECASE)]
    assert found == []


GLOSSARY = re.findall(r"^\| ([A-Z][^|]+?) \| ([^|]+) \| `(\w+)` \|$", TEXTS[ARCHITECTURE], re.MULTILINE)


def test_each_word_of_the_glossary_is_in_the_code_and_has_one_meaning() -> None:
    terms = [term.lower() for term, _, _ in GLOSSARY]
    assert len(terms) > 40
    assert len(set(terms)) == len(terms)
    in_lower_case = SOURCES.lower()
    for term, _, name in GLOSSARY:
        assert re.search(rf"\b{name}\b", SOURCES), f"{term}: {name}"
        written = r"[-_ ]?".join(map(re.escape, re.split(r"[- ]", term)))
        assert re.search(rf"(?<![a-z]){written.lower()}", in_lower_case), term
