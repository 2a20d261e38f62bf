"""The vocabulary: retired words are in no identifier and on no page, and docstrings begin with a purpose."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support.paths import ROOT

RETIRED = frozenset(
    {"bringing", "deed", "deeds", "desk", "doings", "enrol", "enrolled", "enrolment", "enrolments", "glow", "glowing"}
    | {"ink", "inks", "knock", "misfits", "mood", "news", "noticing", "pile", "piles", "planting", "sight"}
    | {"whereabouts"}
)
"""Words that the glossary in core/README.md has replaced, such as *enrolment* by *linked account*."""

RETIRED_IN_CODE = frozenset({"handover", "standing", "stands", "tell", "telling", "tells", "told"})
"""Words for which the product's identifiers have the field's term, such as *toast*, *notify* or *is alive*."""

RETIRED_IN_TEXT = re.compile(r"\b(anew|somebody|whoever)\b", re.IGNORECASE)
"""Words that no text has: it names the user, the program or the account."""

STORED = ("core/storage/schema/", "tests/unit/storage/", ".github/CHANGELOG.md")
"""Files about names that older databases and versions have."""

PARTICIPLE = re.compile(
    r"_*([a-z]+ed|begun|bound|brought|built|chosen|done|drawn|driven|dug|felt|found|frozen|given|gone|grown|heard|held"
    r"|hidden|kept|known|laid|led|left|lent|lost|made|met|overridden|paid|redone|said|seen|sent|shown|spent|stolen|stuck"
    r"|taken|thrown|told|torn|undone|withdrawn|won|written)_*"
)
BASE_FORMS = frozenset({"embed", "exceed", "feed", "need", "proceed", "seed", "succeed"})
"""Verbs that look like participles and are none."""

RELATIVE_CLAUSE = re.compile(
    r"(What|Whatever|Who|Whoever|Whom|Whose|Where|Wherever|Which|When|Whenever|Whether|How|That|Why)\b"
)


class Source(NamedTuple):
    """The names and texts of a file."""

    file: str
    identifiers: set[str]
    participles: list[str]
    """Names of functions that say nothing else."""
    classes: list[str]
    """Names of public classes of the module."""
    docstrings: list[str]

    @property
    def is_code(self) -> bool:
        return self.file.startswith(("core/", "tui/"))


@cache
def sources() -> list[Source]:
    """The files of the product and of its tests, each of them parsed once."""
    paths = [path for folder in ("core", "tui", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
    names = {str(path.relative_to(ROOT)): path for path in paths}
    return [source_of(name, path) for name, path in names.items() if not name.startswith(STORED)]


def source_of(file: str, path: Path) -> Source:
    tree = ast.parse(path.read_text())
    public = [node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    found = Source(file, set(), [], public, [])
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.identifiers.add(name)
                if not isinstance(node, ast.ClassDef) and is_participle(node):
                    found.participles.append(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                found.identifiers.add(name)
                continue
            case ast.Module():
                pass
            case _:
                continue
        if text := ast.get_docstring(node):
            found.docstrings.append(text)
    return found


def is_participle(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True for a function with a bare participle as its name that is no property."""
    name = function.name
    is_bare = PARTICIPLE.fullmatch(name) and name not in BASE_FORMS
    return bool(is_bare) and not any(re.search("property|setter", ast.unparse(e)) for e in function.decorator_list)


def words_of(identifier: str) -> list[str]:
    """The words of a name in snake_case or CamelCase, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", identifier)]


def pages() -> list[Path]:
    found = [
        *ROOT.glob("*.md"),
        *(ROOT / ".github").glob("*.md"),
        *ROOT.glob("core/**/*.md"),
        *ROOT.glob("tui/**/*.md"),
    ]
    assert len(found) > 8
    return [page for page in found if not str(page.relative_to(ROOT)).startswith(STORED)]


def test_the_words_of_a_name_are_told_apart() -> None:
    assert words_of("_HTTPServer_ofTests2") == ["http", "server", "of", "tests"]


def test_no_identifier_has_a_retired_word() -> None:
    words = {name: set(words_of(name)) for source in sources() for name in source.identifiers}
    assert words["UnitOfWork"] == {"unit", "of", "work"}
    retired = {name for name, parts in words.items() if RETIRED & parts}
    assert [(source.file, found) for source in sources() if (found := source.identifiers & retired)] == []
    in_code = {name for name, parts in words.items() if RETIRED_IN_CODE & parts}
    assert [(each.file, found) for each in sources() if each.is_code and (found := each.identifiers & in_code)] == []


def test_a_function_says_what_it_does_and_is_no_bare_participle() -> None:
    """``kept`` leaves open whether it keeps, finds or lists; a property and a field may say what they are."""
    assert PARTICIPLE.fullmatch("_kept")
    assert not PARTICIPLE.fullmatch("is_kept")
    assert [(each.file, each.participles) for each in sources() if each.is_code and each.participles] == []


def test_no_class_name_is_used_twice() -> None:
    names = Counter(name for source in sources() if source.is_code for name in source.classes)
    assert names["UnitOfWork"] == 1
    assert [name for name, times in names.items() if times > 1] == []


def test_no_page_has_a_retired_word() -> None:
    words = re.compile(rf"\b({'|'.join(sorted(RETIRED))})\b", re.IGNORECASE)
    assert words.search("An Enrolment")
    assert [(page.name, found[0]) for page in pages() for found in words.finditer(page.read_text())] == []


def test_no_text_has_a_word_for_an_unnamed_person() -> None:
    texts = [path for folder in ("core", "tui", "tests") for ending in ("py", "toml", "tcss", "js", "html")
             for path in (ROOT / folder).rglob(f"*.{ending}") if path.name != "test_vocabulary.py"]  # fmt: skip
    assert len(texts) > 900
    assert RETIRED_IN_TEXT.search("Whoever has it")
    found = [(each.name, hit[0]) for each in (*texts, *pages()) for hit in RETIRED_IN_TEXT.finditer(each.read_text())]
    assert found == []


def test_no_docstring_opens_with_a_relative_clause() -> None:
    texts = [(source.file, text) for source in sources() for text in source.docstrings]
    assert len(texts) > 3_000
    assert RELATIVE_CLAUSE.match("What a person may do")
    assert [(file, text.splitlines()[0]) for file, text in texts if RELATIVE_CLAUSE.match(text)] == []
