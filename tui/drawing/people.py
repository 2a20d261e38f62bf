"""People beside their work: first names or initials, and one colour per person, the same on all views of a project."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from zlib import crc32

from rich.cells import cell_len

from core.domain.model import Id
from core.text.sanitize import initials
from tui.drawing.cells import fit
from tui.drawing.rows import Word, cells, one_line
from tui.drawing.styles import PERSON_ROLES, TextRole
from tui.drawing.theme import PERSON

MAX_FIRST = 14
"""Most cells of a first name."""

MAX_NAMED = 3
"""Most people who are named; of more, the first one is, and the others are counted."""

BLANK: Word = (" ", TextRole.QUIET)


class PersonColours:
    """The colours of people who are shown together: no two share one while colours are left, and I have the accent.

    Each has the colour that a hash of the id chooses, the same in every process; where two have one, the later person
    of the workspace takes the next that is free.
    """

    def __init__(self, user_ids: Iterable[Id] = (), me: Id = "") -> None:
        self._me = me
        self._places: dict[Id, int] = {}
        taken: set[int] = set()
        for user_id in sorted({*user_ids} - {me}):
            place = _place(user_id)
            if len(taken) < len(PERSON_ROLES):
                while place in taken:
                    place = (place + 1) % len(PERSON_ROLES)
            taken.add(place)
            self._places[user_id] = place

    def role(self, user_id: Id) -> TextRole:
        """The style of a person's name, for widgets that draw words."""
        return TextRole.ACCENT if user_id == self._me else PERSON_ROLES[self._find_place(user_id)]

    def style(self, user_id: Id) -> str:
        """The same, for ``Content``."""
        return "bold $text-primary" if user_id == self._me else f"${PERSON}-{self._find_place(user_id) + 1}"

    def _find_place(self, user_id: Id) -> int:
        place = self._places.get(user_id)
        return _place(user_id) if place is None else place


def _place(user_id: Id) -> int:
    return crc32(user_id.encode()) % len(PERSON_ROLES)


class Team:
    """The short names of the people of a project: first names where they fit, else initials."""

    def __init__(self, names: Mapping[Id, str], me: Id = "") -> None:
        """``names`` are the full names by user id; ``me`` is the user in front of the screen."""
        self.names = dict(names)
        self.me = me
        self.colours = PersonColours(self.names, me)
        self._first = first_names(self.names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Team) and (self.names, self.me) == (other.names, other.me)

    __hash__ = None  # type: ignore[assignment]

    def words(self, user_ids: Sequence[Id], room: int, mark: str = "…") -> list[Word]:
        """The people in at most ``room`` cells, me first: "Hanna, Bob", "Hanna +1", "HL BL +1" or "HL +2"."""
        known = self._find_known(user_ids)
        first = {each: fit(one_line(self._first[each]), MAX_FIRST, mark=mark) for each in known[:MAX_NAMED]}
        forms = [self._list_words(known, 1, first, BLANK)]
        if len(known) <= MAX_NAMED:
            forms.insert(0, self._list_words(known, len(known), first, (", ", TextRole.QUIET)))
        return next((form for form in forms if cells(form) <= room), []) or self.list_initials(user_ids, room)

    def list_initials(self, user_ids: Sequence[Id], room: int, _mark: str = "") -> list[Word]:
        """The people as initials in at most ``room`` cells, me first: "HL BL +1" or "HL +2"."""
        known = self._find_known(user_ids)
        letters = {each: initials(self.names[each]) for each in known[:2]}
        forms = (self._list_words(known, most, letters, BLANK) for most in (2, 1))
        return next((form for form in forms if cells(form) <= room), [])

    def _find_known(self, user_ids: Sequence[Id]) -> list[Id]:
        return sorted((each for each in user_ids if each in self.names), key=lambda each: each != self.me)

    def _list_words(self, known: Sequence[Id], most: int, shown: Mapping[Id, str], between: Word) -> list[Word]:
        words: list[Word] = []
        for each in known[:most]:
            words += [*([between] if words else []), (shown[each], self.colours.role(each))]
        if len(known) > most:
            words.append((f" +{len(known) - most}", TextRole.QUIET))
        return words


def first_names(names: Mapping[Id, str]) -> dict[Id, str]:
    """The first names of people; two Hannas also get the letters of their last names: "Hanna L", "Hanna M"."""
    first = {user_id: first_name(name) for user_id, name in names.items()}
    often = Counter(first.values())
    return {
        user_id: f"{short} {names[user_id].split()[-1][:1]}" if often[short] > 1 and short != names[user_id] else short
        for user_id, short in first.items()
    }


def first_name(name: str) -> str:
    """The first word of a name; a name in wide letters (Chinese, Japanese, Korean) is kept whole."""
    words = name.split()
    return name if not words or any(cell_len(letter) > 1 for letter in name) else words[0]
