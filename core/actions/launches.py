"""Launching products: what they are handed, and the record of each launch."""

from __future__ import annotations

from dataclasses import dataclass

from core.launch import LaunchContext
from core.messages import Command, Query
from core.model import Id
from core.products import Launch, Product
from core.rights import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """What a front end needs to launch; ``core.launch`` makes of it the URL or the environment."""

    launch: Launch
    product: Product
    context: LaunchContext
    code: str
    """The single-use code of a web product: kept nowhere, only its hash is; empty for a terminal product."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowLaunchContext(Query[LaunchContext]):
    """The context object that an application would be launched with."""

    route = "GET /v1/applications/{application_id}/context"
    permission = Permission.PROJECT_VIEW
    application_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchApplication(Command[Handover]):
    """Launch an application from its project; the launch stands in the history."""

    route = "POST /v1/applications/{application_id}/launch"
    permission = Permission.APPLICATION_LAUNCH
    undoable = False
    application_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowProductContext(Query[LaunchContext]):
    """The context object that a product would be launched with from the product list."""

    route = "GET /v1/products/{product_id}/context"
    permission = Permission.PRODUCT_LAUNCH
    product_id: Id
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchProduct(Command[Handover]):
    """Launch a product from the product list, with the hierarchy that is chosen and without a project."""

    route = "POST /v1/products/{product_id}/launch"
    permission = Permission.PRODUCT_LAUNCH
    undoable = False
    product_id: Id
    client_id: Id | None = None
    market_id: Id | None = None
    brand_id: Id | None = None
