"""Outlines of other programs on their way into a draft: which of their tasks are the project, and which are phases.

A task that alone holds all others, several levels deep, is the project. Of the others, tasks at the top that hold tasks
are the phases if there are several; else there is one phase. Tasks that hold tasks in a phase are activities. What a
task at the top says of itself is in the objectives of its phase, or in the description of the project.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from itertools import count as numbers

from core.domain.dependencies import MAX_LAG
from core.domain.max_lengths import MAX_PHASES, PHASE_NAME
from core.domain.model import Status
from core.import_export.draft import DESCRIPTION, PHASE, Draft, lines
from core.import_export.loose_cards import START, LooseCard, place_cards
from core.text.phrases import count, in_words, names

PERCENT = "Percent complete"
"""The field of cards that are begun."""

MILESTONE = "milestone"
"""The label of cards that are milestones."""


def iso_day(text: str) -> date | None:
    """Return the day of a date or a time in ISO 8601, in the zone of the text; None for another text.

    >>> iso_day("2026-12-03T17:00:00"), iso_day("20261203T220000Z"), iso_day("soon")
    (datetime.date(2026, 12, 3), datetime.date(2026, 12, 3), None)
    """
    try:
        return date.fromisoformat(text.strip().partition("T")[0])
    except ValueError:
        return None


def take_days(card: LooseCard, start: str, due: str, heads: tuple[str, str]) -> None:
    """Read the days of a card: a start that is not the due day becomes a field, and what is no day becomes words."""
    card.due = iso_day(due)
    for head, text in zip(heads, (start, due), strict=True):
        if text and iso_day(text) is None:
            card.say(head, text)
    if (first := iso_day(start)) and first != card.due:
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


def take_wait(card: LooseCard, other: LooseCard | None, id: str, link: str, lag: int | None, words: str) -> None:
    """Read what a card waits for. Only a finish before a start, with no lag or a later day, is a wait; others are words.

    ``words`` say the lag as it stands in the file.
    """
    if other and link == "" and lag is not None and 0 <= lag <= MAX_LAG:
        card.waits.append(other.id)
        card.lags[other.id] = lag
    else:
        kind = ", ".join(filter(None, (link, words)))
        card.say("Linked with", (other.title if other else id) + (f" ({kind})" if kind else ""))


def place_outline(made: Draft, cards: Sequence[LooseCard]) -> None:
    """Put the tasks of an outline into a draft, and note which became the project, phases and milestones."""
    children: dict[str, list[LooseCard]] = defaultdict(list)
    for card in cards:
        children[card.parent].append(card)
    tops, removed = children[""], {}
    while len(tops) == 1 and any(children[each.id] for each in children[tops[0].id]) and _fits(made, tops[0]):
        top = removed[tops[0].id] = tops[0]
        made.description = lines(made.description, top.title, _describe(top))
        made.note(f"The task “{top.title}”, which holds all others, is the project.")
        tops = children[top.id]
    holders = [each for each in tops if children[each.id] and _fits(made, each)]
    phases: dict[str, LooseCard] = {}
    for each in tops:
        each.parent = ""
        each.phase = next(reversed(phases), "")
        if len(holders) > 1 and each in holders and len(phases) < MAX_PHASES:
            removed[each.id], name = each, _free_phase(made, each.title, phases)
            phases[name] = each
            for child in children[each.id]:
                child.parent, child.phase = "", name
    for each in tops:
        each.phase = each.phase or next(iter(phases), "")
    for name, each in phases.items():
        people = tuple(made.person(login) for login in dict.fromkeys(each.people))
        about = lines(each.title if each.title != name else "", _describe(each, is_phase=True))
        made.phase(name, each.origin, due=each.due, objectives=made.clean(about), assigned=people)
    if phases:
        made.note(
            f"{count(len(phases), 'task')} at the top that hold tasks are the phases; a phase is locked until those"
            " before it are done."
        )
    kept = [card for card in cards if card.id not in removed]
    for card in kept:
        for wait in [each for each in card.waits if each in removed]:
            card.waits.remove(wait)
            card.say("Waits for", removed[wait].title)
    place_cards(made, kept, phases)
    if milestones := sum(MILESTONE in card.labels for card in kept):
        made.note(f"{count(milestones, 'milestone')} {'is' if milestones == 1 else 'are'} labelled so, with a due day.")


def _fits(made: Draft, card: LooseCard) -> bool:
    """True if all that a task says of itself fits into one text."""
    return len(made.description) + len(card.title) + len(_describe(card)) < DESCRIPTION - 2_000 and not card.comments


def _free_phase(made: Draft, title: str, taken: dict[str, LooseCard]) -> str:
    """The name of the phase for a task: its title, cut, with a number if another phase has it."""
    title = " ".join(made.clean(title).split()) or PHASE
    for number in numbers(1):
        ending = f" {number}" if number > 1 else ""
        if (name := title[: PHASE_NAME - len(ending)].strip() + ending) not in taken:
            return name
    raise AssertionError


def _describe(card: LooseCard, *, is_phase: bool = False) -> str:
    """What a task that becomes no card says of itself. A phase has its due day and people, and its status follows."""
    facts = {
        "Status": "" if is_phase or card.status in (None, Status.TO_DO) else in_words(card.status),
        "Due": "" if is_phase or not card.due else card.due.isoformat(),
        "Assigned to": "" if is_phase else names(card.people),
        "Priority": "" if card.priority.name == "NORMAL" else in_words(card.priority),
        "Link": card.link,
        "Labels": ", ".join(card.labels),
        **card.own,
    }
    said = [f"{head}: {text}" for head, text in facts.items() if text]
    return lines(
        card.description, "\n".join([*said, *(f"Waits for: {each}" for each in card.waits), *card.words]).strip()
    )
