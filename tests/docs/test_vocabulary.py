"""The vocabulary: retired words are in no identifier and on no page, and docstrings begin with a purpose."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

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


def modules(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if not name.startswith(STORED):
                yield name, ast.parse(path.read_text())


def identifiers(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name):
                yield name


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
    names = {(name, file) for file, tree in modules("core", "tui", "tests") for name in identifiers(tree)}
    assert ("UnitOfWork", "core/engine/unit_of_work.py") in names
    assert sorted((name, file) for name, file in names if RETIRED & set(words_of(name))) == []
    in_code = {(name, file) for name, file in names if file.startswith(("core/", "tui/"))}
    assert sorted((name, file) for name, file in in_code if RETIRED_IN_CODE & set(words_of(name))) == []


def test_a_function_says_what_it_does_and_is_no_bare_participle() -> None:
    """``kept`` leaves open whether it keeps, finds or lists; a property and a field may say what they are."""
    found = [
        (node.name, file)
        for file, tree in modules("core", "tui")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and PARTICIPLE.fullmatch(node.name)
        and node.name not in BASE_FORMS
        and not any(re.search("property|setter", ast.unparse(each)) for each in node.decorator_list)
    ]
    assert PARTICIPLE.fullmatch("_kept")
    assert not PARTICIPLE.fullmatch("is_kept")
    assert found == []


def test_no_class_name_is_used_twice() -> None:
    names = Counter(
        node.name
        for _, tree in modules("core", "tui")
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
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
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [
        (file, text)
        for file, tree in modules("core", "tui", "tests")
        for node in ast.walk(tree)
        if isinstance(node, kinds) and (text := ast.get_docstring(node))
    ]
    assert len(texts) > 3_000
    assert RELATIVE_CLAUSE.match("What a person may do")
    assert [(file, text.splitlines()[0]) for file, text in texts if RELATIVE_CLAUSE.match(text)] == []
