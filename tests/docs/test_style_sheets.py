"""A style sheet finds a widget by the name of its class, which no checker of types sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module

import textual.widgets
from textual.dom import DOMNode

from tests.docs.test_conventions import modules
from tests.support.paths import ROOT


def classes(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
    yield kind
    for each in kind.__subclasses__():
        yield from classes(each)


def types_named_in(sheet: str) -> set[str]:
    """The types in the selectors of a style sheet, without classes, ids, variables and pseudo-classes."""
    selectors = re.findall(r"([^{};]+)\{", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL))
    return {name for each in selectors for name in re.findall(r"(?<![\w.#:$-])[A-Z]\w*", each)}


def test_every_type_that_a_style_sheet_names_is_a_widget() -> None:
    for name in modules("tui"):
        if name != "tui.__main__":
            import_module(name)
    for name in vars(textual.widgets)["__all__"]:
        getattr(textual.widgets, name)
    known = {name for kind in classes(DOMNode) for name in kind._css_type_names}
    sheets = {"app.tcss": (ROOT / "tui" / "app.tcss").read_text()}
    for kind in classes(DOMNode):
        for attribute in ("CSS", "DEFAULT_CSS"):
            if kind.__module__.startswith("tui.") and attribute in vars(kind):
                sheets[f"{kind.__module__}.{kind.__name__}"] = vars(kind)[attribute]
    named = {place: types_named_in(sheet) for place, sheet in sheets.items()}
    assert "Board" in named["tui.board.board.Board"]
    assert {place: types - known for place, types in named.items() if types - known} == {}
