"""Applications: instances of products on the phases and activities of a project."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from core.actions.history import HistoryLine
from core.messages import Command, ProjectCommand, ProjectQuery, Query
from core.model import Id, Item, Phase, User
from core.products import Application, Product
from core.rights import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductChoice:
    """A product that could be added to a project; ``refusal`` is empty, or says why it cannot and the way out."""

    product: Product
    refusal: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationLine:
    """An application as lists show it."""

    application: Application
    product: Product
    phase: str
    activity: str
    """The title of the activity that holds it, or nothing."""
    people: tuple[User, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationDetail:
    """An application with all that belongs to it."""

    application: Application
    product: Product
    phase: Phase
    activity: Item | None
    people: tuple[User, ...]
    history: tuple[HistoryLine, ...]
    """Its launches among them, the newest first."""
    my_roles: tuple[str, ...]
    """Names of the product's roles that the person who asks has on this project."""
    held: frozenset[Permission]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListApplications(ProjectQuery[tuple[ApplicationLine, ...]]):
    """The applications of a project, by phase and order."""

    route = "GET /v1/projects/{project_id}/applications"
    permission = Permission.PROJECT_VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProductChoices(ProjectQuery[tuple[ProductChoice, ...]]):
    """Every product that is not retired, the ones that fit this project first, the others with the reason."""

    route = "GET /v1/projects/{project_id}/product-choices"
    permission = Permission.PROJECT_VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowApplication(Query[ApplicationDetail]):
    """One application: its product, place, people, due date and history."""

    route = "GET /v1/applications/{application_id}"
    permission = Permission.PROJECT_VIEW
    application_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class AddApplication(ProjectCommand[Application]):
    """Add an application of a product to a phase, or to an activity, of the project.

    Exactly one of ``phase_id`` and ``activity_id`` is needed; the phase of an activity follows. An activity holds one
    application at most (source document, section 2: "an external link or an application"; that it may hold both is
    decided here).
    """

    route = "POST /v1/projects/{project_id}/applications"
    permission = Permission.APPLICATION_MANAGE
    product_id: Id
    phase_id: Id | None = None
    activity_id: Id | None = None
    name: str = ""
    """The product's name unless told."""
    due: date | None = None
    member_ids: tuple[Id, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EditApplication(Command[Application]):
    """Rename an application."""

    route = "PATCH /v1/applications/{application_id}"
    permission = Permission.APPLICATION_MANAGE
    application_id: Id
    name: str
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleApplication(Command[Application]):
    """Give an application a due date, or take it away."""

    route = "POST /v1/applications/{application_id}/due"
    permission = Permission.APPLICATION_MANAGE
    application_id: Id
    due: date | None
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignApplication(Command[Application]):
    """Make exactly these members the assigned ones of an application."""

    route = "POST /v1/applications/{application_id}/members"
    permission = Permission.APPLICATION_MANAGE
    application_id: Id
    member_ids: tuple[Id, ...]
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceApplication(Command[Application]):
    """Put an application before another one, or last, in its own or another phase; it leaves its activity then."""

    route = "POST /v1/applications/{application_id}/place"
    permission = Permission.APPLICATION_MANAGE
    application_id: Id
    phase_id: Id
    before_id: Id | None = None
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveApplication(Command[None]):
    """Remove an application from the project; Undo brings it back."""

    route = "DELETE /v1/applications/{application_id}"
    permission = Permission.APPLICATION_MANAGE
    application_id: Id
    seen_version: int | None = None
