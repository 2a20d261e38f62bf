"""Launches: the context that a product receives, and the record of each launch."""

from __future__ import annotations

from collections.abc import Mapping

from core.domain.model import WORKSPACE, HierarchyNode, Id, NodeKind, Project
from core.domain.permissions import Permission
from core.domain.products.fit import FOR_LAUNCH, misfit
from core.domain.products.launch_context import (
    Hierarchy,
    LaunchContext,
    LaunchedProject,
    LaunchItem,
    LinkedNode,
    hash_code,
    new_code,
)
from core.domain.products.products import Application, Launch, LaunchKind, Product
from core.engine.messages import Command, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import RuleViolation
from core.record import Record
from core.rules.hierarchy import complete_links


class LaunchPayload(Record):
    """The data for a launch. ``core.domain.products.launch_context`` makes the URL or the environment of it."""

    launch: Launch
    product: Product
    context: LaunchContext
    code: str
    """The single-use code of a web product, of which only the hash is stored; empty for a terminal product."""


class GetLaunchContext(Query[LaunchContext]):
    """Show the launch context that an application would get."""

    route = "GET /v1/applications/{application_id}/context"
    permission = Permission.PROJECT_VIEW
    application_id: Id

    def scope(self, view: Snapshot) -> Id:
        return view.get(Application, id=self.application_id).project_id

    def run(self, view: Snapshot) -> LaunchContext:
        return _context_of(view, view.get(Application, id=self.application_id))


class LaunchApplication(Command[LaunchPayload]):
    """Launch an application from its project, and record the launch in the history."""

    route = "POST /v1/applications/{application_id}/launch"
    permission = Permission.APPLICATION_LAUNCH
    creates = True
    undoable = False
    returns_secret = True
    application_id: Id

    def scope(self, view: Snapshot) -> Id:
        return view.get(Application, id=self.application_id).project_id

    def run(self, work: UnitOfWork) -> LaunchPayload:
        application = work.get(Application, project_id=work.scope, id=self.application_id)
        work.say(f"launched “{application.name}”")
        product = work.get(Product, id=application.product_id)
        return _launch(work, product, application, _context_of(work, application))


class GetProductContext(Query[LaunchContext]):
    """Show the launch context that a product would get from the product list."""

    route = "GET /v1/products/{product_id}/context"
    permission = Permission.PRODUCT_LAUNCH
    product_id: Id
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None

    def run(self, view: Snapshot) -> LaunchContext:
        product = view.get(Product, id=self.product_id)
        return _chosen_context(view, product, self.client_id, self.market_id, self.brand_id)


class LaunchProduct(Command[LaunchPayload]):
    """Launch a product from the product list, with chosen hierarchy nodes and without a project.

    The nodes must be exactly those that the product requires, as in a project: a product never receives a context that
    it did not ask for. A retired product can still be launched.
    """

    route = "POST /v1/products/{product_id}/launch"
    permission = Permission.PRODUCT_LAUNCH
    creates = True
    undoable = False
    returns_secret = True
    product_id: Id
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None

    def run(self, work: UnitOfWork) -> LaunchPayload:
        product = work.get(Product, id=self.product_id)
        work.say(f"launched “{product.name}”")
        context = _chosen_context(work, product, self.client_id, self.market_id, self.brand_id)
        return _launch(work, product, None, context)


def _context_of(view: Snapshot, application: Application) -> LaunchContext:
    """Return the launch context of an application: its project, itself as the only item, and the links."""
    project = view.get(Project, id=application.project_id)
    item = LaunchItem(application.id, "APPLICATION", application.phase_id, application.activity_id)
    return LaunchContext(
        LaunchedProject(project.id, project.name, (item,)),
        _hierarchy(view, project.links),
        {"projectAuthId": project.auth_id},
    )


def _chosen_context(
    view: Snapshot, product: Product, client_id: Id | None, market_id: Id | None, brand_id: Id | None
) -> LaunchContext:
    """Return the launch context without a project. Raises RuleViolation for nodes that contradict or do not fit."""
    links = complete_links(view, client_id, market_id, brand_id)
    chosen = [level for level, node_id in links.items() if node_id]
    refusal = misfit(product.name, product.required_context, chosen, FOR_LAUNCH)
    if refusal:
        raise RuleViolation(refusal)
    return LaunchContext(None, _hierarchy(view, links), {})


def _hierarchy(view: Snapshot, links: Mapping[NodeKind, Id | None]) -> Hierarchy:
    nodes = [view.get(HierarchyNode, id=id_) if (id_ := links[level]) else None for level in NodeKind]
    return Hierarchy(*(LinkedNode(node.id, node.name) if node else None for node in nodes))


def _launch(
    work: UnitOfWork, product: Product, application: Application | None, context: LaunchContext
) -> LaunchPayload:
    """Record the launch, with the hash of a new code for a web product."""
    code = new_code() if product.kind is LaunchKind.WEB else ""
    launch = Launch(
        project_id=application.project_id if application else WORKSPACE,
        id=new_id(),
        product_id=product.id,
        application_id=application.id if application else None,
        user_id=work.actor.user_id,
        at=work.now,
        context=context.as_json(),
        code_hash=hash_code(code) if code else "",
        sign_in=work.actor.sign_in,
    )
    return LaunchPayload(launch=work.insert(launch), product=product, context=context, code=code)
