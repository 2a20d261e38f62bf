"""A project on its way in: what an import would make, and the import itself.

Both take a ``ProjectDocument``; ``core.import_export`` makes one of a file. Whoever imports becomes an owner of the new
project, as whoever creates one does; the other members are those of the document who are found in this workspace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.actions.projects.projects import insert_with_feed
from core.domain.max_lengths import PROJECT_NAME
from core.domain.model import ItemKind, NodeKind, Project, ProjectRole
from core.domain.permissions import Permission
from core.engine.messages import Command, Query
from core.engine.quotas import check_import_quota, count_import
from core.engine.slices import Arrival, show
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_account, new_id
from core.import_export.build_records import RecordBuilder
from core.import_export.document import ProjectDocument
from core.import_export.resolve_names import Match, called, check_present, match
from core.import_export.validation import accepted
from core.text.phrases import count
from core.text.sanitize import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedPerson:
    """A member of the document: who they are in this workspace, None when nobody here is them."""

    name: str
    """As the document has it."""
    user: str | None
    role: ProjectRole
    """Their project role to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingReference:
    """Something that the workspace does not have: a person, a product, a meta role, a link."""

    kind: str
    name: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """What an import would make."""

    name: str
    phases: int
    activities: int
    tasks: int
    applications: int
    deliverables: int
    comments: int
    decisions: int
    presets: int
    links: tuple[str, ...]
    people: tuple[ResolvedPerson, ...]
    missing: tuple[MissingReference, ...]
    """While there is any, the import is refused unless it is told to leave it out."""

    @property
    def parts(self) -> tuple[str, ...]:
        """What would be made, in words: the kinds of which there is something."""
        kinds = (
            (self.phases, "phase", "phases"),
            (self.activities, "activity", "activities"),
            (self.tasks, "task", "tasks"),
            (self.applications, "application", "applications"),
            (self.deliverables, "deliverable", "deliverables"),
            (self.comments, "comment", "comments"),
            (self.decisions, "gate decision", "gate decisions"),
            (self.presets, "shared preset", "shared presets"),
        )
        return tuple(f"{number} {one if number == 1 else many}" for number, one, many in kinds if number)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewImport(Query[ImportPlan]):
    """What an import would make, and which people and products of it are not in this workspace; makes nothing."""

    route = "POST /v1/projects/import/preview"
    permission = Permission.PROJECT_CREATE
    bulky = True
    document: ProjectDocument

    def run(self, view: Snapshot) -> ImportPlan:
        document = accepted(self.document)
        found = match(view, document)
        kinds = Counter(item.kind for item in document.items)
        return ImportPlan(
            name=document.name,
            phases=len(document.phases),
            activities=kinds[ItemKind.ACTIVITY],
            tasks=kinds[ItemKind.TASK],
            applications=sum(each.product in found.products for p in document.phases for each in p.applications),
            deliverables=sum(len(phase.deliverables) for phase in document.phases),
            comments=sum(len(item.comments) for item in document.items),
            decisions=sum(len(phase.decisions) for phase in document.phases),
            presets=len(document.presets),
            links=tuple(name for name in (document.client, document.market, document.brand) if name),
            people=_people(document, found),
            missing=tuple(MissingReference(kind=each.kind, name=each.name, why=each.why) for each in found.missing),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProject(Command[Project]):
    """Make a project of a document; whoever imports it becomes an owner.

    Undo does not take it back, as with CreateProject. Refused while people, products, meta roles or links of it are not
    in this workspace, unless told to leave them out: then nobody is assigned instead of them. What people said and
    decided is kept as imported by the sender, whether they are in this workspace or not.
    """

    route = "POST /v1/projects/import"
    large = True
    unbounded = True
    permission = Permission.PROJECT_CREATE
    bulky = True
    creates = True
    undoable = False
    instead = "Archive the project instead."
    document: ProjectDocument
    name: str = ""
    """Another name than that of the document."""
    leave_out_unknown: bool = False

    def prepare(self, look: Callable[[Callable[[Snapshot], Any]], Any]) -> Arrival:
        look(check_import_quota)
        document = accepted(self.document)

        def making_of(view: Snapshot) -> tuple[Project, RecordBuilder]:
            found = match(view, document)
            if not self.leave_out_unknown:
                check_present(found)
            project = self._project(view, document, found)
            return project, RecordBuilder(project, document, found, view.actor, view.now)

        project, making = look(making_of)
        return Arrival(project, making.shown(), making.hidden(), len(document.items))

    def run(self, work: UnitOfWork) -> Project:
        arrival: Arrival = work.prepared
        count_import(work)
        insert_with_feed(work, arrival.project)
        show(work, arrival)
        work.say(f"imported the project “{arrival.project.name}” with {count(arrival.items, 'card')}")
        return arrival.project

    def _project(self, work: Snapshot, document: ProjectDocument, found: Match) -> Project:
        return Project(
            id=new_id(),
            name=one_line(self.name, "name", most=PROJECT_NAME) if self.name else document.name,
            description=document.description,
            auth_id=new_account(),
            created_at=document.created_at or work.now,
            client_id=found.links[NodeKind.CLIENT],
            market_id=found.links[NodeKind.MARKET],
            brand_id=found.links[NodeKind.BRAND],
            start=document.start or work.today,
            archived=document.archived,
        )


def _people(document: ProjectDocument, found: Match) -> tuple[ResolvedPerson, ...]:
    return tuple(
        ResolvedPerson(name=called(person), user=user.name if user else None, role=person.role)
        for person in document.people
        if person.role is not None
        for user in (found.people.get(person.login),)
    )
