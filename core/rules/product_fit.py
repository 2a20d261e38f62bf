"""The rule that the applications of a project fit its links, checked whenever either changes."""

from __future__ import annotations

import json

from core.domain.model import NodeKind, Project
from core.domain.products.fit import levels, linked_levels, misfit
from core.domain.products.products import Product
from core.engine.project_guard import owners
from core.engine.unit_of_work import Snapshot
from core.errors import OBSTACLES_LISTED, Blocker, RuleViolation
from core.text.phrases import count, names


def check_product_fits(project: Project, product: Product) -> None:
    """Raise RuleViolation if the project cannot have an application of the product."""
    refusal = misfit(product.name, product.required_context, linked_levels(project))
    if refusal:
        raise RuleViolation(refusal)


def check_existing_applications_fit(view: Snapshot, product: Product) -> None:
    """Check that the projects with applications of a product still have the links that it requires.

    Raises RuleViolation with the number of projects. It names none, since only their members may know of them.
    """
    where = "id IN (SELECT project_id FROM application WHERE product_id = :id)"
    linked = [linked_levels(project) for project in view.all(Project, where, id=product.id)]
    if wrong := sum(bool(misfit(product.name, product.required_context, each)) for each in linked):
        raise RuleViolation(
            f"“{product.name}” is used in {count(wrong, 'project')} that would no longer fit what it requires."
            " Remove its applications there first, or register another product."
        )


def check_applications_fit(view: Snapshot, project: Project) -> None:
    """Check that all applications of a project fit its links. Raises RuleViolation, which names those that do not."""
    linked = linked_levels(project)
    rows = view.rows(
        "SELECT application.id, application.name, phase.name AS phase, product.name AS product, required_context"
        " FROM application JOIN product ON product.id = application.product_id"
        " JOIN phase ON phase.project_id = application.project_id AND phase.id = application.phase_id"
        " WHERE application.project_id = :project_id ORDER BY phase.rank, application.rank, application.id",
        project_id=project.id,
    )
    required = {row["id"]: [NodeKind(level) for level in json.loads(row["required_context"])] for row in rows}
    wrong = [row for row in rows if misfit(row["product"], required[row["id"]], linked)]
    if not wrong:
        return
    listed = names([f"“{row['name']}” (requires {levels(required[row['id']])})" for row in wrong[:OBSTACLES_LISTED]])
    one = len(wrong) == 1
    raise RuleViolation(
        f"With {levels(linked)}{' linked' if linked else ''}, {count(len(wrong), 'application')} of"
        f" “{project.name}” would no longer fit: {listed}. Remove {'it' if one else 'them'} from the project first, or"
        f" link exactly the levels that {'it requires' if one else 'they require'}.",
        blockers=tuple(
            Blocker(row["id"], "APPLICATION", row["name"], row["phase"]) for row in wrong[:OBSTACLES_LISTED]
        ),
        who_can=owners(view, project.id),
    )
