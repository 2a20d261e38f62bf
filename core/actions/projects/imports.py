"""Imports of a project: a preview, and the import itself.

Both take a ``ProjectDocument``, which ``core.import_export`` makes from a file. The sender becomes an owner of the new
project. The other members are the people of the document who are found in this workspace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from core.actions.projects.projects import insert_with_feed
from core.domain.gate_policy import VOTES
from core.domain.gates import DECISIONS
from core.domain.max_lengths import PROJECT_NAME
from core.domain.model import Id, ItemKind, NodeKind, Project, ProjectRole
from core.domain.permissions import Permission
from core.engine.large_projects import IncomingProject, show
from core.engine.messages import Command, Query
from core.engine.project_guard import visible_among
from core.engine.quotas import check_import_quota, count_import
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_account, new_id
from core.import_export.build_records import RecordBuilder
from core.import_export.document import ProjectDocument
from core.import_export.origins import sources_of
from core.import_export.resolve_names import MissingReference, NameMatches, check_missing, describe_person, match
from core.import_export.validation import accept_document
from core.record import Record, made_from
from core.rules.project_names import my_project_names
from core.storage.database import batches, placeholders
from core.text.phrases import count
from core.text.sanitize import one_line


class ResolvedPerson(Record):
    """A member in the document, and the user of this workspace that they are; None if there is none."""

    name: str
    """The name in the document."""
    user: str | None
    role: ProjectRole
    """The project role that they will get."""


class KnownProject(Record):
    """A project of the sender that has cards of the file already, with their number."""

    id: Id
    name: str
    cards: int


class ImportPlan(Record):
    """The result of an import: the numbers of records, and the people and references of the document."""

    name: str
    phases: int
    activities: int
    tasks: int
    applications: int
    deliverables: int
    comments: int
    decisions: int
    votes: int
    entries: int
    """The other entries of the records of the gates."""
    policies: int
    criteria: int
    conditions: int
    presets: int
    labels: int
    links: tuple[str, ...]
    people: tuple[ResolvedPerson, ...]
    missing: tuple[MissingReference, ...]
    """If there are any, the import is refused, unless it has ``leave_out_unknown``."""
    known: tuple[KnownProject, ...] = ()
    """My projects that have most of the cards already, so that the file is rather meant for them; most cards first."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The numbers in words, without those that are zero: "3 phases", "1 task"."""
        kinds = (
            (self.phases, "phase", "phases"),
            (self.activities, "activity", "activities"),
            (self.tasks, "task", "tasks"),
            (self.applications, "application", "applications"),
            (self.deliverables, "deliverable", "deliverables"),
            (self.comments, "comment", "comments"),
            (self.decisions, "gate decision", "gate decisions"),
            (self.votes, "vote", "votes"),
            (self.entries, "other entry of the gate record", "other entries of the gate record"),
            (self.policies, "policy of a gate", "policies of gates"),
            (self.criteria, "criterion", "criteria"),
            (self.conditions, "condition", "conditions"),
            (self.presets, "shared preset", "shared presets"),
            (self.labels, "label", "labels"),
        )
        return tuple(f"{number} {one if number == 1 else many}" for number, one, many in kinds if number)


class PreviewImport(Query[ImportPlan]):
    """Preview an import: what it would create, and which people and products the workspace lacks."""

    route = "POST /v1/projects/import/preview"
    permission = Permission.PROJECT_CREATE
    bulky = True
    document: ProjectDocument

    def run(self, view: Snapshot) -> ImportPlan:
        document = accept_document(self.document)
        found = match(view, document)
        kinds = Counter(item.kind for item in document.items)
        decisions = sum(each.decision in DECISIONS for each in document.decisions)
        votes = sum(each.decision in VOTES for each in document.decisions)
        return ImportPlan(
            name=document.name,
            phases=len(document.phases),
            activities=kinds[ItemKind.ACTIVITY],
            tasks=kinds[ItemKind.TASK],
            applications=sum(each.product in found.products for p in document.phases for each in p.applications),
            deliverables=sum(len(phase.deliverables) for phase in document.phases),
            comments=sum(len(item.comments) for item in document.items),
            decisions=decisions,
            votes=votes,
            entries=len(document.decisions) - decisions - votes,
            policies=sum(phase.policy is not None for phase in document.phases),
            criteria=sum(len(phase.criteria) for phase in document.phases),
            conditions=sum(each.condition is not None for each in document.decisions),
            presets=len(document.presets),
            labels=len(document.labels) - len(found.labels),
            links=tuple(name for name in (document.client, document.market, document.brand) if name),
            people=_people(document, found),
            missing=found.missing,
            known=_find_known(view, document),
        )


class ImportProject(Command[Project]):
    """Import a document as a new project, and become its owner.

    Undo archives the project. The import is refused if people, products, meta roles or links are missing in this
    workspace, unless ``leave_out_unknown`` is set: then their work is left unassigned, and who completed it unknown.
    Comments and gate decisions are kept as imported by the sender, also those of people in this workspace.
    """

    route = "POST /v1/projects/import"
    large = True
    unbounded = True
    permission = Permission.PROJECT_CREATE
    bulky = True
    creates = True
    creates_project = True
    document: ProjectDocument
    name: str = ""
    """A name to use instead of the document's."""
    leave_out_unknown: bool = False

    def prepare(self, read: Callable[[Callable[[Snapshot], Any]], Any]) -> IncomingProject:
        read(check_import_quota)
        document = accept_document(self.document)

        def making_of(view: Snapshot) -> tuple[Project, RecordBuilder]:
            found = match(view, document)
            if not self.leave_out_unknown:
                check_missing(found.missing)
            project = self._project(view, document, found)
            return project, RecordBuilder(project, document, found, view.actor, view.now)

        project, making = read(making_of)
        return IncomingProject(project, making.visible_records(), making.hidden_records(), len(document.items))

    def run(self, work: UnitOfWork) -> Project:
        arrival: IncomingProject = work.prepared
        count_import(work)
        project = insert_with_feed(work, arrival.project)
        show(work, arrival)
        work.say(f"imported the project “{project.name}” with {count(arrival.items, 'card')}")
        return project

    def _project(self, work: Snapshot, document: ProjectDocument, found: NameMatches) -> Project:
        return made_from(
            Project,
            document,
            id=new_id(),
            name=one_line(self.name, "name", most=PROJECT_NAME) if self.name else document.name,
            auth_id=new_account(),
            created_at=document.created_at or work.now,
            client_id=found.links[NodeKind.CLIENT],
            market_id=found.links[NodeKind.MARKET],
            brand_id=found.links[NodeKind.BRAND],
            start=document.start or work.today,
        )


def _find_known(view: Snapshot, document: ProjectDocument) -> tuple[KnownProject, ...]:
    ids: dict[str, list[str]] = {}
    for program, source_id in sources_of(document).values():
        ids.setdefault(program, []).append(source_id)
    found: Counter[Id] = Counter()
    for program, sources in ids.items():
        for part in batches(sources):
            chosen, params = placeholders(part)
            found.update(dict(view.tx.tuples(KNOWN.format(chosen), program=program, me=view.actor.user_id, **params)))
    visible = visible_among(view, set(found))
    projects = {each.id: each.name for each in my_project_names(view) if each.id in visible}
    return tuple(
        KnownProject(id=project_id, name=projects[project_id], cards=number)
        for project_id, number in found.most_common()
        if project_id in projects and 2 * number >= len(document.items)
    )


KNOWN = (
    "SELECT project_id, count(*) FROM card_origin WHERE program = :program AND source_id IN {}"
    " AND project_id IN (SELECT project_id FROM member WHERE user_id = :me) GROUP BY project_id"
)
"""The statement that counts the cards of my projects by their origins."""


def _people(document: ProjectDocument, found: NameMatches) -> tuple[ResolvedPerson, ...]:
    return tuple(
        ResolvedPerson(name=describe_person(person), user=user.name if user else None, role=person.role)
        for person in document.people
        if person.role is not None
        for user in (found.people.get(person.login),)
    )
