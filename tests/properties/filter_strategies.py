"""Random filters as trees, printed in the language in one of the ways there are, and read naively off a card."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from hypothesis import strategies as st

from core.domain.canvas import CanvasMember, Card, PhaseColumn
from core.domain.labels import Label, LabelColour
from core.domain.model import Gate, GateState, ItemKind, PhaseState, Priority, ProjectRole, Status
from core.domain.statuses import ItemCounts
from core.filters.context import FilterContext
from core.filters.fields import FIELDS

ME = "u1"
PEOPLE = (("u1", "Ann Kovács", "ann"), ("u2", "Bob Lind", "bob"), ("u3", "Annika Berg", "annika.berg"))
PHASES = (("p1", "Discover"), ("p2", "Build it"), ("p3", "Launch, at last"), ("p4", "4711"))
LABELS = (("l1", "print"), ("l2", "Needs review"), ("l3", "Reprint"))
WORDS = ("brief", "Größe", "two words", "a:b", "-dash", "x,y", "ann", "ß", "着陸")
DAYS = st.dates(date(2026, 12, 14), date(2027, 1, 17))
OPEN = (Status.TO_DO, Status.IN_PROGRESS)
STATUS_WORDS = {
    "todo": (Status.TO_DO,),
    "To_Do": (Status.TO_DO,),
    "doing": (Status.IN_PROGRESS,),
    "in-progress": (Status.IN_PROGRESS,),
    "done": (Status.COMPLETED,),
    "completed": (Status.COMPLETED,),
    "archived": (Status.ARCHIVED,),
    "open": OPEN,
}


class One(NamedTuple):
    """One condition: a field, or "" for a word; its values are alternatives."""

    negated: bool
    field: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        before = f"{self.field}:" if self.field else ""
        return ("-" if self.negated else "") + before + ",".join(map(printed, self.values))


def printed(value: str) -> str:
    """With quotes where they are needed."""
    return value if value.isalnum() or (value[0] in "<>=+2" and " " not in value) else f'"{value}"'


def around(today: date) -> FilterContext:
    members = tuple(
        CanvasMember(user_id=user_id, name=name, login=login, role=ProjectRole.OWNER, active=True)
        for user_id, name, login in PEOPLE
    )
    columns = tuple(
        PhaseColumn(
            id=phase_id,
            number=number,
            name=name,
            state=PhaseState.OPEN,
            gate=Gate.AUTOMATIC,
            gate_state=GateState.NONE,
            overridden=False,
            due=None,
            tally=ItemCounts(),
            member_ids=(),
            objectives="",
            outcomes="",
            deliverables_done=0,
            deliverables=0,
            version=1,
        )
        for number, (phase_id, name) in enumerate(PHASES, 1)
    )
    labels = tuple(
        Label(id=label_id, project_id="p", name=name, colour=LabelColour.RED, sign="P") for label_id, name in LABELS
    )
    return FilterContext(ME, today, columns, members, labels)


@st.composite
def cards(draw: st.DrawFn) -> Card:
    kind = draw(st.sampled_from(ItemKind))
    return Card(
        id="c",
        kind=kind,
        phase_id=draw(st.sampled_from([phase_id for phase_id, _ in PHASES])),
        rank="a",
        title=" ".join(draw(st.lists(st.sampled_from(WORDS), max_size=3))),
        status=None if kind is ItemKind.APPLICATION else draw(st.sampled_from(Status)),
        due=draw(st.none() | DAYS),
        activity_id=None,
        assignee_ids=tuple(draw(st.sets(st.sampled_from([each[0] for each in PEOPLE]), max_size=2))),
        has_link=draw(st.booleans()),
        holds=draw(st.sampled_from(("", "Brief studio"))),
        comments=draw(st.integers(0, 2)),
        tasks_done=0,
        tasks=draw(st.integers(0, 2)),
        version=1,
        waits_for=draw(st.integers(0, 1)),
        blocks=draw(st.integers(0, 1)),
        priority=Priority.NORMAL if kind is ItemKind.APPLICATION else draw(st.sampled_from(Priority)),
        labels=()
        if kind is ItemKind.APPLICATION
        else tuple(draw(st.sets(st.sampled_from([each[0] for each in LABELS]), max_size=2))),
    )


def due_values() -> st.SearchStrategy[str]:
    words = st.sampled_from(("late", "soon", "week", "none", "any", "today", "tomorrow"))
    signed = st.tuples(st.sampled_from(("", "<", "<=", ">", ">=", "=")), DAYS).map(lambda each: f"{each[0]}{each[1]}")
    ranges = st.tuples(DAYS, DAYS).map(lambda each: f"{min(each)}..{max(each)}")
    return words | signed | ranges


VALUES: dict[str, st.SearchStrategy[str]] = {
    "assignee": st.sampled_from(("me", "none", "any", "ann", "ANN", "bob lind", "berg", "n")),
    "due": due_values(),
    "status": st.sampled_from(sorted(STATUS_WORDS)),
    "phase": st.sampled_from(("1", "2", "4", "4711", "l", "build", "LAUNCH, at")),
    "label": st.sampled_from(("none", "any", "PRINT", "print", "needs-review", "re", "review")),
    "priority": st.sampled_from(("low", "HIGH", "=normal", ">=high", "<normal", ">low", "<=urgent")),
    "type": st.sampled_from(("task", "Activity", "application")),
    "has": st.sampled_from(("comments", "link", "tasks", "due", "assignee", "labels")),
    "is": st.sampled_from(("ready", "BLOCKED")),
    "blocks": st.sampled_from(("any", "none")),
}
assert VALUES.keys() == FIELDS.keys(), "a field of the filter language has values and a plain reading here"


@st.composite
def conditions(draw: st.DrawFn) -> One:
    field = draw(st.sampled_from(("", *VALUES)))
    if not field:
        return One(draw(st.booleans()), "", (draw(st.sampled_from(WORDS)),))
    return One(draw(st.booleans()), field, tuple(draw(st.lists(VALUES[field], min_size=1, max_size=3))))


def picks(one: One, card: Card, today: date) -> bool:
    """True if a condition matches a card, by the description of the filter language."""
    return one.negated != any(_picks(one.field, value, card, today) for value in one.values)


def _picks(field: str, value: str, card: Card, today: date) -> bool:
    low = value.casefold()
    names = {user_id: (name.casefold(), login) for user_id, name, login in PEOPLE}
    match field:
        case "":
            held = [card.title, card.holds, *(names[each][0] for each in card.assignee_ids)]
            return any(low in text.casefold() for text in held)
        case "assignee":
            if low in ("none", "any"):
                return bool(card.assignee_ids) == (low == "any")
            exact = [each for each in names if low in names[each]]
            part = [each for each in names if low in names[each][0]]
            return any(each in card.assignee_ids for each in ([ME] if low == "me" else exact or part))
        case "due":
            return _is_due(low, card, today)
        case "status":
            return card.status in STATUS_WORDS[value]
        case "phase":
            number = [phase_id for at, (phase_id, _) in enumerate(PHASES, 1) if str(at) == low]
            return card.phase_id in (number or [phase_id for phase_id, name in PHASES if low in name.casefold()])
        case "label":
            return _is_labelled(low, card)
        case "priority":
            return card.kind is not ItemKind.APPLICATION and _has_priority(low, card)
        case "type":
            return card.kind.lower() == low
        case "is":  # no phase of these cards is locked
            return card.waits_for > 0 if low == "blocked" else card.status is Status.TO_DO and not card.waits_for
        case "blocks":
            return (card.blocks > 0) == (low == "any")
    having: dict[str, object] = {"comments": card.comments, "link": card.has_link, "tasks": card.tasks}
    return bool((having | {"due": card.due, "assignee": card.assignee_ids, "labels": card.labels})[low])


def _is_labelled(value: str, card: Card) -> bool:
    if value in ("none", "any"):
        return card.kind is not ItemKind.APPLICATION and bool(card.labels) == (value == "any")
    word = value.replace("-", " ")
    exact = [label_id for label_id, name in LABELS if name.casefold() == word]
    part = [label_id for label_id, name in LABELS if word in name.casefold()]
    return any(each in card.labels for each in exact or part)


def _has_priority(value: str, card: Card) -> bool:
    steps = ["low", "normal", "high", "urgent"]
    word = value.lstrip("<>=")
    step, wanted = steps.index(card.priority.lower()), steps.index(word)
    compared = {"<": step < wanted, "<=": step <= wanted, ">": step > wanted, ">=": step >= wanted}
    return compared.get(value[: -len(word)], step == wanted)


def _is_due(value: str, card: Card, today: date) -> bool:
    if card.due is None or value in ("none", "any"):
        return (card.due is None) == (value == "none") if value in ("none", "any") else False
    is_open = card.status is None or card.status in OPEN
    days = (card.due - today).days
    words = {
        "late": is_open and days < 0,
        "soon": is_open and 0 <= days <= 3,
        "week": card.due.isocalendar()[:2] == today.isocalendar()[:2],
        "today": days == 0,
        "tomorrow": card.due == today + timedelta(days=1),
    }
    if value in words:
        return words[value]
    if ".." in value:
        first, last = map(date.fromisoformat, value.split(".."))
        return first <= card.due <= last
    sign, day = value[:-10], date.fromisoformat(value[-10:])
    return {
        "<": card.due < day,
        "<=": card.due <= day,
        ">": card.due > day,
        ">=": card.due >= day,
    }.get(sign, card.due == day)
