"""The records of products, applications and meta roles.

They are apart from ``core.domain.model`` because the Canvas does not need them for its first paint, and so an ordinary
start does not import them.
"""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum

from core.domain.model import Id, NodeKind, ProjectRole
from core.record import Record


class LaunchKind(StrEnum):
    """The way in which a product is launched."""

    WEB = "WEB"
    """A URL: ``https``, or ``http`` on this machine."""
    TERMINAL = "TERMINAL"
    """An argument vector, run without a shell in the user's own terminal."""


class Product(Record, table="product"):
    """An entry of the workspace's product registry.

    ``required_context`` are the hierarchy levels that a project must link, no more and no fewer, to use the product.
    ``permission_codes`` are the product's own codes; its roles hold some of them. A retired product can still be
    launched, but gets no new applications.
    """

    id: Id
    name: str
    kind: LaunchKind
    description: str = ""
    url: str = ""
    """Of a web product; empty otherwise."""
    command: tuple[str, ...] = ()
    """Of a terminal product: program and arguments; empty otherwise."""
    required_context: tuple[NodeKind, ...] = ()
    uses_external_authorization: bool = False
    permission_codes: tuple[str, ...] = ()
    retired: bool = False
    version: int = 1


class ApplicationRole(Record, table="application_role"):
    """A role of a product: the codes it holds, and the meta roles that give it."""

    id: Id
    product_id: Id
    name: str
    permission_codes: tuple[str, ...] = ()
    meta_role_ids: tuple[Id, ...] = ()
    version: int = 1


class Application(Record, table="application", key=("project_id", "id")):
    """A product in use on a phase, or on an activity of the phase. Members are assigned by ``Assignment``."""

    project_id: Id
    id: Id
    product_id: Id
    phase_id: Id
    rank: str
    name: str
    activity_id: Id | None = None
    due: date | None = None
    version: int = 1


class Launch(Record, table="launch", key=("project_id", "id")):
    """One launch, kept for good: the user, the time and the context. ``project_id`` is WORKSPACE without a project.

    ``code_hash`` is the SHA-256 of the launch code of a web product, or empty if it has none.
    """

    project_id: Id
    id: Id
    product_id: Id
    application_id: Id | None
    user_id: Id
    at: datetime
    context: str
    """The launch context as JSON."""
    code_hash: str = ""
    exchanged_at: datetime | None = None
    sign_in: str = ""
    """By what the user was signed in, as ``Actor.sign_in`` says: the code ends with it."""
    version: int = 1


class MetaRole(Record, table="meta_role"):
    """A role name of the workspace, to which products map their own roles."""

    id: Id
    name: str
    version: int = 1


class RoleMapping(Record, table="role_mapping", key=("project_role", "meta_role_id")):
    """A meta role that all members with a project role have, on every project."""

    project_role: ProjectRole
    meta_role_id: Id
    version: int = 1


class MemberMetaRole(Record, table="member_meta_role", key=("project_id", "user_id", "meta_role_id")):
    """A meta role that one member has explicitly, on one project."""

    project_id: Id
    user_id: Id
    meta_role_id: Id
    version: int = 1
