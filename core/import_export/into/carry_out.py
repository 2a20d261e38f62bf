"""Makes the plan of an import into a project, and carries it out, in the one transaction of its message.

The records are written directly, since there can be ten thousand cards; the rules for them are those of the commands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import Any, TypeVar

from core.codec.encoding import bytes_of
from core.domain.dependencies import Dependency
from core.domain.fields import CustomField, ItemField
from core.domain.labels import ItemLabel
from core.domain.model import Assignment, Comment, Id, Item, Phase, Priority, ProjectRole, Status, User
from core.domain.notifications import NotificationKind
from core.domain.origins import CardOrigin
from core.domain.statuses import STATUS_WORDS, is_done
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.import_export.build_records import original_of
from core.import_export.document import CommentEntry, ProjectDocument
from core.import_export.into.here import Here, IncomingCard
from core.import_export.into.matching import Decided, Matching, id_of_value
from core.import_export.into.plan import AbsentCard, EndingApproval, ImportIntoPlan, LineNote, NewCard, ValueChange
from core.import_export.into.settling import Settlement
from core.import_export.origins import COMMENTS, hash_comment, hash_value, keep_hashes
from core.record import replace
from core.rules.approvals import CHANGES_NAMED, Consent, approval_in_force, confirm_reopening, describe_lapse
from core.rules.dependency_cycles import check_no_cycle
from core.rules.gate_readiness import check_not_locked
from core.rules.items import check_assignable, move_applications
from core.rules.member_roles import add_member
from core.rules.notifications import notify
from core.rules.ordering import ranks_before
from core.rules.phases import check_phase_count
from core.text.dates import in_full
from core.text.folding import fold
from core.text.label_names import fold_name
from core.text.phrases import count, in_words, shorten, some

R = TypeVar("R")

SHOWN = 160
"""The most characters of a value that a plan shows."""

FIELD_WORDS = {"due": "due date", "waits": "waits for"}


class PlannedImport:
    """A plan with all that carries it out."""

    def __init__(self, view: Snapshot, project_id: Id, document: ProjectDocument, decided: Decided) -> None:
        self.here = Here(view, project_id)  # first, as it says that the project is gone
        self.seq = view.seq
        self.matching = Matching(view, self.here, document, decided)
        settled = Settlement(view, self.matching)
        self.cards = [card for card in self.matching.entries.values() if card.id in self.matching.cards]
        self._document = document
        self._phases = {phase.id: phase for phase in self.matching.phases}
        self._finish()
        self._persons = {person.login: person for person in document.people}
        here = [card for card in self.matching.cards.values() if card.item]
        self.changed = [card for card in here if card.enters or card.moves or card.taken or card.leaves]
        used = {label.id for card in self.cards if "labels" in card.taken for label in card.labels}
        self.labels = [each for each in self.matching.new_labels.values() if each.id in used]
        held = {field.id for card in self.cards for name, (field, _, _) in card.values.items() if name in card.taken}
        self.fields = [each for each in self.matching.new_fields.values() if each.id in held]
        filled = {card.phase_id for card in self.cards}
        self.phases = [each for each in self.matching.phases if not each.rank and each.id in filled]
        plan = self._plan(view, settled)
        self.plan = replace(plan, digest=_digest(plan))

    def _finish(self) -> None:
        """Drop changes of status that the rules refuse, and hash the values that the cards will have."""
        for card in self.cards:
            if card.status is not card.wanted and "status" in card.taken:
                card.taken.remove("status")
                if card.enters:  # it gets another one than the file has, so it is no change by hand
                    card.hashes["status"] = hash_value(card.status.value)
            values = card.said if card.item else card.said | self._values_now(card) | {"priority": card.priority.value}
            if card.item is None and card.said["phase"]:
                values["phase"] = card.said["phase"]
            for name in card.taken if card.item else values:
                card.hashes[name] = hash_value(values.get(name, ""))
            if card.new_comments:
                known = card.hashes.get(COMMENTS, "")
                card.hashes[COMMENTS] = " ".join(filter(None, (known, *map(hash_comment, card.new_comments))))

    def _values_now(self, card: IncomingCard) -> dict[str, str]:
        """The values that a card cannot always have as the file says."""
        phase = fold(self._phases[card.phase_id].name)
        return {"status": card.status.value, "phase": phase, "activity": card.activity_id or ""}

    # -- the plan ------------------------------------------------------------------------------------------------------

    def _plan(self, view: Snapshot, settled: Settlement) -> ImportIntoPlan:
        place = {phase_id: number for number, phase_id in enumerate(self._phases)}
        new = [card for card in self.cards if card.item is None]
        placed = sorted(new, key=lambda card: place[card.phase_id])
        names = self._names()
        updates = [self._change(card, name, names) for card in self.changed for name in self._changed_values(card)]
        touched = {card.id for card in self.changed} | {card.id for card, _ in self.matching.conflicts}
        return ImportIntoPlan(
            project=self.here.project.name,
            new_phases=tuple(each.name for each in self.phases),
            new_fields=tuple(each.name for each in self.fields),
            new_labels=tuple(each.name for each in self.labels),
            cards=tuple(
                NewCard(
                    line=card.line,
                    title=card.title,
                    phase=self._phases[card.phase_id].name,
                    kind=card.kind,
                    status=card.status,
                )
                for card in placed
            ),
            updates=tuple(updates),
            conflicts=tuple(self._change(card, name, names) for card, name in self.matching.conflicts),
            comments=sum(len(card.new_comments) for card in self.cards),
            same=sum(card.item is not None and card.id not in touched for card in self.cards),
            absent=tuple(
                AbsentCard(card_id=each.id, key=self.here.key_of(each), title=each.title)
                for each in self.matching.absent
            ),
            refused=tuple(self.matching.refused),
            notes=(*self.matching.notes, *self._note_times()),
            approvals=tuple(self._endings(view, settled)),
            relocked=tuple(settled.relocked),
            missing=tuple(self.matching.people.missing),
            invited=self.matching.people.invited,
            left_out=tuple(_left_out(self._document)),
            records=self._count_records(),
        )

    def _note_times(self) -> Iterator[LineNote]:
        """Yield a note about the times of completion of the file: a card is completed now, as by hand."""
        timed = [card for card in self.cards if card.entry and card.entry.completed_at and card.enters]
        done = [card for card in timed if is_done(card.status, card.archived_from)]
        if not done:
            return
        more = f", as {'is' if len(done) == 2 else 'are'} {count(len(done) - 1, 'more card')}" if done[1:] else ""
        why = f"It is completed now, and by you{more}: when it was in the file is left out."
        yield done[0].note(why)

    def _count_records(self) -> int:
        """About how many records the import writes."""
        parts = 0
        for card in self.cards:
            taken = card.taken
            parts += sum(name in taken for name in card.values) + len(card.new_comments) + 1
            parts += len(card.labels) * ("labels" in taken) + len(card.waits) * ("waits" in taken)
            parts += len(card.people) * ("assigned" in taken and card.is_activity) + (card.item is None)
        return parts + len(self.changed) + len(self.matching.people.invited)

    def _endings(self, view: Snapshot, settled: Settlement) -> Iterator[EndingApproval]:
        for phase_id, words in settled.ended.items():
            phase = self._phases[phase_id]
            what = some(words, CHANGES_NAMED, "more changes")
            sentence = describe_lapse(view, phase, approval_in_force(view, phase), what)
            yield EndingApproval(phase_id=phase_id, phase=phase.name, sentence=sentence)

    def _changed_values(self, card: IncomingCard) -> list[str]:
        """The names of the values that change on a card that is here."""
        assert card.item is not None
        found = [name for name in card.said if name in card.taken and name not in ("status", "phase", "activity")]
        found += ["status"] if card.enters else []
        found += ["phase"] if card.moves else []
        return found + (["activity"] if card.leaves else [])

    def _names(self) -> Mapping[str, str]:
        """The names of all that values name by ids or folded."""
        found = {user.id: user.name for user in self.here.members.values()}
        found |= {card.id: card.title for card in self.matching.cards.values()}
        found |= {fold_name(label.name): label.name for label in self.here.labels}
        return found | {fold(phase.name): phase.name for phase in self.matching.phases}

    def _change(self, card: IncomingCard, name: str, names: Mapping[str, str]) -> ValueChange:
        assert card.item is not None
        is_conflict = name not in self._changed_values(card)
        after = card.said[name] if is_conflict else (card.said | self._values_now(card))[name]
        field = next((field.name for key, (field, _, _) in card.values.items() if key == name), "")
        words = partial(_in_words, name=name, names=names)
        return ValueChange(
            line=card.line,
            id=id_of_value(card.id, name),
            key=self.here.key_of(card.item),
            title=card.item.title,
            field=field or FIELD_WORDS.get(name, name),
            before=words(self.here.values[card.id].get(name, "")),
            after=words(after),
        )

    # -- carrying out --------------------------------------------------------------------------------------------------

    def carry_out(self, work: UnitOfWork, consent: Consent) -> None:
        """Write all of it as one change, with the consent that it takes. Raises as the commands for each part do."""
        for permission in self.matching.asked:
            work.require(permission)
        for user_id in dict.fromkeys(each.user_id for each in self.matching.people.invited):
            add_member(work, work.get(User, id=user_id), ProjectRole.CONTRIBUTOR)
        for user_id in {each for card in self.cards if "assigned" in card.taken for each in card.people}:
            check_assignable(work, work.scope, user_id)
        with confirm_reopening(work, work.scope, consent) as end:
            self._add_parts(work)
            ranks = self._ranks(work)
            written = [*self._add_cards(work, ranks), *self._change_cards(work, ranks)]
            self._add_belongings(work)
            end()
            self._check(work, written)

    def _add_parts(self, work: UnitOfWork) -> None:
        """Add the phases and fields at the end, and the labels."""
        key = {"project_id": work.scope}
        for phase, rank in zip(self.phases, ranks_before(work, Phase, None, len(self.phases), **key), strict=True):
            work.insert(replace(phase, rank=rank))
        ranks = ranks_before(work, CustomField, None, len(self.fields), **key)
        for field, rank in zip(self.fields, ranks, strict=True):
            work.insert(replace(field, rank=rank))
        for label in self.labels:
            work.insert(label)
        check_phase_count(work, work.scope)

    def _ranks(self, work: UnitOfWork) -> dict[Id, str]:
        """Ranks for new cards, and those that move, at the end of their phases in the order of the file."""
        cards = {card.id: card for card in (*self.cards, *self.changed) if card.item is None or card.moves}
        of_phase: dict[Id, list[IncomingCard]] = {}
        for card in cards.values():
            of_phase.setdefault(card.phase_id, []).append(card)
        found: dict[Id, str] = {}
        for phase_id, placed in of_phase.items():
            among = {"project_id": work.scope, "phase_id": phase_id}
            ranks = ranks_before(work, Item, None, len(placed), **among)
            found |= {card.id: rank for card, rank in zip(placed, ranks, strict=True)}
        return found

    def _add_cards(self, work: UnitOfWork, ranks: Mapping[Id, str]) -> list[Item]:
        new = {card.id: card for card in self.cards if card.item is None}
        added: dict[Id, Item] = {}
        for card in new.values():
            for each in (new.get(card.activity_id or ""), card):  # an activity comes before its tasks
                if each is not None and each.id not in added:
                    added[each.id] = work.insert(self._new_item(work, each, ranks[each.id]))
        return list(added.values())

    def _new_item(self, work: UnitOfWork, card: IncomingCard, rank: str) -> Item:
        entry = card.entry
        assert entry is not None
        done_now = is_done(card.status, card.archived_from)  # whatever time the file has: four eyes go by the round
        return Item(
            project_id=work.scope,
            id=card.id,
            kind=card.kind,
            phase_id=card.phase_id,
            rank=rank,
            title=entry.title,
            status=card.status,
            activity_id=card.activity_id,
            assignee_id=card.people[0] if card.people and not card.is_activity else None,
            due=entry.due,
            description=card.description,
            link=entry.link,
            priority=entry.priority,
            archived_from=card.archived_from,
            archived_with=card.archived_with,
            completed_by=work.actor.user_id if done_now else None,
            completed_at=work.now if done_now else None,
        )

    def _change_cards(self, work: UnitOfWork, ranks: Mapping[Id, str]) -> list[Item]:
        written = []
        for card in sorted(self.changed, key=lambda card: not card.is_activity):
            assert card.item is not None
            columns = dict(self._columns(card))
            if card.moves:
                columns |= {"phase_id": card.phase_id, "rank": ranks[card.id]}
            if card.leaves:
                columns["activity_id"] = card.activity_id
            if card.enters:
                columns["status"] = card.status
                columns["archived_from"] = card.archived_from
                columns["archived_with"] = card.archived_with
            written.append(work.update(card.item, **columns) if columns else work.touch(card.item))
        move_applications(work, {card.id: card.phase_id for card in self.changed if card.moves and card.is_activity})
        return written

    def _columns(self, card: IncomingCard) -> Iterator[tuple[str, Any]]:
        """The columns of a card that get other values, of those that depend on nothing else."""
        for name in card.taken:
            text = card.said[name]
            if name in ("title", "link", "description"):
                yield name, text
            elif name == "due":
                yield "due", date.fromisoformat(text)
            elif name == "priority":
                yield "priority", Priority(text)
            elif name == "assigned" and not card.is_activity:
                yield "assignee_id", card.people[0]

    def _add_belongings(self, work: UnitOfWork) -> None:
        """Write labels, values, people, dependencies, comments and origins of cards."""
        assigned: dict[Id, Id] = {}
        here = self.here
        labels_held = _by_card(here.item_labels, "item_id", "label_id")
        people_held = _by_card(here.assignments, "target_id", "user_id")
        values_held = _by_card(here.held, "item_id", "field_id")
        waits = [each for each in here.dependencies if each.blocker_project_id == here.project.id]
        waits_held = _by_card(waits, "waiting_id", "blocker_id")
        for card in self.cards:
            if "labels" in card.taken:
                labels = [each.id for each in card.labels]
                wanted = {each: ItemLabel(project_id=work.scope, item_id=card.id, label_id=each) for each in labels}
                work.keep_exactly(wanted, labels_held[card.id])
            if "assigned" in card.taken:
                before = people_held[card.id]
                if card.is_activity:
                    people = {
                        each: Assignment(project_id=work.scope, target_id=card.id, user_id=each) for each in card.people
                    }
                    work.keep_exactly(people, before)
                for user_id in card.people:
                    if user_id not in before and not (card.item and card.item.assignee_id == user_id):
                        assigned.setdefault(user_id, card.id)
            for name, (field, value, user_id_) in card.values.items():
                if name in card.taken:
                    if value_before := values_held[card.id].get(field.id):
                        work.update(value_before, value=value, user_id=user_id_)
                    else:
                        made = ItemField(project_id=work.scope, item_id=card.id, field_id=field.id)
                        work.insert(replace(made, value=value, user_id=user_id_))
            if "waits" in card.taken:
                self._keep_waits(work, card, waits_held[card.id])
            for comment in card.new_comments:
                work.insert(self._comment(work, card, comment))
            self._keep_origin(work, card)
        for user_id, card_id in assigned.items():  # one for each person, as for a project from a template
            notify(work, NotificationKind.ASSIGNED, card_id, [user_id])

    def _keep_waits(self, work: UnitOfWork, card: IncomingCard, before: Mapping[Id, Dependency]) -> None:
        """Write what a card waits for; what it waits for already gets the lag of the file."""
        here = work.scope
        wanted = {
            each: Dependency(
                project_id=here, waiting_id=card.id, blocker_id=each, blocker_project_id=here, lag_days=lag
            )
            for each, lag in card.waits.items()
        }
        work.keep_exactly(wanted, before)
        for blocker_id in [each for each in wanted if each in before]:
            work.update(before[blocker_id], lag_days=card.waits[blocker_id])

    def _comment(self, work: UnitOfWork, card: IncomingCard, comment: CommentEntry) -> Comment:
        login, name = original_of(self._persons[comment.author], None)
        return Comment(
            project_id=work.scope,
            id=new_id(),
            item_id=card.id,
            author_id=work.actor.user_id,
            at=min(comment.at, work.now),
            text=comment.text,
            imported_by=work.actor.user_id,
            imported_at=work.now,
            original_login=login,
            original_name=name,
            through=work.actor.through,
        )

    def _keep_origin(self, work: UnitOfWork, card: IncomingCard) -> None:
        """Keep where a card came from, and its values as they were imported now."""
        held, last = self.here.origins.get(card.id), keep_hashes(card.hashes)
        if held is not None:
            work.update(held, source_id=card.source[1], last=last)
        else:
            program, source = card.source
            work.insert(
                CardOrigin(project_id=work.scope, item_id=card.id, program=program, source_id=source, last=last)
            )

    def _check(self, work: UnitOfWork, written: Iterable[Item]) -> None:
        """Check the result once more by the rules that can be asked of many cards at once. Raises RuleViolation."""
        entered = {card.id for card in self.cards if card.enters} | {each.id for each in self.changed if each.enters}
        one_of_each = {(item.phase_id, item.status): item for item in written if item.id in entered}
        for item in one_of_each.values():
            check_not_locked(work, item, item.status)
        placed = [card.id for card in (*self.cards, *self.changed) if "waits" in card.taken or card.moves]
        if placed:
            check_no_cycle(work, work.scope, placed)


def _by_card(records: Iterable[R], card: str, other: str) -> dict[Id, dict[Id, R]]:
    """The records of each card, by what they name."""
    found: dict[Id, dict[Id, R]] = defaultdict(dict)
    for each in records:
        found[getattr(each, card)][getattr(each, other)] = each
    return found


def _in_words(text: str, *, name: str, names: Mapping[str, str]) -> str:
    """A value as people read it; "none" for an empty one."""
    if not text:
        return "none"
    if name == "status":
        return STATUS_WORDS[Status(text)]
    if name == "priority":
        return in_words(text)
    if name == "due":
        return in_full(date.fromisoformat(text))
    if name == "waits":
        return ", ".join(names.get(each.partition(" ")[0], each) for each in text.split("\n"))
    if name in ("assigned", "labels", "phase", "activity") or text in names:
        return ", ".join(names.get(each, each) for each in text.split("\n"))
    return shorten(text, SHOWN)


def _digest(plan: ImportIntoPlan) -> str:
    from hashlib import sha256

    return sha256(bytes_of(plan)).hexdigest()[:16]


def _left_out(document: ProjectDocument) -> Iterator[str]:
    """Yield the parts of a project of Podium that do not come into another one, in words with their numbers."""
    phases, items = document.phases, document.items
    kinds = (
        (sum(len(phase.deliverables) for phase in phases), "deliverable"),
        (sum(len(phase.applications) for phase in phases), "application"),
        (sum(len(phase.assigned) for phase in phases), "member of a phase"),
        (len(document.decisions), "entry of the record of a gate"),
        (sum(phase.policy is not None for phase in phases), "policy of a gate"),
        (sum(len(phase.criteria) for phase in phases), "criterion"),
        (sum(bool(phase.objectives) + bool(phase.outcomes) for phase in phases), "text of a phase"),
        (len(document.presets), "shared preset"),
        (int(bool(document.description)), "description of the project"),
        (sum(wait.key is not None for item in items for wait in item.waits_for), "wait for a card of another project"),
        (sum(bool(wait.override_reason) for item in items for wait in item.waits_for), "override of a wait"),
        (sum(item.completed_by is not None for item in items), "name of a person who completed a card"),
        (sum(not phase.items for phase in phases), "phase without cards"),
    )
    for number, noun in kinds:
        if number:
            one, _, of = noun.partition(" ")
            many = {"criterion": "criteria", "entry": "entries", "policy": "policies"}.get(one, f"{one}s")
            yield f"{number} {noun if number == 1 else ' '.join(filter(None, (many, of)))}"
