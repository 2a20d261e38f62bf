"""Texts in any script are found by their words and by the beginnings of these."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest

from core.actions.cards.tasks import EditTask
from core.actions.personal.search import Search
from tests.support.workspace import World

SCRIPTS = {
    "Hangul": "한글 보고서 가나",
    "kana with dakuten": "ガイド ぱんフレット ばぎぐ",
    "Han": "概要 計画",
    "Thai": "รายงาน การประชุม ผู้ใช้",
    "Devanagari": "हिन्दी रिपोर्ट ड़ाक",
    "Bengali": "বাংলা প্রতিবেদন",
    "Tamil": "தமிழ் அறிக்கை",
    "Arabic": "تقرير المشروع أحمد",
    "Hebrew": "שלום דוח",
    "Vietnamese": "Tiếng Việt Đường Ưu",
    "Greek": "Έκθεση ίδιος Ωμέγα",
    "Cyrillic": "йод Ёлка Їжак край",
    "Latin": "Zürich Ångström Łódź naïve œuvre İstanbul ǖber",
    "Armenian": "Հայերեն",
    "Georgian": "ქართული",
    "Amharic": "አማርኛ",
}

NEW_CAPITALS = ("Georgian",)
"""Scripts whose capitals are younger than the tables of SQLite."""


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_what_is_stored_is_found_by_its_words_and_by_how_they_begin(
    world: World, script: str, form: Literal["NFC", "NFD"]
) -> None:
    text = SCRIPTS[script]
    title = world.task(text).id
    body = world.task("Other").id
    world.do(EditTask(task_id=body, description=f"Before: {text}"))
    for word in text.split():
        capitals = word if script in NEW_CAPITALS else word.upper()
        for typed in (word, capitals, word.lower(), word[:2]):
            found = world.ask(Search(text=unicodedata.normalize(form, typed))).found
            assert {title, body} <= {each.id for each in found}, typed
    for word in text.split():
        (in_title, in_body) = (
            next(each for each in world.ask(Search(text=unicodedata.normalize(form, word))).found if each.id == wanted)
            for wanted in (title, body)
        )
        assert word[0] in "".join(in_title.title[each.start : each.end] for each in in_title.title_marks)
        assert word[0] in "".join(in_body.excerpt[each.start : each.end] for each in in_body.excerpt_marks)
