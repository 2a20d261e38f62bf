"""``podium application …``."""

from __future__ import annotations

import click

from core.actions.cards.application_lists import (
    ApplicationDetail,
    ApplicationSummary,
    GetApplication,
    ListApplications,
    ListProductOptions,
)
from core.actions.cards.applications import (
    AddApplication,
    AssignApplication,
    EditApplication,
    RemoveApplication,
    ReorderApplication,
    SetApplicationDueDate,
)
from core.domain.model import Id
from core.domain.product_fit import levels
from core.domain.products import Application
from core.errors import NotFound
from core.text.phrases import in_words
from core.text.sanitize import sanitized
from tui.cli import resolve
from tui.cli.output import day, moment, print_json, say
from tui.cli.session import Session, in_workspace
from tui.launch.handover import target_words


@click.group("application")
def application_() -> None:
    """Applications: list, show, add, rename, due, assign, move, remove; products that fit. “podium launch” launches."""


@application_.command("list")
@click.argument("project")
@in_workspace
def list_(session: Session, project: str) -> None:
    """The applications of a project, phase by phase."""
    session.list(
        session.query(ListApplications(project_id=resolve.project_id(session, project))),
        ("PHASE", "APPLICATION", "PRODUCT", "KIND", "ACTIVITY", "ASSIGNED", "DUE", "ID"),
        lambda line: (
            line.phase,
            line.application.name,
            line.product.name,
            in_words(line.product.kind),
            line.activity,
            _people(line),
            day(line.application.due),
            line.application.id,
        ),
        "No applications here. “podium application add” makes one.",
    )


def _people(line: ApplicationSummary | ApplicationDetail) -> str:
    return ", ".join(person.name for person in line.people)


@application_.command("products")
@click.argument("project")
@in_workspace
def products(session: Session, project: str) -> None:
    """The products that fit a project, and why the others do not."""
    session.list(
        session.query(ListProductOptions(project_id=resolve.project_id(session, project))),
        ("PRODUCT", "KIND", "FITS", "WHY NOT", "ID"),
        lambda choice: (
            choice.product.name,
            in_words(choice.product.kind),
            "no" if choice.refusal else "yes",
            choice.refusal,
            choice.product.id,
        ),
        "No products. “podium product add” registers one.",
    )


@application_.command("show")
@click.argument("project")
@click.argument("application")
@in_workspace
def show(session: Session, project: str, application: str) -> None:
    """An application: product, place, people, due date, launches and changes."""
    from core.codec.encoding import to_json

    detail = session.query(GetApplication(application_id=application_of(session, project, application).id))
    if session.as_json:
        print_json(to_json(detail))
        return
    for line in _lines(detail):
        say(line)


def _lines(detail: ApplicationDetail) -> list[str]:
    application, product = detail.application, detail.product
    inside = f", activity “{detail.activity.title}”" if detail.activity else ""
    authorization = "external" if product.uses_external_authorization else "own"
    return [
        f"{application.name} ({application.id})",
        f"Product: {product.name}, a {in_words(product.kind)} product{', retired' if product.retired else ''}",
        f"Launches: {target_words(product)}",
        f"Place: phase “{detail.phase.name}”{inside}",
        f"Assigned: {_people(detail) or 'nobody'}",
        f"Due: {day(application.due) or 'no date'}",
        f"Requires: {levels(product.required_context)}",
        f"Authorization: {authorization}",
        *([f"My roles: {', '.join(detail.my_roles) or 'none'}"] if product.uses_external_authorization else []),
        *(f"{moment(line.at)}  {line.actor} {line.kind.told(line.summary)}" for line in detail.history),
    ]


def application_of(session: Session, project: str, wanted: str) -> Application:
    """An application of a project by id or name."""
    lines = session.query(ListApplications(project_id=resolve.project_id(session, project)))
    return resolve.one_of(
        "application", wanted, lines, lambda line: (line.application.id, line.application.name)
    ).application


@application_.command("add")
@click.argument("project")
@click.argument("product")
@click.option("--phase", help="The phase it comes to.")
@click.option("--activity", help="The activity that holds it, instead of a phase.")
@click.option("--name", default="", help="The product's name unless told.")
@click.option("--due", help="A day such as fri, +2w, 3 dec.")
@click.option("--assign", "people", multiple=True, help="A member; may be given more than once.")
@in_workspace
def add(
    session: Session,
    project: str,
    product: str,
    phase: str | None,
    activity: str | None,
    name: str,
    due: str | None,
    people: tuple[str, ...],
) -> None:
    """Add an application of a product to a phase or to an activity."""
    project_id = resolve.project_id(session, project)
    command = AddApplication(
        project_id=project_id,
        product_id=_product(session, project_id, product),
        phase_id=resolve.phase(session, project_id, phase).phase.id if phase else None,
        activity_id=resolve.activity(session, project_id, activity).id if activity else None,
        name=name,
        due=resolve.due(due),
        member_ids=tuple(resolve.member(session, project_id, each).id for each in people),
    )
    added = session.execute(command)
    session.done(added, f"Added “{added.name}” ({added.id}).")


def _product(session: Session, project_id: Id, wanted: str) -> Id:
    """A product by id or name, one of those that are not retired: that is what a member may see of the registry."""
    choices = session.query(ListProductOptions(project_id=project_id))
    try:
        return resolve.one_of("product", wanted, choices, lambda each: (each.product.id, each.product.name)).product.id
    except NotFound:
        raise NotFound(
            f"There is no product “{sanitized(wanted)}”, or it is retired. “podium application products” lists them."
        ) from None


@application_.command("rename")
@click.argument("project")
@click.argument("application")
@click.argument("name")
@in_workspace
def rename(session: Session, project: str, application: str, name: str) -> None:
    """Give an application another name."""
    found = application_of(session, project, application)
    renamed = session.execute(EditApplication(application_id=found.id, name=name))
    session.done(renamed, f"Renamed “{found.name}” to “{renamed.name}”.")


@application_.command("due")
@click.argument("project")
@click.argument("application")
@click.argument("day_", metavar="DAY")
@in_workspace
def due_(session: Session, project: str, application: str, day_: str) -> None:
    """Set the due date of an application (fri, +2w, 3 dec); “none” removes it."""
    found = application_of(session, project, application)
    dated = session.execute(SetApplicationDueDate(application_id=found.id, due=resolve.due(day_)))
    session.done(dated, f"“{dated.name}” is due {day(dated.due) or 'on no day'}.")


@application_.command("assign")
@click.argument("project")
@click.argument("application")
@click.argument("people", nargs=-1)
@in_workspace
def assign(session: Session, project: str, application: str, people: tuple[str, ...]) -> None:
    """Assign exactly these members to an application; none for nobody."""
    found = application_of(session, project, application)
    members = [resolve.member(session, found.project_id, each) for each in people]
    command = AssignApplication(application_id=found.id, member_ids=tuple(each.id for each in members))
    result = session.execute(command)
    session.done(result, f"Assigned to “{found.name}”: {', '.join(each.name for each in members) or 'nobody'}.")


@application_.command("move")
@click.argument("project")
@click.argument("application")
@click.argument("phase")
@click.option("--before", help="The application of the phase that it comes before; last unless told.")
@in_workspace
def move(session: Session, project: str, application: str, phase: str, before: str | None) -> None:
    """Move an application to a phase, or within one."""
    found = application_of(session, project, application)
    column = resolve.phase(session, found.project_id, phase).phase
    follower = application_of(session, project, before).id if before else None
    moved = session.execute(ReorderApplication(application_id=found.id, phase_id=column.id, before_id=follower))
    session.done(moved, f"“{moved.name}” is in phase “{column.name}”.")


@application_.command("remove")
@click.argument("project")
@click.argument("application")
@in_workspace
def remove(session: Session, project: str, application: str) -> None:
    """Remove an application from its project; “podium undo” brings it back."""
    found = application_of(session, project, application)
    session.execute(RemoveApplication(application_id=found.id))
    session.done(None, f"Removed “{found.name}”. “podium undo” brings it back.")
