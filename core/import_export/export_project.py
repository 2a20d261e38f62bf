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
from core.import_export.custom_fields import Values, export_fields
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
from core.record import Record, made_from
from core.rules.labels import labels_for, labels_on_cards, names_by_card
from core.storage.database import batches, placeholders
from core.text.label_names import fold_name
from core.text.short_keys import card_key

R = TypeVar("R")


class ProjectRecords(Record, kw_only=False):
    """The records of a project, grouped for the export."""

    logins: dict[Id, str]
    names: dict[Id, str]
    """The ids of items in the document."""
    products: dict[Id, str]
    assigned: dict[Id, list[str]]
    labels: dict[Id, tuple[str, ...]]
    """The names of the labels of each card."""
    comments: dict[Id, list[Comment]]
    items: dict[Id, list[Item]]
    applications: dict[Id, list[Application]]
    deliverables: dict[Id, list[Deliverable]]
    phases: dict[Id, int]
    """The numbers of phases, from 1."""
    gates: ExportedGates
    decisions: dict[Id, list[GateRecord]]
    seals: dict[Id, str]
    values: Values
    waits_for: dict[Id, list[WaitEntry]]
    origins: dict[Id, OriginEntry]


def export_document(view: Snapshot, project_id: Id) -> ProjectDocument:
    """The document of a project. Raises NotFound."""
    project = view.get(Project, id=project_id)
    members = _all(view, Member, project_id)
    assignments = _all(view, Assignment, project_id)
    comments = _all(view, Comment, project_id, "at, id")
    decisions = _all(view, GateRecord, project_id, "at, id")
    dependencies = _all(view, Dependency, project_id)
    items = _all(view, Item, project_id, "phase_id, rank, id")
    deliverables = _all(view, Deliverable, project_id, "phase_id, rank, id")
    gates = ExportedGates(view, project_id)
    users = _users(
        view,
        {
            *(member.user_id for member in members),
            *(member.invited_by for member in members),
            *(comment.author_id for comment in comments),
            *(record.by_id for record in decisions),  # for imported decisions, this is the importer
            *(each.overridden_by for each in dependencies if each.overridden_by),
            *(item.completed_by for item in items if item.completed_by),
            *(each.delivered_by for each in deliverables if each.delivered_by),
            *(record.recorded_by for record in decisions if record.recorded_by),
            *gates.people,
        },
    )
    logins = {user.id: user.login for user in users}
    phases = _all(view, Phase, project_id, "rank, id")
    place = {phase.id: number for number, phase in enumerate(phases)}
    items.sort(key=lambda item: place[item.phase_id])
    assigned = defaultdict(list)
    for assignment in assignments:
        assigned[assignment.target_id].append(logins[assignment.user_id])
    labels = labels_for(view, project_id)
    rows = view.tx.tuples_all([labels_on_cards(project_id)])[0]
    fields, values = export_fields(view, project_id, logins)
    names = {item.id: str(number) for number, item in enumerate(items, 1)}
    records = ProjectRecords(
        logins=logins,
        names=names,
        waits_for=_waits_for(view, dependencies, names, logins),
        products={product.id: product.name for product in _products(view, project_id)},
        assigned=assigned,
        labels=names_by_card(labels, rows),
        comments=_by(comments, "item_id"),
        items=_by(items, "phase_id"),
        applications=_by(_all(view, Application, project_id, "phase_id, rank, id"), "phase_id"),
        deliverables=_by(deliverables, "phase_id"),
        phases={phase_id: number + 1 for phase_id, number in place.items()},
        gates=gates,
        decisions=_by(decisions, "phase_id"),
        seals={each.record_id: each.body for each in _all(view, GateSeal, project_id)},
        values=values,
        origins={
            each.item_id: OriginEntry(program=each.program, id=each.source_id, last=each.last)
            for each in _all(view, CardOrigin, project_id)
            if each.program != PODIUM  # an import of the export makes the same ones of the keys
        },
    )
    used = {label_id for _, label_id in rows}
    listed: dict[str, Label] = {}  # a label of the project stands for one of the workspace with its name
    for each in labels:
        if each.project_id == project_id or each.id in used:
            listed.setdefault(fold_name(each.name), each)
    links = {kind: view.get(HierarchyNode, id=node).name if node else None for kind, node in project.links.items()}
    presets = view.all(Preset, "project_id = :id AND owner_id IS NULL ORDER BY name, id", id=project_id)
    return ProjectDocument(
        name=project.name,
        key=project.key,
        description=project.description,
        start=project.start,
        created_at=project.created_at,
        archived=project.archived,
        client=links[NodeKind.CLIENT],
        market=links[NodeKind.MARKET],
        brand=links[NodeKind.BRAND],
        people=_people(view, project_id, users, members, [*comments, *decisions]),
        labels=tuple(made_from(LabelEntry, each) for each in listed.values()),
        fields=fields,
        phases=tuple(_phase(phase, records) for phase in phases),
        presets=tuple(made_from(PresetEntry, preset) for preset in presets),
        removed_phases=tuple(
            RemovedPhaseEntry(decisions=_decisions(phase_id, records))
            for phase_id in records.decisions
            if phase_id not in place
        ),
    )


def _people(
    view: Snapshot, project_id: Id, users: list[User], members: list[Member], said: list[Comment | GateRecord]
) -> tuple[PersonEntry, ...]:
    given = defaultdict(list)
    names = {role.id: role.name for role in view.all(MetaRole, "1 = 1")}
    for each in _all(view, MemberMetaRole, project_id):
        given[each.user_id].append(names[each.meta_role_id])
    member_of = {member.user_id: member for member in members}
    logins = {user.id: user.login for user in users}
    people = {
        each.original_login: PersonEntry(login=each.original_login, name=each.original_name)
        for each in said
        if each.imported_by
    }
    people |= {
        user.login: PersonEntry(
            login=user.login,
            email=user.email,
            name=user.name,
            role=member.role if member else None,
            meta_roles=tuple(sorted(given[user.id])),
            invited_by=logins.get(member.invited_by) if member else None,
        )
        for user in users
        for member in (member_of.get(user.id),)
    }
    return tuple(people[login] for login in sorted(people))


def _phase(phase: Phase, records: ProjectRecords) -> PhaseEntry:
    return made_from(
        PhaseEntry,
        phase,
        assigned=tuple(sorted(records.assigned[phase.id])),
        deliverables=tuple(_deliverable(each, records) for each in records.deliverables[phase.id]),
        decisions=_decisions(phase.id, records),
        policy=records.gates.policy(phase.id, records.logins),
        criteria=records.gates.criteria(phase.id, records.logins, records.names),
        items=tuple(_item(item, records) for item in records.items[phase.id]),
        applications=tuple(_application(each, records) for each in records.applications[phase.id]),
    )


def _deliverable(each: Deliverable, records: ProjectRecords) -> DeliverableEntry:
    is_card = each.evidence_kind is EvidenceKind.CARD
    return made_from(
        DeliverableEntry,
        each,
        evidence=records.names.get(each.evidence, "") if is_card else each.evidence,
        delivered_by=records.logins.get(each.delivered_by or ""),
    )


def _decisions(phase_id: Id, records: ProjectRecords) -> tuple[DecisionEntry, ...]:
    """The record of the gate of a phase."""
    kept = records.decisions.get(phase_id, [])
    numbers = {record.id: number for number, record in enumerate(kept, 1)}
    return tuple(
        made_from(
            DecisionEntry,
            record,
            by=record.original_login or records.logins[record.by_id],
            imported_by=records.logins[record.imported_by] if record.imported_by else None,
            about=numbers.get(record.of_id or ""),
            seal=records.seals.get(record.id, ""),
            recorded_by=records.logins.get(record.recorded_by or ""),
            condition=records.gates.condition(record.id, records.logins, records.names, records.phases, numbers),
        )
        for record in kept
    )


def _item(item: Item, records: ProjectRecords) -> ItemEntry:
    """The entry of a task, with its assignee, or of an activity, with its assigned members."""
    assignee = [records.logins[item.assignee_id]] if item.assignee_id else []
    return made_from(
        ItemEntry,
        item,
        id=records.names[item.id],
        activity=records.names[item.activity_id] if item.activity_id else None,
        archived_with_activity=item.archived_with is not None and item.archived_with == item.activity_id,
        labels=records.labels.get(item.id, ()),
        assigned=tuple(sorted(assignee if item.kind is ItemKind.TASK else records.assigned[item.id])),
        completed_by=records.logins.get(item.completed_by or ""),
        fields=records.values.get(item.id, ()),
        comments=tuple(
            made_from(
                CommentEntry,
                comment,
                author=comment.original_login or records.logins[comment.author_id],
                imported_by=records.logins[comment.imported_by] if comment.imported_by else None,
            )
            for comment in records.comments[item.id]
        ),
        waits_for=tuple(records.waits_for[item.id]),
        origin=records.origins.get(item.id),
    )


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


def _application(application: Application, records: ProjectRecords) -> ApplicationEntry:
    return made_from(
        ApplicationEntry,
        application,
        product=records.products[application.product_id],
        activity=records.names[application.activity_id] if application.activity_id else None,
        assigned=tuple(sorted(records.assigned[application.id])),
    )


def _all(view: Snapshot, record: type[R], project_id: Id, order: str = "") -> list[R]:
    return view.all(record, "project_id = :id" + (f" ORDER BY {order}" if order else ""), id=project_id)


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


def _products(view: Snapshot, project_id: Id) -> list[Product]:
    where = "id IN (SELECT product_id FROM application WHERE project_id = :id)"
    return view.all(Product, where, id=project_id)
