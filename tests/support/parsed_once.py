"""One parse of each style sheet for all applications of a process, where Textual parses them for each application."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

Source = tuple[Any, ...]
"""The text of a style sheet, where it comes from, and how its rules count."""

_parsed: dict[frozenset[tuple[str, str]], dict[Source, list[RuleSet]]] = {}
"""The rules of each source, by the colours and the other variables that its text may name."""

_parse = Stylesheet._parse_rules
_of_last: tuple[dict[str, str], dict[Source, list[RuleSet]]] = ({}, {})
"""The variables that were asked for last, and their part of ``_parsed``: to find it takes longer than to look in it."""


def _parsed_once(self: Stylesheet, *source: Any, **options: Any) -> list[RuleSet]:
    """The rules of a source, as ``Stylesheet._parse_rules`` gives them. It keeps them too, but for one application."""
    global _of_last
    if _of_last[0] is not self._variables:
        _of_last = self._variables, _parsed.setdefault(frozenset(self._variables.items()), {})
    key = (*source, *options.values())
    rules = _of_last[1].get(key)
    if rules is None:
        rules = _of_last[1][key] = _parse(self, *source, **options)
    return rules


@contextmanager
def parsing_once() -> Iterator[None]:
    """Within it, a style sheet that was parsed with the same variables is not parsed again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", _parsed_once)
        yield
