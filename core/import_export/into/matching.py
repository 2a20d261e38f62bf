"""The cards of a file, each with its card in the project, and which of its values the import takes.

Three texts of a value are compared: the one here, the one of the file, and what was last imported. What only the file
has changed is taken; what only people here have changed stays; what both have changed is a conflict. A value that the
file does not have changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from datetime import date
from typing import TypeVar

from core.domain.fields import MAX_FIELDS, CustomField, FieldKind, key_for
from core.domain.labels import MAX_LABELS, Label
from core.domain.model import Id, Phase, Status
from core.domain.permissions import CHANGING_CARDS, Permission
from core.engine.unit_of_work import Snapshot, new_id
from core.errors import InvalidInput
from core.import_export.circles import find_circle
from core.import_export.document import FieldEntry, ItemEntry, ProjectDocument
from core.import_export.draft import DESCRIPTION, MAX_CIRCLES, PHASE
from core.import_export.into.here import Here, IncomingCard
from core.import_export.into.people import PeopleOfFile
from core.import_export.into.plan import LineNote, RefusedLine
from core.import_export.origins import (
    COMMENTS,
    cut_source,
    hash_comment,
    hash_value,
    is_by_title,
    list_text,
    name_of_field,
    number_equal,
    own_uid,
    read_hashes,
    source_by_title,
    sources_of,
    wait_text,
)
from core.record import Record, made_from
from core.rules.fields import folded_word, plain_value
from core.rules.items import due_date
from core.rules.labels import made_label, pick_label
from core.text.folding import fold
from core.text.label_names import fold_name
from core.text.phrases import a, names

T = TypeVar("T")


class Decided(Record):
    """The word of the sender on values: the ids of those that come in, those that stay as here, and all others.

    And on people: the logins, in the file, of those who are invited.
    """

    take: frozenset[str] = frozenset()
    keep: frozenset[str] = frozenset()
    theirs: bool | None = None
    """Of values that were changed here and in the file: True for those of the file; None where it is to be said."""
    invite: frozenset[str] = frozenset()


class Matching:
    """The cards of a file and of a project together, as the import would have them."""

    def __init__(self, view: Snapshot, here: Here, document: ProjectDocument, decided: Decided) -> None:
        self._view, self.here, self._document, self._decided = view, here, document, decided
        self.notes: list[LineNote] = []
        self.refused: list[RefusedLine] = []
        self.conflicts: list[tuple[IncomingCard, str]] = []
        """The cards and the names of values that were changed here and there."""
        self.asked: dict[Permission, None] = {}
        """The permissions that the changes need."""
        self._held = view.held
        self.phases: list[Phase] = list(here.workflow.phases)
        self._phases = {fold(phase.name): phase for phase in reversed(self.phases)}
        self._known_phases = frozenset(self._phases)
        self._known_fields: dict[str, CustomField | None] = {}
        self._known_labels: dict[str, Label | None] = {}
        self.new_fields: dict[str, CustomField] = {}
        self.new_labels: dict[str, Label] = {}
        self.cards = {item.id: IncomingCard(item.id, item, None, ("", "")) for item in here.items.values()}
        self.entries: dict[str, IncomingCard] = {}
        """The cards of the file, in its order, by their ids in the document."""
        self._said_phases = {item.id: phase.name for phase in document.phases for item in phase.items}
        self._fields = {field.key: field for field in document.fields}
        self.people = PeopleOfFile(here, document, decided.invite)
        if self.people.invited:
            self.asked[Permission.MEMBER_MANAGE] = None
        self._blockers: dict[Id, list[Id]] = {}
        for each in here.dependencies:
            if each.blocker_project_id == here.project.id and not each.override_reason:
                self._blockers.setdefault(each.waiting_id, []).append(each.blocker_id)
        self._comments = here.comments() if any(item.comments for item in document.items) else set()

        self._match()
        entries = [*zip(self.entries.values(), document.items, strict=True)]
        for card, entry in entries:
            self._place(card, entry)
        self._keep_together()
        placed = [(card, entry) for card, entry in entries if card.id in self.cards]
        for card, entry in placed:
            self._compare(card, entry)
        self._keep_together()
        for card, entry in placed:
            self._compare_waits(card, entry)
        if any("waits" in card.taken for card in self.entries.values()):
            self._break_circles()

    # -- which card is which -------------------------------------------------------------------------------------------

    def _match(self) -> None:
        here, sources = self.here, sources_of(self._document)
        by_source = {(each.program, each.source_id): item_id for item_id, each in here.origins.items()}
        is_same = bool(self._document.key) and self._document.key in here.keys
        by_number = {item.number: item.id for item in here.items.values()} if is_same else {}
        found: dict[str, Id] = {}
        taken: set[Id] = set()
        moved = self._match_numbers(sources)
        kept = {*moved.values()}
        named = self._name_cards({by_source.get(each) for each in sources.values()})
        for item in self._document.items:
            card_id = moved.get(item.id) or by_source.get(sources[item.id]) or by_number.get(item.number)
            card_id = card_id or named.get(sources[item.id][1])
            if card_id and card_id not in taken and (item.id in moved or card_id not in kept):
                found[item.id] = card_id
                taken.add(card_id)
        found |= self._match_titles(sources, found, taken)
        for item in self._document.items:
            self.entries[item.id] = card = self._card(item, found.get(item.id), sources[item.id])
            self.cards[card.id] = card
        programs = {program for program, _ in sources.values()}
        matched = {card.id for card in self.entries.values()}
        self.absent = [
            here.items[item_id]
            for item_id, each in here.origins.items()
            if each.program in programs and item_id not in matched and here.items[item_id].status is not Status.ARCHIVED
        ]

    def _name_cards(self, known: Container[Id | None]) -> dict[str, Id]:
        """The other cards by how an export names them: in a calendar by id, in a list by title, phase and parent."""
        here, phases = self.here, {phase.id: phase.name for phase in self.phases}
        titles = {item.id: item.title for item in here.items.values()}
        cards = [each for each in here.items.values() if each.id not in known and each.status is not Status.ARCHIVED]
        sources = (
            source_by_title(each.title, phases[each.phase_id], titles.get(each.activity_id or "", "")) for each in cards
        )
        names_of = zip(number_equal(("", cut_source(each)) for each in sources), cards, strict=True)
        return {own_uid(each.id): each.id for each in cards} | {name: each.id for (_, name), each in names_of}

    def _match_numbers(self, sources: Mapping[str, tuple[str, str]]) -> dict[str, Id]:
        """The cards of lines of a table whose number belongs to another title by now, by their titles.

        The lines of a spreadsheet are numbered again when one is inserted, and then a number says little.
        """
        titles = {item.id: hash_value(item.title) for item in self._document.items}
        ours = {
            item_id: read_hashes(each.last).get("title", "")
            for item_id, each in self.here.origins.items()
            if each.program == "table" and each.source_id.isdecimal()
        }
        return {
            name: card_id
            for name, card_id in _pair_titles(titles, ours).items()
            if sources[name][0] == "table" and sources[name][1].isdecimal()
        }

    def _match_titles(
        self, sources: Mapping[str, tuple[str, str]], found: dict[str, Id], taken: set[Id]
    ) -> dict[str, Id]:
        """The cards that are named by titles and have another phase or parent by now, where there is one of a title."""
        there = {
            item.id: (sources[item.id][0], hash_value(item.title))
            for item in self._document.items
            if item.id not in found and is_by_title(sources[item.id][1])
        }
        ours = {
            item_id: (each.program, read_hashes(each.last).get("title", ""))
            for item_id, each in self.here.origins.items()
            if item_id not in taken and is_by_title(each.source_id)
        }
        return _pair_titles(there, ours)

    def _card(self, entry: ItemEntry, card_id: Id | None, source: tuple[str, str]) -> IncomingCard:
        item = self.here.items.get(card_id or "")
        origin = self.here.origins.get(item.id) if item else None
        if origin and origin.program != source[0]:
            source = origin.program, origin.source_id
        card = IncomingCard(item.id if item else new_id(), item, entry, source)
        if origin:
            card.hashes = read_hashes(origin.last)
        return card

    # -- what the file names -------------------------------------------------------------------------------------------

    def _phase(self, name: str) -> Phase:
        """The phase of a name, which is new if there is none."""
        found = self._phases.get(fold(name))
        if found is None:
            found = self._phases[fold(name)] = Phase(project_id=self.here.project.id, id=new_id(), rank="", name=name)
            self.phases.append(found)
        return found

    def _usual_phase(self) -> Phase:
        """The phase of new cards for which the file has none."""
        last = self.here.workflow.phases[-1] if self.here.workflow.phases else None
        return self._phases.get(fold(PHASE)) or self.here.workflow.first_open or last or self._phase(PHASE)

    def _field(self, key: str) -> CustomField | None:
        """The field of the project for one of the file, which is new if there is none; None if it cannot be made."""
        if key not in self._known_fields:
            self._known_fields[key] = self._find_field(self._fields[key])
        return self._known_fields[key]

    def _find_field(self, said: FieldEntry) -> CustomField | None:
        known = (*self.here.fields, *self.new_fields.values())
        found = next((each for each in known if folded_word(each.name) == folded_word(said.name)), None)
        if found is not None or len(known) >= MAX_FIELDS:
            return found
        if Permission.WORKFLOW_MANAGE not in self._held:
            self._refuse("", said.name, "a new field, whose values become words", Permission.WORKFLOW_MANAGE)
            return None
        taken = {each.key for each in known}
        own = said.key if said.key not in taken else key_for(said.name, taken)
        made = made_from(CustomField, said, project_id=self.here.project.id, id=new_id(), rank="", key=own)
        self.new_fields[made.key] = made
        return made

    def _label(self, name: str) -> Label | None:
        """The label of a name, which is new if there is none; None if the project has as many as it can have."""
        if name not in self._known_labels:
            self._known_labels[name] = self._find_label(name)
        return self._known_labels[name]

    def _find_label(self, name: str) -> Label | None:
        labels = self.here.labels
        if found := pick_label(labels, name):
            return found
        own = [each for each in labels if each.project_id == self.here.project.id]
        if len(own) >= MAX_LABELS:
            return None
        said = next((each for each in self._document.labels if fold_name(each.name) == fold_name(name)), None)
        made = made_label(own, self.here.project.id, name, said.colour if said else None)
        self.here.labels.append(made)
        self.new_labels[made.id] = made
        return made

    # -- what the file says of a card ----------------------------------------------------------------------------------

    def _place(self, card: IncomingCard, entry: ItemEntry) -> None:
        """Read what the file says of a card, and place a new one."""
        unsaid = entry.origin.unsaid if entry.origin else ()
        words = [*self._read_people(card, entry), *self._read_labels(card, entry), *self._read_values(card, entry)]
        text = "\n\n".join(filter(None, (entry.description, "\n".join(words))))
        card.description = text if len(text) <= DESCRIPTION else entry.description
        if card.description != text:
            self._note(card, f"The description has no room for these words: {', '.join(words)}.")
        if entry.kind is not card.kind:
            self._note(
                card, f"It is {a(card.kind.lower())} here and {a(entry.kind.lower())} in the file, and stays as here."
            )
        parent = self.entries.get(entry.activity or "")
        if parent is not None and (card.is_activity or not parent.is_activity):
            why = "An activity is in no other" if card.is_activity else f"“{parent.title}” is a task here"
            self._note(card, f"{why}, so this card is beside {f'“{parent.title}”' if card.is_activity else 'it'}.")
            parent = None
        card.said = {
            "title": entry.title,
            "description": card.description,
            "status": entry.status.value if "status" not in unsaid else "",
            "due": entry.due.isoformat() if entry.due else "",
            "priority": entry.priority.value if "priority" not in unsaid else "",
            "assigned": list_text(card.people),
            "labels": list_text(fold_name(label.name) for label in card.labels),
            "link": entry.link,
            "phase": fold(self._said_phases[entry.id]) if "phase" not in unsaid else "",
            "activity": parent.id if parent else "",
            **{name: user or value for name, (_, value, user) in card.values.items()},
        }
        if card.item is None:
            card.activity_id = parent.id if parent else None
            card.wanted = entry.status
            self._add(card, entry, "phase" not in unsaid)

    def _add(self, card: IncomingCard, entry: ItemEntry, is_said: bool) -> None:
        """Place a new card, unless the sender lacks a permission for it."""
        name = self._said_phases[entry.id]
        is_new = is_said and fold(name) not in self._known_phases
        asked = [CHANGING_CARDS[card.kind]]
        asked += [Permission.TASK_MOVE] if card.wanted in (Status.IN_PROGRESS, Status.COMPLETED) else []
        asked += [Permission.TASK_MANAGE] if card.values else []
        asked += [Permission.WORKFLOW_MANAGE] if is_new else []
        if lacking := [each for each in asked if each not in self._held]:
            what = f"a new card in a new phase “{name}”" if is_new else "a new card"
            self._refuse(entry.id, entry.title, what, lacking[0])
            self.cards.pop(card.id)
            return
        self.asked |= dict.fromkeys(asked)
        card.phase_id = (self._phase(name) if is_said else self._usual_phase()).id
        card.taken = {name for name, text in card.said.items() if text}

    def _read_people(self, card: IncomingCard, entry: ItemEntry) -> list[str]:
        """Set the people of a card. Return words for the others."""
        found = [self.people.members[login].id for login in entry.assigned if login in self.people.members]
        missing = [self.people.name_of(login) for login in entry.assigned if login not in self.people.members]
        most = len(found) if card.is_activity else 1
        card.people = tuple(dict.fromkeys(found[:most]))
        also = [self.here.members[each].name for each in found[most:]]
        words = [f"Also assigned: {names(also)}"] if also else []
        return [*words, f"Assigned to: {names(missing)}"] if missing else words

    def _read_labels(self, card: IncomingCard, entry: ItemEntry) -> list[str]:
        found = [(name, self._label(name)) for name in entry.labels]
        card.labels = tuple(label for _, label in found if label)
        left = [name for name, label in found if label is None]
        return [f"Labels: {', '.join(left)}"] if left else []

    def _read_values(self, card: IncomingCard, entry: ItemEntry) -> list[str]:
        words = []
        for each in entry.fields:
            said = self._fields[each.field]
            text = self.people.name_of(each.value) if said.kind is FieldKind.PERSON else each.value
            field = self._field(each.field)
            fitting = self._fit(field, said, each.value, text) if field else None
            if field and fitting:
                card.values[name_of_field(field.key)] = (field, *fitting)
            else:
                words.append(f"{said.name}: {text}")
        return words

    def _fit(self, field: CustomField, said: FieldEntry, value: str, text: str) -> tuple[str, Id | None] | None:
        """A value of the file as one of a field here; None if the field cannot have it."""
        try:
            if field.kind is FieldKind.PERSON:
                by_login = (each for each in self.here.members.values() if each.login == value and each.active)
                user = self.people.members.get(value) if said.kind is FieldKind.PERSON else next(by_login, None)
                return ("", user.id) if user else None
            if field.kind is FieldKind.DATE:
                return (value, None) if due_date(date.fromisoformat(value)) else None
            return plain_value(field.kind, field.choices, text), None
        except (InvalidInput, ValueError):
            return None

    # -- what is taken -------------------------------------------------------------------------------------------------

    def _compare(self, card: IncomingCard, entry: ItemEntry) -> None:
        """Decide on each value that the file has for a card, and on its comments."""
        if card.item is not None:
            for name, text in card.said.items():
                if text and self._takes(card, name, text):
                    card.taken.add(name)
                    if name == "phase":
                        card.phase_id = self._phase(self._said_phases[entry.id]).id
                    elif name == "activity":
                        card.activity_id = text
                    elif name == "status":
                        card.wanted = entry.status
        known = card.hashes.get(COMMENTS, "").split()
        for comment in entry.comments:
            place = card.id, comment.at.isoformat(timespec="seconds"), comment.text
            if hash_comment(comment) not in known and place not in self._comments:
                card.new_comments.append(comment)
        if card.new_comments and not self._may(card, "comments", Permission.COMMENT_ADD):
            card.new_comments = []
        if any(comment.at > self._view.now for comment in card.new_comments):
            self._note(card, "A comment has a time in the future, which becomes that of the import.")

    def _takes(self, card: IncomingCard, name: str, text: str) -> bool:
        """Return whether a value of the file is taken for a card that is here."""
        assert card.item is not None
        ours, last = self.here.values[card.id].get(name, ""), card.hashes.get(name, "")
        if text == ours or (last and last == hash_value(text)):
            card.hashes[name] = hash_value(text)
            return False
        value, takes = id_of_value(card.id, name), True
        if value in self._decided.take or value in self._decided.keep:
            takes = value in self._decided.take
        elif card.id not in self.here.origins or last != hash_value(ours):
            if self._decided.theirs is None:
                self.conflicts.append((card, name))
                return False
            takes = self._decided.theirs
        if not takes:  # as if it had been imported, and then changed here
            card.hashes[name] = hash_value(text)
            return False
        asked = Permission.TASK_MANAGE
        if name in ("title", "description", "due", "assigned", "link", "phase", "activity"):
            asked = CHANGING_CARDS[card.kind]
        elif name == "status":
            archives = Status.ARCHIVED in (card.item.status, Status(text))
            asked = CHANGING_CARDS[card.kind] if archives else Permission.TASK_MOVE
        is_new = name == "phase" and text not in self._known_phases
        if is_new and not self._may(card, "a new phase", Permission.WORKFLOW_MANAGE):
            return False
        return self._may(card, name.removeprefix("field "), asked)

    def _compare_waits(self, card: IncomingCard, entry: ItemEntry) -> None:
        """Decide on what a card waits for: other cards, but none of a later phase."""
        place = {phase.id: number for number, phase in enumerate(self.phases)}
        wanted: dict[Id, int] = {}
        for wait in entry.waits_for:
            other = self.entries.get(wait.card or "")
            if other is None or other.id not in self.cards or other is card:
                continue
            if place[other.phase_id] > place[card.phase_id]:
                self._note(card, f"It cannot wait for “{other.title}”, which is in a later phase here.")
            else:
                wanted[other.id] = wait.lag_days
        card.said["waits"] = text = list_text(wait_text(*each) for each in wanted.items())
        what = "what it waits for"
        if text and (self._takes(card, "waits", text) if card.item else self._may(card, what, Permission.TASK_MANAGE)):
            card.taken.add("waits")
            card.waits = wanted

    def _break_circles(self) -> None:
        """Leave out what cards wait for in the file where they would wait for each other, with the cards of here."""
        for _ in range(MAX_CIRCLES):
            waits = {card.id: tuple(self.blockers(card)) for card in self.cards.values()}
            circle = find_circle(waits, {card.id: card.activity_id for card in self.cards.values()})
            near = [*circle, *(self.cards[each].activity_id or "" for each in circle)]
            found = (self.cards[each] for each in near if each in self.cards)
            card = next((each for each in found if "waits" in each.taken), None)
            if card is None:
                return
            others = names([f"“{self.cards[each].title}”" for each in card.waits])
            self._note(card, f"It does not wait for {others} as in the file, because they would wait for each other.")
            card.taken.remove("waits")
            card.waits = {}

    def _keep_together(self) -> None:
        """Keep tasks in the phases of their activities, and out of activities that are left out or elsewhere."""
        for card in self.cards.values():
            activity = self.cards.get(card.activity_id or "")
            if card.activity_id and activity is None:
                self._note(card, "Its activity is left out, so this card is beside it.")
                card.activity_id = None
            elif activity and activity.phase_id and activity.phase_id != card.phase_id:
                if "phase" in card.taken and card.item and not activity.moves:
                    card.activity_id = None
                else:
                    card.phase_id = activity.phase_id

    def blockers(self, card: IncomingCard) -> Iterable[Id]:
        """The cards of the project that a card waits for, but those that an owner has overridden."""
        return card.waits if "waits" in card.taken else self._blockers.get(card.id, ())

    # -- notes ---------------------------------------------------------------------------------------------------------

    def _note(self, card: IncomingCard, why: str) -> None:
        self.notes.append(card.note(why))

    def _may(self, card: IncomingCard, what: str, permission: Permission) -> bool:
        """Return whether the sender may make a change, which is a refused line otherwise."""
        if permission in self._held:
            self.asked[permission] = None
            return True
        self._refuse(card.line, card.title, what, permission)
        return False

    def _refuse(self, line: str, title: str, what: str, permission: Permission) -> None:
        self.refused.append(RefusedLine(line=line, title=title, what=what, permission=permission))


def id_of_value(card_id: Id, name: str) -> str:
    """Return the id of a value of a card, as the plan shows it."""
    return f"{card_id} {name}"


def _pair_titles(there: Mapping[str, T], ours: Mapping[Id, T]) -> dict[str, Id]:
    """Return the card for each line whose title is that of one line and of one card."""
    times_there, times_here = Counter(there.values()), Counter(ours.values())
    by_title = {title: item_id for item_id, title in ours.items() if times_here[title] == 1}
    return {name: by_title[title] for name, title in there.items() if times_there[title] == 1 and title in by_title}
