"""``podium application …``."""

from __future__ import annotations

import click

from core.actions.cards import applications
from core.actions.cards.application_lists import (
    ApplicationDetail,
    GetApplication,
    ListApplications,
    ListProductOptions,
)
from core.domain.products.fit import levels
from core.domain.products.products import Product
from core.errors import NotFound
from core.text.phrases import in_words
from core.text.sanitize import sanitize
from tui.cli.message_command import Field, MessageGroup
from tui.cli.output import day, moment
from tui.cli.records import ACTIVITY, LISTED_PROJECT, MEMBER, MEMBERS, PHASE, PROJECT, RecordParameter, names
from tui.cli.sentences import Columns, format_value
from tui.cli.session import Session
from tui.launch.launch_rules import target_words

application_ = MessageGroup(
    "application",
    "Applications: list, show, add, rename, due, assign, move, remove; products that fit. “podium launch” launches.",
)


APPLICATION = RecordParameter(
    "application",
    lambda session, _: [line.application for line in session.query(ListApplications(project_id=session[PROJECT].id))],
    names,
)

application_.lists(
    "list",
    ListApplications,
    [LISTED_PROJECT],
    heads=("PHASE", "APPLICATION", "PRODUCT", "KIND", "ACTIVITY", "ASSIGNED", "DUE", "ID"),
    row=Columns("phase application.name product.name product.kind activity people application.due application.id"),
    empty="No applications here. Create one with “podium application add”.",
)
application_.lists(
    "products",
    ListProductOptions,
    [LISTED_PROJECT],
    heads=("PRODUCT", "KIND", "FITS", "WHY NOT", "ID"),
    row=Columns("product.name product.kind", lambda line: not line.refusal, "refusal product.id"),
    empty="No products. “podium product add” registers one.",
)


def _lines(detail: ApplicationDetail) -> list[str]:
    application, product = detail.application, detail.product
    inside = f", activity “{detail.activity.title}”" if detail.activity else ""
    authorization = "external" if product.uses_external_authorization else "own"
    return [
        f"{application.name} ({application.id})",
        f"Product: {product.name}, a {in_words(product.kind)} product{', retired' if product.retired else ''}",
        f"Launches: {target_words(product)}",
        f"Place: phase “{detail.phase.name}”{inside}",
        f"Assigned: {format_value(detail.people) or 'nobody'}",
        f"Due: {day(application.due) or 'no date'}",
        f"Requires: {levels(product.required_context)}",
        f"Authorization: {authorization}",
        *([f"My roles: {', '.join(detail.my_roles) or 'none'}"] if product.uses_external_authorization else []),
        *(f"{moment(line.at)}  {line.actor} {line.kind.describe(line.summary)}" for line in detail.history),
    ]


class _FittingProducts(RecordParameter[Product]):
    def find(self, session: Session, name: str) -> Product:
        """A product that is not retired, which is all of the registry that a member may see."""
        try:
            return super().find(session, name)
        except NotFound:
            raise NotFound(
                f"There is no product “{sanitize(name)}”, or it is retired. “podium application products” lists them."
            ) from None


application_.shows("show", GetApplication, [PROJECT, APPLICATION], lines=_lines)
application_.sends(
    "add",
    applications.AddApplication,
    [
        PROJECT,
        _FittingProducts(
            "product",
            lambda session, _: [
                each.product for each in session.query(ListProductOptions(project_id=session[PROJECT].id))
            ],
            names,
        ),
        PHASE.option("--phase", "The phase to add it to."),
        ACTIVITY.option("--activity", "The activity that holds it, instead of a phase."),
        Field("name", "The name (default: the product's name)."),
        "due",
        MEMBER.several(click.Option(["--assign"], multiple=True, help="A member (repeatable)."), "member_ids"),
    ],
    done="Added “{name}” ({id}).",
)
application_.sends(
    "rename",
    applications.EditApplication,
    [PROJECT, APPLICATION, "name"],
    done="Renamed “{application.name}” to “{name}”.",
)
application_.sends(
    "due", applications.SetApplicationDueDate, [PROJECT, APPLICATION, "due"], done="“{name}” is due {due:on no day}."
)
application_.sends(
    "assign",
    applications.AssignApplication,
    [PROJECT, APPLICATION, MEMBERS],
    help="Set the members of an application; without any, remove them.",
    done="Assigned to “{application.name}”: {people:nobody}.",
)
application_.sends(
    "move",
    applications.ReorderApplication,
    [
        PROJECT,
        APPLICATION,
        PHASE,
        APPLICATION.option("--before", "The application of the phase to put it before (default: last).", "before_id"),
    ],
    help="Move an application to a phase, or within one.",
    done="“{name}” is in phase “{phase.name}”.",
)
application_.sends(
    "remove",
    applications.RemoveApplication,
    [PROJECT, APPLICATION],
    done="Removed “{application.name}”. Undo with “podium undo”.",
)
