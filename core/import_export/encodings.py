"""Encodings of texts that are neither UTF-8 nor UTF-16: charset-normalizer weighs them, and this module alone knows it.

A short text can be in several. Then the one is taken whose letters all belong to one language, else Windows-1252.
"""

from __future__ import annotations

import re

from charset_normalizer import CharsetMatch, from_bytes

ENCODINGS = "cp1252 cp1250 cp1251 cp1253 cp1254 cp1257 cp1255 cp1256 cp932 gb18030 cp949 big5".split()  # noqa: SIM905
"""The encodings of older spreadsheets; of equals the first."""

LOOKED_AT = 20_000
"""The most bytes of lines with more than ASCII that are weighed."""

_ALPHABETS = tuple(
    frozenset(letters)
    for letters in (
        *("äöüß", "àâçéèêëîïôœùûü", "áéíñóúü", "áéèëïóöü", "àèéìòóù", "áâãàçéêíóôõúü", "åäöé", "æøåéèó"),
        *("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű"),
    )
)
"""The letters beside a to z of German, French, Spanish, Dutch, Italian, Portuguese, Swedish and Finnish, Danish and
Norwegian, and of Polish, Czech, Slovak and Hungarian."""

_ODD = re.compile(
    "(?<=[^\\W\\d_])[^\\w\\s\x00-\x7f‘’“”–—…·€°»]|[^\\w\\s\x00-\x7f‘’“”–—…€°§«¿¡](?=[^\\W\\d_])"
    "|(?<=[^\\W\\d_]{2})[¹³]|[¹³](?=[^\\W\\d_])|(?<=[a-zß-ÿ])[À-ÖØ-ÞŸŠŒŽ]"
)
"""A sign beside a letter, or a capital behind a small letter, as words have them in a wrong encoding."""


def find_encoding(data: bytes) -> str:
    """Return the encoding that a text most likely has.

    >>> find_encoding("Größe;Änderung".encode("cp1252")), find_encoding("Wysłać umowę".encode("cp1250"))
    ('cp1252', 'cp1250')
    """
    lines = b"\n".join(line for line in data.split(b"\n") if not line.isascii())[:LOOKED_AT]
    matches = from_bytes(lines, cp_isolation=ENCODINGS, preemptive_behaviour=False)
    return _name(min(matches, key=_rate)) if matches else ENCODINGS[0]


def _rate(match: CharsetMatch) -> tuple[float, ...]:
    """The weights against an encoding, the heaviest first."""
    text = str(match)
    letters = {letter for letter in text.lower() if letter.isalpha() and not letter.isascii()}
    is_of_none = all(letters - alphabet for alphabet in _ALPHABETS)
    return match.chaos, len(_ODD.findall(text)), is_of_none, -match.coherence, ENCODINGS.index(_name(match))


def _name(match: CharsetMatch) -> str:
    """The first encoding in which the text is the same."""
    return next(each for each in ENCODINGS if each in (match.encoding, *match.could_be_from_charset))
