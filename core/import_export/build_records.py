"""Turns a document into records, ordered so that each record comes after those that it refers to.

Comments and decisions keep the words and times of the file, and are marked as imported, with the importer and the time.
Their authors are stored as text, never as accounts, even if the workspace has a user of that name, because anyone can
write a file. An imported approval or override keeps the state of its phase: the importer owns the project and could
decide so. Its seal is kept as it is in the file, and never compared with the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import count
from typing import Any

from core.domain.dependencies import Dependency
from core.domain.fields import FieldKind
from core.domain.gate_policy import VOTES, CriterionKind, GateCondition, GateCriterion, GatePolicy
from core.domain.gates import Deliverable, EvidenceKind, GateRecord, GateSeal
from core.domain.labels import ItemLabel, Label
from core.domain.model import Assignment, Comment, Id, Item, ItemKind, Member, Phase, Project, ProjectRole, User
from core.domain.origins import CardOrigin
from core.domain.presets import Preset
from core.domain.products.products import Application, MemberMetaRole
from core.engine.unit_of_work import Actor, new_id
from core.import_export.custom_fields import built_fields, built_values
from core.import_export.document import (
    ApplicationEntry,
    CriterionEntry,
    DecisionEntry,
    ItemEntry,
    PersonEntry,
    PhaseEntry,
    PolicyEntry,
    ProjectDocument,
)
from core.import_export.draft import DESCRIPTION
from core.import_export.gates import filter_context
from core.import_export.origins import hash_all, keep_hashes, sources_of, values_of_cards
from core.import_export.resolve_names import NameMatches
from core.record import made_from
from core.rules.gate_filters import store_within
from core.rules.ordering import first_ranks
from core.text.phrases import names

STRENGTH = (ProjectRole.VIEWER, ProjectRole.CONTRIBUTOR, ProjectRole.OWNER)


class RecordBuilder:
    """Builds the records of one project for one importer, who becomes its owner."""

    def __init__(
        self, project: Project, document: ProjectDocument, found: NameMatches, importer: Actor, now: datetime
    ) -> None:
        self._project_id = project.id
        self._document = document
        self._found = found
        self._importer = importer.user_id
        self._through = importer.through
        self._now = now
        self._persons = {person.login: person for person in document.people}
        self._originals = {
            person.login: original_of(person, found.people.get(person.login)) for person in document.people
        }
        self._items: dict[str, Id] = {}
        self._numbers = _numbers(document.items)
        self._new_labels = [
            made_from(Label, label, project_id=project.id, id=name)
            for label, name in zip(document.labels, _ids(len(document.labels)), strict=True)
            if label.name not in found.labels
        ]
        self._labels = {each.name: each.id for each in (*found.labels.values(), *self._new_labels)}
        of_project = list(built_fields(project.id, document.fields, _ids(len(document.fields))))
        self._fields = {field.key: field for field in of_project}
        self._phases = list(zip(_ids(len(document.phases)), document.phases, strict=True))
        known = ((self._worker(each.login) or new_id(), each) for each in document.people)
        self._around = filter_context(self._phases, known, self._labels, of_project)

    def visible_records(self) -> list[Any]:
        """The records that make the project visible: its members with their meta roles, and its presets."""
        return [*self._members(), *self._meta_roles(), *self._presets()]

    def hidden_records(self) -> list[Any]:
        """All other records except the project itself. They refer to it and to its members."""
        phases = self._phases
        items = self._document.items
        self._items = dict(zip((item.id for item in items), _ids(len(items)), strict=True))
        ranks = first_ranks(len(phases))
        records: list[Any] = [
            *self._fields.values(),
            *(self._phase(phase_id, rank, phase) for (phase_id, phase), rank in zip(phases, ranks, strict=True)),
        ]
        records += self._new_labels
        for kind in (ItemKind.ACTIVITY, ItemKind.TASK):  # activities first, because tasks refer to them
            for phase_id, phase in phases:
                placed = zip(phase.items, first_ranks(len(phase.items)), strict=True)
                records += (self._item(phase_id, rank, item) for item, rank in placed if item.kind is kind)
        for phase_id, phase in phases:
            records += self._belongings(phase_id, phase)
        for removed in self._document.removed_phases:
            records += self._decisions(new_id(), removed.decisions)
        records += self._dependencies()
        return [*records, *self._origins(records)]

    def _origins(self, records: list[Any]) -> Iterator[CardOrigin]:
        """The origin of each card, with the values that it has now."""
        made = [each for each in records if isinstance(each, Item)]
        labels = {label_id: name for name, label_id in self._labels.items()}
        fields = {field.id: field for field in self._fields.values()}
        phases = {phase_id: phase.name for phase_id, phase in self._phases}
        values, sources = values_of_cards(made, records, phases, labels, fields), sources_of(self._document)
        for item in self._document.items:
            program, source = sources[item.id]
            hashes = hash_all(values[self._items[item.id]], item.comments)
            yield CardOrigin(
                project_id=self._project_id,
                item_id=self._items[item.id],
                program=program,
                source_id=source,
                last=(item.origin.last if item.origin else "") or keep_hashes(hashes),
            )

    def _dependencies(self) -> Iterator[Dependency]:
        for item in self._document.items:
            known: set[Id] = set()  # two keys can lead to one card
            for wait in item.waits_for:
                here = self._items.get(wait.card) if wait.card else None
                blocker = (self._project_id, here) if here else self._found.cards.get(wait.key or "")
                if blocker is None or blocker[1] in known:
                    continue
                known.add(blocker[1])
                by = self._importer if wait.override_reason else None
                yield Dependency(
                    project_id=self._project_id,
                    waiting_id=self._items[item.id],
                    blocker_id=blocker[1],
                    blocker_project_id=blocker[0],
                    lag_days=wait.lag_days,
                    override_reason=wait.override_reason,
                    overridden_by=by,
                    overridden_at=wait.overridden_at if by else None,
                    through=self._through if by else "",
                )

    def _members(self) -> Iterator[Member]:
        """Each person once, with the strongest of the roles that the file gives them."""
        members: dict[Id, Member] = {}
        for person in self._document.people:
            user = self._found.people.get(person.login)
            if user is None or person.role is None:
                continue
            role = person.role
            if user.id in members:
                role = max(role, members[user.id].role, key=STRENGTH.index)
            members[user.id] = Member(
                project_id=self._project_id,
                user_id=user.id,
                role=ProjectRole.OWNER if user.id == self._importer else role,
                invited_by=self._importer,
            )
        me = self._importer
        members.setdefault(me, Member(project_id=self._project_id, user_id=me, role=ProjectRole.OWNER, invited_by=me))
        yield from members.values()

    def _meta_roles(self) -> Iterator[MemberMetaRole]:
        given = {
            (user.id, role.id)
            for person in self._document.people
            if person.role is not None and (user := self._found.people.get(person.login))
            for name in person.meta_roles
            if (role := self._found.meta_roles.get(name))
        }
        for user_id, role_id in sorted(given):
            yield MemberMetaRole(project_id=self._project_id, user_id=user_id, meta_role_id=role_id)

    def _phase(self, phase_id: Id, rank: str, phase: PhaseEntry) -> Phase:
        return made_from(Phase, phase, project_id=self._project_id, id=phase_id, rank=rank)

    def _item(self, phase_id: Id, rank: str, item: ItemEntry) -> Item:
        activity = self._items[item.activity] if item.activity else None
        assigned = [user.id for login in item.assigned if (user := self._found.people.get(login))]
        return made_from(
            Item,
            item,
            project_id=self._project_id,
            id=self._items[item.id],
            phase_id=phase_id,
            rank=rank,
            description=self._description(item),
            number=self._numbers[item.id],
            activity_id=activity,
            assignee_id=assigned[0] if assigned and item.kind is ItemKind.TASK else None,
            archived_with=activity if item.archived_with_activity else None,
            completed_by=self._worker(item.completed_by),
        )

    def _description(self, item: ItemEntry) -> str:
        """The description, with the names of people who are not in the workspace as words at its end."""
        people = self._found.people
        missing = [self._persons[each].words for each in item.assigned if each not in people]
        words = [f"Assigned to: {names(missing)}"] if missing else []
        for each in item.fields:
            field = self._fields[each.field]
            if field.kind is FieldKind.PERSON and each.value not in people:
                words.append(f"{field.name}: {self._persons[each.value].words}")
        text = "\n\n".join(filter(None, (item.description, "\n".join(words))))
        return text if len(text) <= DESCRIPTION else item.description

    def _worker(self, login: str | None) -> Id | None:
        user = self._found.people.get(login or "")
        return user.id if user else None

    def _belongings(self, phase_id: Id, phase: PhaseEntry) -> Iterator[Any]:
        """The records that refer to a phase and its items."""
        yield from self._assignments(phase_id, phase.assigned)
        number = len(phase.deliverables)
        for made, rank, name in zip(phase.deliverables, first_ranks(number), _ids(number), strict=True):
            is_card = made.evidence_kind is EvidenceKind.CARD
            evidence = self._items.get(made.evidence, "") if is_card else made.evidence
            place = {"project_id": self._project_id, "id": name, "phase_id": phase_id, "rank": rank}
            yield made_from(Deliverable, made, evidence=evidence, delivered_by=self._worker(made.delivered_by), **place)
        if phase.policy:
            yield self._policy(phase_id, phase.policy)
        number = len(phase.criteria)
        for criterion, rank, name in zip(phase.criteria, first_ranks(number), _ids(number), strict=True):
            yield self._criterion(phase_id, rank, name, criterion)
        yield from self._decisions(phase_id, phase.decisions)
        for item in phase.items:
            yield from self._belongings_of(item)
        here = [each for each in phase.applications if each.product in self._found.products]
        for application, rank, name in zip(here, first_ranks(len(here)), _ids(len(here)), strict=True):
            yield self._application(phase_id, rank, name, application)
            yield from self._assignments(name, application.assigned)

    def _policy(self, phase_id: Id, policy: PolicyEntry) -> GatePolicy:
        """A policy. People and a meta role that are not here are left out, which makes the gate no easier."""
        role = self._found.meta_roles.get(policy.meta_role or "")
        return made_from(
            GatePolicy,
            policy,
            project_id=self._project_id,
            phase_id=phase_id,
            meta_role_id=role.id if role else None,
            people=tuple(dict.fromkeys(filter(None, map(self._worker, policy.people)))),
            secretary_id=self._worker(policy.secretary),
        )

    def _criterion(self, phase_id: Id, rank: str, name: Id, criterion: CriterionEntry) -> GateCriterion:
        """A criterion; one about a person or a field that is not here is not met."""
        own = self._fields.get(criterion.field)
        return made_from(
            GateCriterion,
            criterion,
            project_id=self._project_id,
            id=name,
            phase_id=phase_id,
            rank=rank,
            person_id=self._worker(criterion.person),
            met_by=self._worker(criterion.met_by),
            filter=store_within(self._around, criterion.filter) if criterion.filter else "",
            field_id=(own.id if own else new_id()) if criterion.kind is CriterionKind.SUM else None,
            matched=tuple(self._items[each] for each in criterion.matched),
        )

    def _belongings_of(self, item: ItemEntry) -> Iterator[Any]:
        for name in item.labels:
            yield ItemLabel(project_id=self._project_id, item_id=self._items[item.id], label_id=self._labels[name])
        if item.kind is ItemKind.ACTIVITY:
            yield from self._assignments(self._items[item.id], item.assigned)
        yield from built_values(self._items[item.id], item, self._fields, self._found.people)
        for comment, comment_id in zip(item.comments, _ids(len(item.comments)), strict=True):
            yield made_from(
                Comment,
                comment,
                project_id=self._project_id,
                id=comment_id,
                item_id=self._items[item.id],
                author_id=self._importer,
                **self._mark_imported(comment.author),
            )

    def _decisions(self, phase_id: Id, decisions: tuple[DecisionEntry, ...]) -> Iterator[Any]:
        names = _ids(len(decisions))
        for decision, name in zip(decisions, names, strict=True):
            mark = self._mark_imported(decision.by)
            if decision.recorded_by and decision.decision in VOTES:
                secretary = self._originals[decision.recorded_by][1]
                mark["through"] = ", ".join(filter(None, (f"recorded by {secretary}, not voted", self._through)))
            yield made_from(
                GateRecord,
                decision,
                project_id=self._project_id,
                id=name,
                phase_id=phase_id,
                by_id=self._importer,
                of_id=names[decision.about - 1] if decision.about else None,
                recorded_by=self._worker(decision.recorded_by),
                **mark,
            )
            if each := decision.condition:
                yield made_from(
                    GateCondition,
                    each,
                    project_id=self._project_id,
                    id=new_id(),
                    phase_id=phase_id,
                    vote_id=name,
                    person_id=self._worker(each.person) or "",
                    decision_id=names[each.decision - 1] if each.decision else None,
                    item_id=self._items[each.item] if each.item else None,
                    next_phase_id=self._phases[each.next_phase - 1][0] if each.next_phase else None,
                    met_by=self._worker(each.met_by),
                    waived_by=self._worker(each.waived_by),
                )
            if decision.seal:
                yield GateSeal(project_id=self._project_id, record_id=name, body=decision.seal)

    def _application(self, phase_id: Id, rank: str, name: Id, application: ApplicationEntry) -> Application:
        return made_from(
            Application,
            application,
            project_id=self._project_id,
            id=name,
            product_id=self._found.products[application.product].id,
            phase_id=phase_id,
            rank=rank,
            activity_id=self._items[application.activity] if application.activity else None,
        )

    def _presets(self) -> Iterator[Preset]:
        for preset in self._document.presets:
            yield made_from(Preset, preset, id=new_id(), project_id=self._project_id)

    def _assignments(self, target_id: Id, logins: tuple[str, ...]) -> Iterator[Assignment]:
        here = {user.id: None for login in logins if (user := self._found.people.get(login))}
        for user_id in here:
            yield Assignment(project_id=self._project_id, target_id=target_id, user_id=user_id)

    def _mark_imported(self, login: str) -> dict[str, Any]:
        """The fields that mark a comment or decision as imported, with its author in the file."""
        original_login, original_name = self._originals[login]
        return {
            "imported_by": self._importer,
            "imported_at": self._now,
            "original_login": original_login,
            "original_name": original_name,
            "through": self._through,
        }


def original_of(person: PersonEntry, user: User | None) -> tuple[str, str]:
    """Login and name of a person in the document; those of the workspace if the person was found as a member."""
    return (user.login, user.name) if user else (person.login, person.name or person.login)


def _numbers(items: Iterable[ItemEntry]) -> dict[str, int]:
    """The number of each item by its id in the document; those without one get the next ones in their order."""
    every = list(items)
    following = count(max((item.number for item in every), default=0) + 1)
    return {item.id: item.number or next(following) for item in every}


def _ids(number: int) -> list[Id]:
    """Ascending ids, so that lists sorted by time and id keep the order of the document for equal times."""
    return sorted(new_id() for _ in range(number))
