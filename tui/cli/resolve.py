"""What is meant by what was typed: an id, a name, the unique beginning of a name, the number of a phase."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TypeVar

from core.actions.cards.tasks import ListTasks
from core.actions.products.products import GetProduct, ListProducts
from core.actions.projects.find import FindProjects
from core.actions.projects.lists import GetProject
from core.actions.projects.members import ListMembers
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.phases import ListPhases, PhaseLine
from core.actions.workspace.hierarchy import ListNodes
from core.actions.workspace.meta_roles import ListMetaRoles
from core.actions.workspace.users import ListUsers
from core.domain.canvas import Card
from core.domain.model import HierarchyNode, Id, Item, ItemKind, NodeKind, User
from core.domain.products import ApplicationRole, MetaRole, Product
from core.domain.templates import Template
from core.errors import Forbidden, InvalidInput, NotFound
from core.rules.project_names import Names, ProjectRef, argument_for, meant, names_of_project
from core.text.dates import parse_due
from core.text.phrases import ULID_FORM, shell_command
from core.text.sanitize import sanitized
from tui.cli.session import Session

T = TypeVar("T")

LISTED = 8
"""An ambiguous name lists no more candidates than this."""


def one_of(what: str, wanted: str, candidates: Iterable[T], names: Names[T]) -> T:
    """The candidate that is meant; ``names`` gives its id first, then what people call it.

    Raises NotFound when none is, InvalidInput, which lists them, when several are.
    """
    found = meant(wanted, candidates, names)
    if len(found) == 1:
        return found[0]
    if found:
        shown = "; ".join(f"{names(each)[1]} ({names(each)[0]})" for each in found[:LISTED])
        more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
        raise InvalidInput(what, f"“{sanitized(wanted)}” may be several: {shown}{more}. Name one by its id.")
    raise NotFound(f"There is no {what} “{sanitized(wanted)}” here, or you may not see it.")


def project_id(session: Session, wanted: str) -> Id:
    """The id of one of my projects. An id of another is passed on: the core says whether it may be seen."""
    try:
        return project(session, wanted).id
    except NotFound:
        if ULID_FORM.fullmatch(wanted):
            return wanted
        raise


def project(session: Session, wanted: str) -> ProjectRef:
    """One of my projects, archived ones included."""
    return one_of("project", wanted, session.query(FindProjects(name=wanted)), names_of_project)


def phase(session: Session, project: Id, wanted: str) -> PhaseLine:
    """A phase by id, name or number."""
    lines = session.query(ListPhases(project_id=project))
    if wanted.isdecimal():
        if found := [each for each in lines if each.number == int(wanted)]:
            return found[0]
        raise NotFound(f"There is no phase {wanted} here: the project has {len(lines)}.")
    return one_of("phase", wanted, lines, lambda each: (each.phase.id, each.phase.name))


def task(session: Session, project: Id, wanted: str) -> Item:
    """A task by id or title, archived ones included."""
    tasks = session.query(ListTasks(project_id=project, archived=True))
    return one_of("task", wanted, tasks, lambda each: (each.id, each.title))


def activity(session: Session, project: Id, wanted: str) -> Card:
    """An activity by id or title, archived ones included."""
    cards = session.query(GetCanvas(project_id=project)).cards
    activities = (card for card in cards if card.kind is ItemKind.ACTIVITY)
    return one_of("activity", wanted, activities, lambda each: (each.id, each.title))


def user(session: Session, wanted: str) -> User:
    """A person of the workspace by id, login, e-mail or name."""
    return _person(wanted, (each.user for each in session.query(ListUsers())))


def member(session: Session, project: Id, wanted: str) -> User:
    """A member of a project by id, login, e-mail or name. Raises NotFound, which says how to add another person."""
    try:
        return _person(wanted, (each.user for each in session.query(ListMembers(project_id=project))))
    except NotFound as missing:
        people = _people(session)
        found = meant(wanted, people, _names_of_person)
        if len(found) != 1:
            raise
        name = session.query(GetProject(project_id=project)).project.name
        add = shell_command(
            "podium",
            "member",
            "add",
            argument_for(ProjectRef(id=project, name=name), session.query(FindProjects(name=name)), names_of_project),
            argument_for(found[0], people, lambda each: (each.id, each.login, *_names_of_person(each)[1:])),
        )
        raise NotFound(f"“{sanitized(wanted)}” is not a member of “{sanitized(name)}”. Add them: {add}.") from missing


def _people(session: Session) -> list[User]:
    """The people of the workspace whom the sender may see."""
    try:
        return [each.user for each in session.query(ListUsers())]
    except Forbidden:
        return []


def _names_of_person(person: User) -> tuple[str, ...]:
    return person.id, person.name, person.login, person.email, person.last_name


def _person(wanted: str, people: Iterable[User]) -> User:
    return one_of("person", wanted, people, _names_of_person)


def node(session: Session, wanted: str, kind: NodeKind | None = None) -> HierarchyNode:
    """A client, market or brand by id or name."""
    nodes = [each for each in session.query(ListNodes()) if kind in (None, each.kind)]
    return one_of(kind.lower() if kind else "node", wanted, nodes, lambda each: (each.id, each.name))


def product(session: Session, wanted: str) -> Product:
    """A product by id or name, retired ones included."""
    products = (line.product for line in session.query(ListProducts()))
    return one_of("product", wanted, products, lambda each: (each.id, each.name))


def application_role(session: Session, product: Id, wanted: str) -> ApplicationRole:
    """A role of a product by id or name."""
    roles = (line.role for line in session.query(GetProduct(product_id=product)).roles)
    return one_of("role", wanted, roles, lambda each: (each.id, each.name))


def meta_role(session: Session, wanted: str) -> MetaRole:
    """A meta role by id or name."""
    meta_roles = (line.meta_role for line in session.query(ListMetaRoles()))
    return one_of("meta role", wanted, meta_roles, lambda each: (each.id, each.name))


def due(text: str | None) -> date | None:
    """A due date as it was typed; None for nothing, "-" and "none"."""
    return parse_due(text, date.today()) if text is not None else None


def first_day(text: str | None) -> date | None:
    """The first day of a project as it was typed; None where nothing was. Raises InvalidInput for "none"."""
    day = due(text)
    if text is not None and day is None:
        raise InvalidInput("start", "A project starts on some day. Type one such as mon, +2w, 3 dec or 2026-12-03.")
    return day


def template(session: Session, wanted: str) -> Template:
    """The template that is meant, by id or name."""
    from core.actions.templates.templates import ListTemplates

    templates = (each.template for each in session.query(ListTemplates()))
    return one_of("template", wanted, templates, lambda each: (each.id, each.name))
