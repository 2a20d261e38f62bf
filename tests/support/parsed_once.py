"""Keep what Textual finds out again for each application or message, so that it is found out once in a process.

The rules of a style sheet, a style, the tokens of the variables, the colours of a theme; which methods take a message,
and how many parameters a callback has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

import pytest
from textual import _callback
from textual.css import stylesheet
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.tokenize import tokenize_values
from textual.design import ColorSystem
from textual.message import Message
from textual.message_pump import MessagePump
from textual.style import Style

Source = tuple[Any, ...]
"""The text of a style sheet, where it comes from, and how its rules count."""

_parse, _tokenize, _blend = Stylesheet._parse_rules, tokenize_values, ColorSystem.generate
_parse_style = Stylesheet.parse_style
_find_takers, _count = MessagePump._get_dispatch_methods, _callback._count_parameters
_of_last: tuple[dict[str, str], dict[Any, Any]] = ({}, {})
"""The variables that were asked for last, and what is known of them: to find it takes longer than to look in it."""


_parsed: dict[frozenset[tuple[str, str]], dict[Any, Any]] = {}
"""What was made with some colours and other variables: the rules of each source, styles, and the tokens under None."""


def _known(variables: dict[str, str]) -> dict[Any, Any]:
    global _of_last
    if _of_last[0] is not variables:
        _of_last = variables, _parsed.setdefault(frozenset(variables.items()), {})
    return _of_last[1]


def _parsed_once(self: Stylesheet, *source: Any, **options: Any) -> list[RuleSet]:
    """The rules of a source, as ``Stylesheet._parse_rules`` gives them. It keeps them too, but for one application."""
    known, key = _known(self._variables), (*source, *options.values())
    rules: list[RuleSet] | None = known.get(key)
    if rules is None:
        rules = known[key] = _parse(self, *source, **options)
    return rules


def _style_once(self: Stylesheet, text: str | Style) -> Style:
    if isinstance(text, Style):
        return text
    known = _known(self._variables)
    style: Style = known.get(text) or known.setdefault(text, _parse_style(self, text))
    return style


def _tokens_once(variables: dict[str, str]) -> Any:
    known = _known(variables)
    return known.get(None) or known.setdefault(None, _tokenize(variables))


_blended: dict[tuple[Any, ...], dict[str, str]] = {}


def _blended_once(self: ColorSystem) -> dict[str, str]:
    key = tuple(tuple(each.items()) if isinstance(each, dict) else each for each in vars(self).values())
    return dict(_blended.get(key) or _blended.setdefault(key, _blend(self)))


_Taker = tuple[type, Any]
_takers: dict[tuple[type, str, type], list[_Taker] | None] = {}
"""The methods of a class that take a message by their names; None where some take it by a decorator."""


def _takers_once(self: MessagePump, name: str, message: Message) -> Iterable[_Taker]:
    key = type(self), name, type(message)
    if key not in _takers:
        kinds, classes = set(key[2].__mro__), key[0].__mro__
        decorated = any(not kinds.isdisjoint(vars(cls).get("_decorated_handlers", ())) for cls in classes)
        named = [(cls, vars(cls).get(f"_{name}") or vars(cls).get(name)) for cls in classes]
        plain = [(cls, method) for cls, method in named if method and not getattr(method, "_textual_on", None)]
        _takers[key] = None if decorated else plain
    takers = _takers[key]
    if takers is None:
        yield from _find_takers(self, name, message)
    else:
        for cls, method in takers:
            if message._no_default_action:
                return
            yield cls, method.__get__(self, cls)


_counted: dict[tuple[CodeType | None, bool], int] = {}


def _parameters_once(callback: Any) -> int:
    code = getattr(callback, "__code__", None)
    key = code or getattr(type(callback).__call__, "__code__", None), code is None or hasattr(callback, "__self__")
    if key[0] is None or hasattr(callback, "__wrapped__"):
        return _count(callback)
    if key not in _counted:
        _counted[key] = _count(callback)
    return _counted[key]


@contextmanager
def parsing_once() -> Iterator[None]:
    """Within it, what was parsed or found out once is not again, by the applications of any test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", _parsed_once)
        patch.setattr(Stylesheet, "parse_style", _style_once)
        patch.setattr(stylesheet, "tokenize_values", _tokens_once)
        patch.setattr(ColorSystem, "generate", _blended_once)
        patch.setattr(MessagePump, "_get_dispatch_methods", _takers_once)
        patch.setattr(_callback, "_count_parameters", _parameters_once)
        yield
