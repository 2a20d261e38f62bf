"""Outlines of other programs on their way into a draft: which of their tasks are the project, and which are phases.

A task that alone holds all others, several levels deep, is the project. Of the others, tasks at the top that hold tasks
are the phases if there are several; else there is one phase. Tasks that hold tasks in a phase are activities. What a
task at the top says of itself is in the objectives of its phase, or in the description of the project.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from itertools import count as numbers

from core.domain.dependencies import MAX_LAG
from core.domain.max_lengths import MAX_PHASES, PHASE_NAME
from core.domain.model import Priority, Status
from core.import_export.draft import LONGEST_NAME, PHASE, Draft, has_time, is_name, lines
from core.import_export.programs.loose_cards import START, LooseCard, place_cards, read_moment
from core.record import Record
from core.text.phrases import agree, in_words, names

PERCENT = "Percent complete"
"""The field of cards that are begun."""

MILESTONE = "milestone"
"""The label of cards that are milestones."""

ROOM = 15_000
"""The most characters that tasks can say of themselves to become the project or a phase."""


class Resource(Record, kw_only=False):
    """A person, or something else, that works on tasks."""

    name: str
    email: str = ""
    is_person: bool = True


class PlanOutline:
    """The tasks of a file, each with the one that holds it."""

    def __init__(self, made: Draft) -> None:
        self.made = made
        self.cards: list[LooseCard] = []
        self._by_id: dict[str, LooseCard] = {}

    def add(self, card: LooseCard, parent: LooseCard | None = None) -> LooseCard:
        """Add a task. Of two with one id the first is found by it."""
        if self._by_id.setdefault(card.id, card) is not card:
            card.id, card.source = f"{card.id} again, {card.origin}", ""
        card.parent = parent.id if parent else ""
        self.cards.append(card)
        return card

    def find(self, id: str) -> LooseCard | None:
        """Return the task with this id of the file."""
        return self._by_id.get(id)

    def assign(self, resources: Mapping[str, Resource], pairs: Iterable[tuple[str, str]]) -> None:
        """Assign resources to tasks, both by their ids. Those that no task has are left out."""
        used, lost = set(), 0
        for task, of_task in pairs:
            card, resource = self.find(task), resources.get(of_task)
            if card is None or resource is None:
                lost += 1
                continue
            used.add(of_task)
            name, email = (" ".join(self.made.clean(each).split()) for each in (resource.name, resource.email))
            if resource.is_person and is_name(email or name) and len(name) <= LONGEST_NAME:
                card.people.append(self.made.person(email or name, name, email))
            else:
                card.say("Resource", f"{name} {email}")
        self.made.leave_out(len(resources.keys() - used), "resource", "no task has it")
        self.made.leave_out(lost, "assignment", "its task or its resource is not in the file")

    def place(self, *, by_top: bool = False) -> None:
        """Put the tasks into the draft, and note which became the project, phases and milestones.

        With ``by_top`` each task at the top is a phase, as in Podium's own files.
        """
        made, titles = self.made, {card.id: card.title for card in self.cards}
        children: dict[str, list[LooseCard]] = defaultdict(list)
        for card in self.cards:
            children[card.parent].append(card)
        tops = children[""]
        removed: dict[str, LooseCard] = {}
        while (
            not by_top
            and len(tops) == 1
            and any(children[each.id] for each in children[tops[0].id])
            and _is_short(tops[0], titles)
        ):
            top = removed[tops[0].id] = tops[0]
            made.description = lines(made.description, made.clean(lines(top.title, describe(top, titles))))
            made.note(f"The task “{made.clean(top.title)}”, which holds all others, is the project.")
            tops = children[top.id]
        holders = [each for each in tops if children[each.id] and _is_short(each, titles)]
        phases: dict[str, LooseCard] = {}
        for each in tops:
            each.parent, each.phase = "", next(reversed(phases), "")
            if by_top or (len(holders) > 1 and each in holders and len(phases) < MAX_PHASES):
                removed[each.id], name = each, _name_phase(made, each.title, phases)
                phases[name] = each
                for child in children[each.id]:
                    child.parent, child.phase = "", name
        for each in tops:
            each.phase = each.phase or next(iter(phases), "")
        for name, each in phases.items():
            about = made.clean(lines(each.title if each.title != name else "", describe(each, titles, of_phase=True)))
            people = tuple(dict.fromkeys(each.people))
            made.phase(name, each.origin, due=each.due, objectives=about, assigned=people)
        if phases and not by_top:
            said = "tasks at the top that hold tasks are the phases; a phase is locked until those before it are done."
            made.note(f"{len(phases)} {said}")
        kept = [card for card in self.cards if card.id not in removed]
        for card in kept:
            for wait in [each for each in card.waits if each in removed]:
                del card.waits[wait]
                card.say("Waits for", removed[wait].title)
        place_cards(made, kept, phases)
        if milestones := sum(MILESTONE in card.labels for card in kept):
            made.note(agree(milestones, "{} milestone{s} {has} this label."))


def iso_day(text: str) -> date | None:
    """Return the day of a date or a time in ISO 8601, in the zone of the text; None for another text.

    >>> iso_day("2026-12-03T17:00:00"), iso_day("20261203T220000Z"), iso_day("soon")
    (datetime.date(2026, 12, 3), datetime.date(2026, 12, 3), None)
    """
    try:
        return date.fromisoformat(text.strip().partition("T")[0])
    except ValueError:
        return None


def take_days(card: LooseCard, start: str, due: str, usual: Collection[str] = ()) -> None:
    """Read the days of a card: a start that is not the due day becomes a field, and what is no day becomes words.

    Times of day are counted, but for those of whole days and ``usual`` ones, such as “08:00:00”.
    """
    card.due, first = iso_day(due), iso_day(start)
    for head, text, day in (("Start", start, first), ("Due", due, card.due)):
        if day is None:
            card.say(head, text)
        card.times += has_time(read_moment(text)) and text.partition("T")[2] not in usual
    if first and first != card.due:
        card.own[START] = first.isoformat()


def take_percent(card: LooseCard, text: str) -> None:
    """Read how much of a card is done: 100 is completed, and any other percentage a field of what is in progress."""
    try:
        percent = float(text or 0)
    except ValueError:
        percent = -1
    if percent == 100:
        card.status = Status.COMPLETED
    elif 0 < percent < 100:
        card.status = Status.IN_PROGRESS
        card.own[PERCENT] = f"{percent:g}"
    elif percent:
        card.say(PERCENT, text)


def take_wait(card: LooseCard, other: LooseCard | None, id: str, kind: str, lag: int | None, said: str = "") -> None:
    """Read a link to what goes before a card. Only an end before a start, with a lag of 0 days or more, is a wait.

    ``kind`` names another kind of link, and ``said`` the lag, where it is not 0.
    """
    if other and not kind and lag is not None and 0 <= lag <= MAX_LAG:
        card.waits[other.id] = lag
    else:
        about = ", ".join(filter(None, (kind or "finish to start", said)))
        card.say("Linked with", f"{other.title if other else id} ({about})")


def _is_short(card: LooseCard, titles: Mapping[str, str]) -> bool:
    return len(card.title) + len(describe(card, titles)) < ROOM


def _name_phase(made: Draft, title: str, taken: Mapping[str, LooseCard]) -> str:
    """The name of the phase for a task: its title, cut, with a number if another phase has it."""
    title = " ".join(made.clean(title).split()) or PHASE
    names_of = (f"{title[: PHASE_NAME - 4].strip()} {number}" for number in numbers(2))
    return (
        title
        if len(title) <= PHASE_NAME and title not in taken
        else next(each for each in names_of if each not in taken)
    )


def describe(card: LooseCard, titles: Mapping[str, str], *, of_phase: bool = False) -> str:
    """Return what a task that becomes no card says of itself; ``titles`` are those of the tasks by their ids."""
    facts = {} if of_phase else {"Due": str(card.due or ""), "Assigned to": names(card.people)}
    facts["Status"] = "" if card.status in (None, Status.TO_DO) else in_words(card.status)
    facts["Priority"] = "" if card.priority is Priority.NORMAL else in_words(card.priority)
    facts |= {"Link": card.link, "Labels": ", ".join(card.labels), **card.own}
    said = [f"{head}: {text}" for head, text in facts.items() if text]
    waits = [f"Waits for: {titles[each]}" for each in card.waits]
    return lines(card.description, "\n".join([*said, *waits, *card.words]).strip())
