"""Imports calendars (iCalendar): things to do and events become cards of one phase.

A day is the one that stands in the file, in its own zone, and the end of an event is the last day of it. Attendees
become people, categories labels, and relations activities and waits. What repeats comes once. Podium's own calendars
come back with their phases. The preview of the import names what is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from math import ceil

from icalendar.parser import Contentlines
from icalendar.prop import vDuration

from core.domain.model import Priority, Status
from core.errors import InvalidImport
from core.import_export.draft import Draft, LeftOut
from core.import_export.loose_cards import LooseCard, read_moment
from core.import_export.outline import iso_day, place_outline, take_days, take_percent, take_wait
from core.import_export.validation import MAX_RECORDS
from core.record import Record
from core.text.phrases import count
from core.text.sanitize import quote_value

MAX_SIZE = 20_000_000
"""The most characters of a calendar; the library looks at each of them."""

OWN = "-//Podium//"
"""The beginning of what says that Podium wrote a calendar."""

CARDS = ("VTODO", "VEVENT")
_STATUSES = {
    "NEEDS-ACTION": Status.TO_DO,
    "IN-PROCESS": Status.IN_PROGRESS,
    "COMPLETED": Status.COMPLETED,
    "CANCELLED": Status.ARCHIVED,
    "CONFIRMED": Status.TO_DO,
}
_WORDS = {
    "COMMENT": "Comment",
    "LOCATION": "Place",
    "CONTACT": "Contact",
    "RESOURCES": "Resources",
    "RRULE": "Repeats",
    "RDATE": "Repeats also on",
    "EXDATE": "Repeats not on",
    "RECURRENCE-ID": "Instead of",
}
"""Properties that become words."""

_PARAMETERS = frozenset(("VALUE", "TZID", "CN", "CUTYPE", "RELTYPE", "GAP", "LANGUAGE", "FMTTYPE"))


class CalendarLine(Record, kw_only=False):
    """A property: its name, its parameters, its value as text, and as it stands in the file."""

    name: str
    parameters: dict[str, str]
    value: str
    raw: str


class CalendarPart(Record, kw_only=False):
    """A component, such as VTODO, with its properties; ``within`` is the kind of the one around it."""

    kind: str
    within: str
    lines: list[CalendarLine]


def draft(text: str, called: str = "") -> Draft:
    """The draft of a calendar; ``called`` is its name if it has none. Raises InvalidImport."""
    joined: list[int] = []
    parts = [*_read(text, joined)]
    about = {line.name: line.value for part in reversed(parts) if part.kind == "VCALENDAR" for line in part.lines}
    name = about.pop("X-WR-CALNAME", "") or about.get("NAME", "")
    made = Draft(name or called, about.pop("X-WR-CALDESC", "") or about.get("DESCRIPTION", ""))
    reader = _Calendar(made, name if about.get("PRODID", "").startswith(OWN) else None)
    for at, part in enumerate(each for each in parts if each.kind in CARDS):
        reader.take(part, f"{part.kind} {at + 1}")
    reader.place()
    reader.left += Counter(each for each in about if each not in ("PRODID", "VERSION", "NAME", "DESCRIPTION"))
    if reader.left:
        made.left_out.append(LeftOut(reader.left.total(), "value", "cards have no such thing", (*sorted(reader.left),)))
    for kind, number in Counter(part.kind for part in parts if part.kind not in (*CARDS, "VCALENDAR")).items():
        why = "a day is the one that stands in the file" if kind in ZONES else "cards have no such thing"
        made.left_out.append(LeftOut(number, "component", why, (kind,)))
    if joined:
        made.note(
            f"{count(len(joined), 'line')} that can stand only behind the line before {'was' if len(joined) == 1 else 'were'} put there."
        )
    return made


ZONES = ("VTIMEZONE", "STANDARD", "DAYLIGHT")


def _read(text: str, joined: list[int]) -> Iterator[CalendarPart]:
    """Yield the components. Raises InvalidImport for a calendar that is not whole, or too large."""
    if len(text) > MAX_SIZE or text.upper().count("\nBEGIN:") > MAX_RECORDS:
        raise InvalidImport("", f"It has more than {MAX_RECORDS:,} components or {MAX_SIZE:,} characters. Split it.")
    around: list[CalendarPart] = []
    for content in Contentlines.from_ical(text):
        if not content.strip():
            continue
        try:
            name, parameters, value = content.parts()
        except ValueError:
            if not around or not around[-1].lines:
                raise InvalidImport("", f"“{quote_value(content)}” is no line of a calendar.") from None
            last = around[-1].lines[-1]
            around[-1].lines[-1] = CalendarLine(last.name, last.parameters, f"{last.value}\n{content}", last.raw)
            joined.append(1)
            continue
        name, kind = name.upper(), value.strip().upper()
        if name == "BEGIN":
            around.append(CalendarPart(kind, around[-1].kind if around else "", []))
            yield around[-1]
        elif name == "END" or not around:
            if not around or around.pop().kind != kind:
                raise InvalidImport("", f"“{quote_value(content)}” is not where a calendar has it. Export it again.")
        else:
            said = {
                key.upper(): ",".join([each] if isinstance(each, str) else each) for key, each in parameters.items()
            }
            around[-1].lines.append(CalendarLine(name, said, value, content.partition(":")[2]))
    if around:
        raise InvalidImport("", f"It ends inside a {around[-1].kind}, so it is not whole. Export it again.")


class _Calendar:
    """Turns components into cards."""

    def __init__(self, made: Draft, own: str | None) -> None:
        self._made, self._own = made, own
        self._cards: list[LooseCard] = []
        self._relations: list[tuple[LooseCard, CalendarLine]] = []
        self.left: Counter[str] = Counter()

    def take(self, part: CalendarPart, origin: str) -> None:
        """Read a thing to do or an event."""
        found = {line.name: line.value for line in reversed(part.lines)}
        card = LooseCard(found.get("UID", ""), found.get("SUMMARY", ""), origin)
        card.description = found.get("DESCRIPTION", "")
        seen: set[str] = set()
        for line in part.lines:
            self.left.update(line.parameters.keys() - _PARAMETERS)
            self._take_line(card, line, is_again=line.name in seen)
            seen.add(line.name)
        self._take_days(card, part.kind, found)
        take_percent(card, found.get("PERCENT-COMPLETE", ""))
        status = found.get("STATUS", "").upper()
        card.status = _STATUSES.get(status, card.status) if status != "CONFIRMED" else card.status
        if "COMPLETED" in found:
            card.completed_at = read_moment(
                re.sub(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)", r"\1-\2-\3T\4:\5:", found["COMPLETED"])
            )
            if card.completed_at is None:
                card.say("Completed", found["COMPLETED"])
            if card.status is not Status.ARCHIVED:
                card.status = Status.COMPLETED
        if self._own is None or not self._take_own(card, found):
            self._cards.append(card)

    def _take_line(self, card: LooseCard, line: CalendarLine, is_again: bool) -> None:
        name, value = line.name, line.value
        if name == "CATEGORIES":
            card.labels += [re.sub(r"\\(.)", r"\1", each).strip() for each in re.split(r"(?<!\\),", line.raw)]
        elif name in ("ATTENDEE", "ORGANIZER"):
            self._take_person(card, line)
        elif name == "RELATED-TO":
            self._relations.append((card, line))
        elif name in _WORDS:
            card.say(_WORDS[name], value)
        elif name == "ATTACH" and "ENCODING" not in line.parameters:
            card.say("Attached", value)
        elif is_again or name not in _READ:
            self.left[name] += 1
        elif name == "URL":
            card.take_link("Link", value)
        elif name == "STATUS" and value.upper() not in _STATUSES:
            card.say("Status", value)
        elif name == "PRIORITY" and value != "0":
            number = int(value) if re.fullmatch("[1-9]", value) else 5
            card.priority = Priority.HIGH if number < 5 else Priority.LOW if number > 5 else Priority.NORMAL
            if value not in ("1", "5", "9"):
                card.say("Priority", value)

    def _take_person(self, card: LooseCard, line: CalendarLine) -> None:
        email = re.sub("^mailto:", "", line.value, flags=re.IGNORECASE).strip()
        name = line.parameters.get("CN", "").strip()
        if line.name == "ORGANIZER" or line.parameters.get("CUTYPE", "INDIVIDUAL").upper() != "INDIVIDUAL":
            card.say(line.name.capitalize(), f"{name} ({email})" if name and email != name else email or name)
        elif login := email or name:
            if len(login) <= 100:
                self._made.person(login, name, email if "@" in email else "")
            card.people.append(login)

    def _take_days(self, card: LooseCard, kind: str, found: dict[str, str]) -> None:
        """Read the first and the last day. An end is exclusive: a day, or a midnight, is the one before."""
        start, end = found.get("DTSTART", ""), found.get("DTEND" if kind == "VEVENT" else "DUE", "")
        if not end and "DURATION" in found and (first := _moment(start)):
            try:
                end = (first + vDuration.from_ical(found["DURATION"])).isoformat()
            except (OverflowError, ValueError):
                card.say("Duration", found["DURATION"])
            end = end if "T" in start else end.partition("T")[0]
        elif "DURATION" in found:
            card.say("Duration", found["DURATION"])
        if (last := _moment(end)) and (kind == "VEVENT" or "DUE" not in found):
            is_midnight = last.time() == datetime.min.time() and end[:10] > start[:10]
            end = (last - timedelta(days=is_midnight)).date().isoformat()
        take_days(card, start, end or (start if kind == "VEVENT" else ""), ("Start", "Due"))

    def _take_own(self, card: LooseCard, found: dict[str, str]) -> bool:
        """Read what Podium writes into its calendars. Return True for a phase."""
        kind, phase = [*card.labels, "", ""][:2]
        card.labels = []
        if kind == "phase":
            title = card.title.removesuffix(f" due ({self._own})")
            self._made.phase(title, card.origin, due=card.due)
            return True
        card.is_activity, card.phase = kind == "activity", phase
        card.description = card.description.removeprefix(f"{self._own}: {phase}").strip()
        if status := _STATUSES.get(found.get("X-PODIUM-STATUS", "")):
            card.status = status
            card.title = card.title.removeprefix("✓ ") if status is Status.COMPLETED else card.title
        return False

    def place(self) -> None:
        """Put the cards into the draft, with their relations."""
        by_id: dict[str, LooseCard] = {}
        for card in self._cards:
            by_id.setdefault(card.id, card)
        for card, line in self._relations:
            kind, other = line.parameters.get("RELTYPE", "PARENT").upper(), by_id.get(line.value)
            if kind == "CHILD" and other and not other.parent:
                other.parent = card.id
            elif kind == "PARENT" and not card.parent:
                card.parent = line.value
            elif kind in ("DEPENDS-ON", "FINISHTOSTART"):
                gap = line.parameters.get("GAP", "")
                try:
                    lag: int | None = ceil(vDuration.from_ical(gap) / timedelta(days=1)) if gap else 0
                except (OverflowError, ValueError):
                    lag = None
                is_first = kind == "FINISHTOSTART" and other and card.due and other.due and card.due < other.due
                if is_first and other:  # programs differ in which of the two names the other one
                    card, other = other, card
                take_wait(card, other, line.value, "", lag, gap)
            else:
                card.say(f"Related ({kind.lower()})", other.title if other else line.value)
        place_outline(self._made, self._cards)


_READ = frozenset(
    ("UID", "SUMMARY", "DESCRIPTION", "DTSTART", "DTEND", "DUE", "DURATION", "STATUS", "PERCENT-COMPLETE", "COMPLETED")
    + ("URL", "PRIORITY", "X-PODIUM-STATUS")
)
"""Properties that are read where they come once."""


def _moment(text: str) -> datetime | None:
    """The day or time of a property, without its zone; None for another text."""
    try:
        return datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        return None
