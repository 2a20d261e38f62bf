"""The export of a project: its records as a document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from core.domain.dependencies import Dependency
from core.domain.gates import Deliverable, EvidenceKind, GateRecord, GateSeal
from core.domain.labels import Label
from core.domain.model import (
    Assignment,
    Comment,
    HierarchyNode,
    Id,
    Item,
    ItemKind,
    Member,
    NodeKind,
    Phase,
    Project,
    User,
)
from core.domain.origins import CardOrigin
from core.domain.presets import Preset
from core.domain.products.products import Application, MemberMetaRole, MetaRole, Product
from core.engine.project_guard import visible_among
from core.engine.unit_of_work import Snapshot
from core.import_export.custom_fields import export_fields
from core.import_export.document import (
    ApplicationEntry,
    CommentEntry,
    DecisionEntry,
    DeliverableEntry,
    ItemEntry,
    LabelEntry,
    OriginEntry,
    PersonEntry,
    PhaseEntry,
    PresetEntry,
    ProjectDocument,
    RemovedPhaseEntry,
    WaitEntry,
)
from core.import_export.gates import ExportedGates
from core.import_export.origins import PODIUM
from core.record import made_from
from core.rules.labels import labels_for, labels_on_cards, names_by_card
from core.storage.database import batches, placeholders
from core.text.label_names import fold_name
from core.text.short_keys import card_key

R = TypeVar("R")


def export_document(view: Snapshot, project_id: Id) -> ProjectDocument:
    """The document of a project. Raises NotFound."""
    return _Export(view, project_id).document()


class _Export:
    """The records of a project, as entries of a document."""

    def __init__(self, view: Snapshot, project_id: Id) -> None:
        self._view, self._project_id = view, project_id
        self._project = view.get(Project, id=project_id)
        self._members = self._all(Member)
        assignments = self._all(Assignment)
        comments = self._all(Comment, "at, id")
        decisions = self._all(GateRecord, "at, id")
        dependencies = self._all(Dependency)
        items = self._all(Item, "phase_id, rank, id")
        deliverables = self._all(Deliverable, "phase_id, rank, id")
        self._gates = ExportedGates(view, project_id)
        self._users = _users(
            view,
            {
                *(member.user_id for member in self._members),
                *(member.invited_by for member in self._members),
                *(comment.author_id for comment in comments),
                *(record.by_id for record in decisions),  # for imported decisions, this is the importer
                *(each.overridden_by for each in dependencies if each.overridden_by),
                *(item.completed_by for item in items if item.completed_by),
                *(each.delivered_by for each in deliverables if each.delivered_by),
                *(record.recorded_by for record in decisions if record.recorded_by),
                *self._gates.people,
            },
        )
        self._logins = {user.id: user.login for user in self._users}
        self._said: list[Comment | GateRecord] = [*comments, *decisions]
        self._phases = self._all(Phase, "rank, id")
        self._places = {phase.id: number for number, phase in enumerate(self._phases, 1)}
        items.sort(key=lambda item: self._places[item.phase_id])
        self._names = {item.id: str(number) for number, item in enumerate(items, 1)}
        """The ids of items in the document."""
        self._assigned: dict[Id, list[str]] = defaultdict(list)
        for assignment in assignments:
            self._assigned[assignment.target_id].append(self._logins[assignment.user_id])
        labels = labels_for(view, project_id)
        rows = view.tx.tuples_all([labels_on_cards(project_id)])[0]
        used = {label_id for _, label_id in rows}
        self._listed: dict[str, Label] = {}  # a label of the project stands for one of the workspace with its name
        for each in labels:
            if each.project_id == project_id or each.id in used:
                self._listed.setdefault(fold_name(each.name), each)
        self._labels = names_by_card(labels, rows)
        self._fields, self._values = export_fields(view, project_id, self._logins)
        self._waits = _waits_for(view, dependencies, self._names, self._logins)
        self._products = {product.id: product.name for product in view.all(Product, PRODUCTS, id=project_id)}
        self._comments, self._decided = _by(comments, "item_id"), _by(decisions, "phase_id")
        self._items, self._deliverables = _by(items, "phase_id"), _by(deliverables, "phase_id")
        self._applications = _by(self._all(Application, "phase_id, rank, id"), "phase_id")
        self._seals = {each.record_id: each.body for each in self._all(GateSeal)}
        self._origins = {
            each.item_id: OriginEntry(program=each.program, id=each.source_id, last=each.last)
            for each in self._all(CardOrigin)
            if each.program != PODIUM  # an import of the export makes the same ones of the keys
        }

    def _all(self, record: type[R], order: str = "") -> list[R]:
        where = "project_id = :id" + (f" ORDER BY {order}" if order else "")
        return self._view.all(record, where, id=self._project_id)

    def document(self) -> ProjectDocument:
        view, links = self._view, self._project.links
        named = {kind: view.get(HierarchyNode, id=node).name if node else None for kind, node in links.items()}
        presets = view.all(Preset, "project_id = :id AND owner_id IS NULL ORDER BY name, id", id=self._project_id)
        removed = [phase_id for phase_id in self._decided if phase_id not in self._places]
        return made_from(
            ProjectDocument,
            self._project,
            version=1,
            client=named[NodeKind.CLIENT],
            market=named[NodeKind.MARKET],
            brand=named[NodeKind.BRAND],
            people=self._people(),
            labels=tuple(made_from(LabelEntry, each) for each in self._listed.values()),
            fields=self._fields,
            phases=tuple(map(self._phase, self._phases)),
            presets=tuple(made_from(PresetEntry, preset) for preset in presets),
            removed_phases=tuple(RemovedPhaseEntry(decisions=self._decisions(phase_id)) for phase_id in removed),
        )

    def _people(self) -> tuple[PersonEntry, ...]:
        given = defaultdict(list)
        names = {role.id: role.name for role in self._view.all(MetaRole, "1 = 1")}
        for each in self._all(MemberMetaRole):
            given[each.user_id].append(names[each.meta_role_id])
        member_of = {member.user_id: member for member in self._members}
        people = {
            each.original_login: PersonEntry(login=each.original_login, name=each.original_name)
            for each in self._said
            if each.imported_by
        }
        people |= {
            user.login: PersonEntry(
                login=user.login,
                email=user.email,
                name=user.name,
                role=member.role if member else None,
                meta_roles=tuple(sorted(given[user.id])),
                invited_by=self._logins.get(member.invited_by) if member else None,
            )
            for user in self._users
            for member in (member_of.get(user.id),)
        }
        return tuple(people[login] for login in sorted(people))

    def _phase(self, phase: Phase) -> PhaseEntry:
        return made_from(
            PhaseEntry,
            phase,
            assigned=tuple(sorted(self._assigned[phase.id])),
            deliverables=tuple(map(self._deliverable, self._deliverables[phase.id])),
            decisions=self._decisions(phase.id),
            policy=self._gates.policy(phase.id, self._logins),
            criteria=self._gates.criteria(phase.id, self._logins, self._names),
            items=tuple(map(self._item, self._items[phase.id])),
            applications=tuple(map(self._application, self._applications[phase.id])),
        )

    def _deliverable(self, each: Deliverable) -> DeliverableEntry:
        is_card = each.evidence_kind is EvidenceKind.CARD
        return made_from(
            DeliverableEntry,
            each,
            evidence=self._names.get(each.evidence, "") if is_card else each.evidence,
            delivered_by=self._logins.get(each.delivered_by or ""),
        )

    def _decisions(self, phase_id: Id) -> tuple[DecisionEntry, ...]:
        """The record of the gate of a phase."""
        kept = self._decided.get(phase_id, [])
        numbers = {record.id: number for number, record in enumerate(kept, 1)}
        return tuple(
            made_from(
                DecisionEntry,
                record,
                by=record.original_login or self._logins[record.by_id],
                imported_by=self._logins[record.imported_by] if record.imported_by else None,
                about=numbers.get(record.of_id or ""),
                seal=self._seals.get(record.id, ""),
                recorded_by=self._logins.get(record.recorded_by or ""),
                condition=self._gates.condition(record.id, self._logins, self._names, self._places, numbers),
            )
            for record in kept
        )

    def _item(self, item: Item) -> ItemEntry:
        """The entry of a task, with its assignee, or of an activity, with its assigned members."""
        assignee = [self._logins[item.assignee_id]] if item.assignee_id else []
        return made_from(
            ItemEntry,
            item,
            id=self._names[item.id],
            activity=self._names[item.activity_id] if item.activity_id else None,
            archived_with_activity=item.archived_with is not None and item.archived_with == item.activity_id,
            labels=self._labels.get(item.id, ()),
            assigned=tuple(sorted(assignee if item.kind is ItemKind.TASK else self._assigned[item.id])),
            completed_by=self._logins.get(item.completed_by or ""),
            fields=self._values.get(item.id, ()),
            comments=tuple(map(self._comment, self._comments[item.id])),
            waits_for=tuple(self._waits[item.id]),
            origin=self._origins.get(item.id),
        )

    def _comment(self, comment: Comment) -> CommentEntry:
        by = self._logins[comment.imported_by] if comment.imported_by else None
        author = comment.original_login or self._logins[comment.author_id]
        return made_from(CommentEntry, comment, author=author, imported_by=by)

    def _application(self, application: Application) -> ApplicationEntry:
        return made_from(
            ApplicationEntry,
            application,
            product=self._products[application.product_id],
            activity=self._names[application.activity_id] if application.activity_id else None,
            assigned=tuple(sorted(self._assigned[application.id])),
        )


PRODUCTS = "id IN (SELECT product_id FROM application WHERE project_id = :id)"


def _waits_for(
    view: Snapshot, dependencies: list[Dependency], names: dict[Id, str], logins: dict[Id, str]
) -> dict[Id, list[WaitEntry]]:
    """The entries by the waiting card. Cards of projects that the sender cannot see are left out."""
    elsewhere = {each.blocker_id for each in dependencies} - names.keys()
    keys: dict[Id, str] = {}
    for batch in batches(sorted(elsewhere)):
        listed, params = placeholders(batch)
        rows = view.tx.tuples(
            "SELECT item.id, project_id, key, number FROM item JOIN project ON project.id = project_id"
            f" WHERE item.id IN {listed}",
            **params,
        )
        visible = visible_among(view, {row[1] for row in rows})
        keys |= {item_id: card_key(key, number) for item_id, project, key, number in rows if project in visible}
    found: dict[Id, list[WaitEntry]] = defaultdict(list)
    for each in dependencies:
        card, key = names.get(each.blocker_id), keys.get(each.blocker_id)
        if card or key:
            by = logins[each.overridden_by] if each.overridden_by else None
            found[each.waiting_id].append(made_from(WaitEntry, each, card=card, key=key, overridden_by=by))
    for entries in found.values():
        entries.sort(key=lambda entry: (int(entry.card or 0), entry.key or ""))
    return found


def _by(records: Iterable[R], column: str) -> dict[Id, list[R]]:
    grouped: dict[Id, list[R]] = defaultdict(list)
    for record in records:
        grouped[getattr(record, column)].append(record)
    return grouped


def _users(view: Snapshot, ids: set[Id]) -> list[User]:
    found: list[User] = []
    for batch in batches(sorted(ids)):
        listed, params = placeholders(batch)
        found += view.all(User, f"id IN {listed}", **params)
    return found
