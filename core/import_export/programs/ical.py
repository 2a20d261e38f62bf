"""Imports calendars (iCalendar): things to do and events become cards of one phase.

A day is the one that stands in the file, in its own zone, and the end of an event is the last day of it. Attendees
become people, categories labels, and relations activities and waits. What repeats comes once. Podium's own calendars
come back with their phases and people. The preview of the import names what is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from math import ceil

from icalendar.parser import Contentlines
from icalendar.prop import vDuration

from core.domain.model import Priority, Status
from core.errors import InvalidImport
from core.import_export.draft import Draft, has_time
from core.import_export.origins import own_uid
from core.import_export.programs.loose_cards import LooseCard, place_cards, read_moment
from core.import_export.programs.outline import PlanOutline, Resource, take_days, take_percent, take_wait
from core.import_export.validation import MAX_RECORDS
from core.record import Record, field
from core.text.phrases import agree, count
from core.text.sanitize import quote_value

MAX_SIZE = 20_000_000
"""The most characters of a calendar; the library looks at each of them."""

MAX_CONTENT = 500_000
"""The most lines of a calendar, without those that go on with the line before."""

_STATUSES = {
    "NEEDS-ACTION": Status.TO_DO,
    "IN-PROCESS": Status.IN_PROGRESS,
    "COMPLETED": Status.COMPLETED,
    "CANCELLED": Status.ARCHIVED,
}
_WORDS = {
    "COMMENT": "Comment",
    "LOCATION": "Place",
    "CONTACT": "Contact",
    "RESOURCES": "Resources",
    "ATTACH": "Attached",
    "RRULE": "Repeats",
    "RDATE": "Repeats also on",
    "EXDATE": "Repeats not on",
    "RECURRENCE-ID": "Instead of",
}
"""Properties that become words."""

_ONCE = frozenset(
    "UID SUMMARY DESCRIPTION DTSTART DTEND DUE DURATION STATUS PERCENT-COMPLETE COMPLETED URL PRIORITY"  # noqa: SIM905
    " X-PODIUM-STATUS".split()
)
"""Properties that are read where they come once, and their parameters that are read."""
_PARAMETERS = frozenset(("VALUE", "TZID", "CN", "CUTYPE", "RELTYPE", "GAP", "LANGUAGE", "FMTTYPE", "ENCODING"))


class CalendarLine(Record, kw_only=False):
    """A property: its name, its parameters, its value as text, and what stands in the file behind its first colon."""

    name: str
    parameters: dict[str, str]
    read: str
    raw: str
    broken: list[str] = field(default_factory=list)
    """Lines below it that are no properties, and so go on with its value."""

    @property
    def value(self) -> str:
        return "\n".join((self.read, *self.broken)) if self.broken else self.read


class CalendarPart(Record, kw_only=False):
    """A component, such as VTODO, with its properties."""

    kind: str
    lines: list[CalendarLine] = field(default_factory=list)


def draft(text: str, called: str = "") -> Draft:
    """The draft of a calendar; ``called`` is its name if it has none. Raises InvalidImport."""
    parts = [*_read(text)]
    about = {line.name: line.value for part in reversed(parts) if part.kind == "VCALENDAR" for line in part.lines}
    name = about.pop("X-WR-CALNAME", "") or about.pop("NAME", "") or called
    made = Draft(name, about.pop("X-WR-CALDESC", "") or about.pop("DESCRIPTION", ""))
    calendar = _Calendar(made)
    calendar.left.update(each for each in about if each not in ("PRODID", "VERSION"))
    for at, part in enumerate(parts, 1):
        if part.kind in ("VTODO", "VEVENT"):
            calendar.take(part, f"component {at}")
        elif part.kind != "VCALENDAR":
            calendar.components[part.kind] += 1
    calendar.place()
    if joined := sum(len(line.broken) for part in parts for line in part.lines):
        made.note(agree(joined, "{} broken line{s} {is_} put behind the line before."))
    return made


def _read(text: str) -> Iterator[CalendarPart]:
    """Yield the components. Raises InvalidImport for a calendar that is not whole, or too large."""
    if len(text) > MAX_SIZE or text.count("BEGIN:") > MAX_RECORDS:
        raise InvalidImport("", f"It has more than {MAX_RECORDS:,} components or {MAX_SIZE:,} characters. Split it.")
    if text.count("\n") - text.count("\n ") - text.count("\n\t") > MAX_CONTENT:
        raise InvalidImport("", f"It has more than {MAX_CONTENT:,} lines. Export it in parts, such as a year each.")
    around: list[CalendarPart] = []
    for content in filter(None, Contentlines.from_ical(text)):  # type: ignore[no-untyped-call]
        try:
            name, parameters, value = content.parts()
        except ValueError:
            if content.strip() and around and around[-1].lines:
                around[-1].lines[-1].broken.append(content)
            elif content.strip():
                raise InvalidImport("", f"“{quote_value(content)}” is no line of a calendar.") from None
            continue
        name, kind = name.upper(), value.strip().upper()
        if name == "BEGIN":
            around.append(CalendarPart(kind))
            yield around[-1]
        elif name == "END" or not around:
            if not around or around.pop().kind != kind:
                raise InvalidImport("", f"“{quote_value(content)}” ends nothing in the calendar. Export it again.")
        else:
            said = {key.upper(): each if isinstance(each, str) else ",".join(each) for key, each in parameters.items()}
            around[-1].lines.append(CalendarLine(name, said, value, content.partition(":")[2]))
    if around:
        raise InvalidImport("", f"It ends inside a {around[-1].kind}, so it is not whole. Export it again.")


class _Calendar:
    """Turns components into cards."""

    def __init__(self, made: Draft) -> None:
        self._made, self._outline = made, PlanOutline(made)
        self._relations: list[tuple[LooseCard, CalendarLine]] = []
        self._people: dict[str, Resource] = {}
        self._pairs: list[tuple[str, str]] = []
        self.left: Counter[str] = Counter()
        self.components: Counter[str] = Counter()

    def take(self, part: CalendarPart, origin: str) -> None:
        """Read a thing to do or an event."""
        found = {line.name: line.value for line in reversed(part.lines)}
        card = LooseCard(found.get("UID", ""), found.get("SUMMARY", ""), origin)
        card.description = found.get("DESCRIPTION", "")
        again = Counter(line.name for line in part.lines)
        self.left.update({name: again[name] - 1 for name in found.keys() & _ONCE if again[name] > 1})
        _take_dates(card, part.kind, found, {line.name: line.parameters.get("TZID", "") for line in part.lines})
        take_percent(card, found.get("PERCENT-COMPLETE", ""))
        status = _STATUSES.get(found.get("STATUS", "").upper())
        if status not in (None, Status.TO_DO):
            card.status = status
        elif status is None and found.get("STATUS", "CONFIRMED").upper() != "CONFIRMED":
            card.say("Status", found["STATUS"])
        if "COMPLETED" in found:
            card.completed_at = read_moment(found["COMPLETED"])
            card.say("Completed", "" if card.completed_at else found["COMPLETED"])
            card.status = Status.COMPLETED if card.status is not Status.ARCHIVED else card.status
        card.take_link("Link", found.get("URL", ""))
        priority = found.get("PRIORITY", "0")
        card.unsaid = ("priority",) if priority == "0" else ()
        if re.fullmatch("[1-9]", priority):
            card.priority = Priority.HIGH if priority < "5" else Priority.LOW if priority > "5" else Priority.NORMAL
        if priority not in ("0", "1", "5", "9"):
            card.say("Priority", priority)
        for line in part.lines:
            self._take_line(card, line)
        if not card.source.endswith(own_uid("")) or not self._take_own(card, found):
            self._outline.add(card)

    def _take_line(self, card: LooseCard, line: CalendarLine) -> None:
        """Read a property that can come several times."""
        self.left.update(line.parameters.keys() - _PARAMETERS)
        if line.name == "CATEGORIES":
            card.labels += [re.sub(r"\\(.)", r"\1", each).strip() for each in re.split(r"(?<!\\),", line.raw)]
        elif line.name == "RELATED-TO":
            self._relations.append((card, line))
        elif line.name in ("ATTENDEE", "ORGANIZER"):
            email = re.sub("^mailto:", "", line.value.strip(), flags=re.IGNORECASE)
            kind, name = line.parameters.get("CUTYPE", "INDIVIDUAL").upper(), line.parameters.get("CN", "")
            if line.name == "ATTENDEE" and kind == "INDIVIDUAL":
                self._people[line.value] = Resource(name or email, email if "@" in email else "")
                self._pairs.append((card.id, line.value))
            else:
                card.say(line.name.capitalize(), f"{name} {email}")
        elif line.name in _WORDS and line.parameters.get("VALUE") != "BINARY":
            card.say(_WORDS[line.name], line.value)
        elif line.name not in _ONCE:
            self.left[line.name] += 1

    def _take_own(self, card: LooseCard, found: dict[str, str]) -> bool:
        """Read what Podium writes, also in the calendar of another program. Return True for what is no card."""
        kind, phase = [*card.labels, "", ""][:2]
        if kind == "phase":
            self._made.phase(phase, card.origin, due=card.due)
            return True
        if kind == "application":
            self.components[kind] += 1
            return True
        if kind in ("task", "activity"):
            card.labels, card.is_activity, card.phase = card.labels[2:], kind == "activity", phase
        about = re.match(rf".*: {re.escape(phase)}(?:\nAssigned to (.*))?", card.description)
        if about and card.phase:
            card.people = about[1].split(", ") if about[1] else []
            card.description = card.description[about.end() :].strip()
        if status := _STATUSES.get(found.get("X-PODIUM-STATUS", "")):
            card.status = status
            card.title = card.title.removeprefix("✓ " if status is Status.COMPLETED else "")
        return False

    def place(self) -> None:
        """Put the cards into the draft, with their relations, and name what is left out."""
        made, cards = self._made, self._outline.cards
        for card, line in self._relations:
            kind, other = line.parameters.get("RELTYPE", "PARENT").upper(), self._outline.find(line.value)
            if kind == "CHILD" and other and not other.parent:
                other.parent = card.id
            elif kind == "PARENT" and not card.parent:
                card.parent = line.value
            elif kind in ("DEPENDS-ON", "FINISHTOSTART"):
                gap = line.parameters.get("GAP", "")
                lag = _duration(gap or "P0D")
                days = None if lag is None else ceil(lag / timedelta(days=1))
                if kind[0] == "F" and other and card.due and other.due and card.due < other.due:
                    take_wait(other, card, card.id, "", days, gap)  # as programs differ in which of them has the line
                else:
                    take_wait(card, other, line.value, "", days, gap)
            else:
                card.say(f"Related ({kind.lower()})", other.title if other else line.value)
        self._outline.assign(self._people, self._pairs)
        place_cards(made, cards)
        made.leave_out(self.left.total(), "value", "cards have no such thing", self.left)
        for kinds, why in (
            (self.components.keys() & ZONES, "a day is the one that stands in the file"),
            (self.components.keys() - ZONES, "only things to do and events are cards"),
        ):
            made.leave_out(sum(self.components[each] for each in kinds), "component", why, sorted(kinds))
        if repeating := sum(any(word.startswith("Repeats") for word in card.words) for card in cards):
            made.note(f"{count(repeating, 'card')} of what repeats {'comes' if repeating == 1 else 'come'} once.")


ZONES = {"VTIMEZONE", "STANDARD", "DAYLIGHT"}


def _take_dates(card: LooseCard, kind: str, found: dict[str, str], zones: dict[str, str]) -> None:
    """Read the first and the last day, and say the times of day.

    An end is exclusive: a day, or a midnight, is the one before.
    """
    start, end = found.get("DTSTART", ""), found.get("DTEND" if kind == "VEVENT" else "DUE", "")
    card.say("End", found.get("DTEND", "") if kind == "VTODO" else found.get("DUE", ""))
    first, lasts = _moment(start), _duration(found.get("DURATION", "")) if not end else None
    try:
        end = (first + lasts).isoformat() if first and lasts else end
    except OverflowError:
        lasts = None
    if not (first and lasts):
        card.say("Duration", found.get("DURATION", ""))
    last = _moment(end)
    if has_time(first) or has_time(last):
        begins, ends = (f"{at:%H:%M}" if at and "T" in text else "" for at, text in ((first, start), (last, end)))
        read = [name for name in ("DTSTART", "DTEND", "DUE") if "T" in found.get(name, "")]
        named = {zones[name] or "UTC" * found[name].endswith("Z") for name in read} - {""}
        when = "–".join(filter(None, dict.fromkeys((begins, ends)))) if begins else f"until {ends}"
        card.say("When", " ".join((when, *sorted(named))))
    if last and first and last > first and last.time() == datetime.min.time() and (kind == "VEVENT" or lasts):
        end = (last - timedelta(days=1)).isoformat()
    start, end = (str(at.date()) if (at := _moment(text)) else text for text in (start, end))
    take_days(card, start, end or (start if kind == "VEVENT" else ""))


def _moment(text: str) -> datetime | None:
    """The day or time of a property, without its zone; None for another text."""
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None


def _duration(text: str) -> timedelta | None:
    """The duration of a property; None for another text."""
    try:
        found: timedelta = vDuration.from_ical(text)  # type: ignore[no-untyped-call]
    except (OverflowError, ValueError):
        return None
    return found
