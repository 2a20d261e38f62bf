"""Long texts are refused by their length, before anything looks at their characters."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from types import SimpleNamespace

import pytest

from core.errors import InvalidFilter, InvalidInput
from core.filters.filter import check
from core.text import sanitize
from core.text.dates import parse_due
from core.wire.message_decoder import message_from

LONG = 1_000_000


@pytest.mark.parametrize("letters", ["\t", "❤\u200d", "e\u0301\u0301", " ", "\r\n", "\u3164", "a"])
@pytest.mark.parametrize("kind", [sanitize.one_line, sanitize.many_lines])
def test_a_text_is_refused_by_its_length_first(
    monkeypatch: pytest.MonkeyPatch, kind: Callable[..., str], letters: str
) -> None:
    monkeypatch.setattr(sanitize, "_check_text", lambda *_: pytest.fail("its characters were looked at"))
    with pytest.raises(InvalidInput, match="Enter at most"):
        kind(letters * LONG, "value", most=20_000)


@pytest.mark.parametrize(
    "kind", [sanitize.email, sanitize.login, sanitize.link, lambda word: sanitize.person_name(word, "first name")]
)
def test_so_are_addresses_logins_and_links(monkeypatch: pytest.MonkeyPatch, kind: Callable[[str], str]) -> None:
    def look(*_: str) -> str:
        pytest.fail("its characters were looked at")

    monkeypatch.setattr(sanitize, "unicodedata", SimpleNamespace(normalize=look))  # the module itself is pytest's, too
    with pytest.raises(InvalidInput):
        kind("https://a" * LONG)


def test_what_becomes_short_enough_is_taken() -> None:
    assert sanitize.one_line(" " * 300 + "e\u0301" * 200, "title") == "é" * 200
    assert sanitize.many_lines("a" * 20_000, "value") == "a" * 20_000


def test_a_long_date_and_a_long_filter_are_refused() -> None:
    with pytest.raises(InvalidInput, match="cannot be read as a date") as refused:
        parse_due("1 " * LONG, date(2026, 11, 22))
    assert len(str(refused.value)) < 200
    for long in ("a " * LONG, "a " * 60, '"' + "a" * 3_000 + '"'):
        with pytest.raises(InvalidFilter, match="at most"):
            check(long)


@pytest.mark.parametrize("value", ["x" * LONG, [["x" * LONG]] * 100, {"k" * LONG: 1}])
def test_at_most_eighty_characters_of_a_refused_value_are_quoted(value: object) -> None:
    with pytest.raises(InvalidInput) as refused:
        message_from("MoveCard", {"card_id": "t", "status": value})
    assert len(str(refused.value)) < 250
    for name, given in (("MoveCard", {"x" * LONG: 1}), ("x" * LONG, {})):
        with pytest.raises(InvalidInput) as refused:
            message_from(name, given)
        assert len(str(refused.value)) < 400
