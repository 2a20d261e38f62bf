"""The nouns around a project that no Canvas needs before its first paint: products, applications, meta roles.

Records like those of ``core.domain.model``, in a module of their own so that an ordinary start does not make them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from core.domain.model import Id, NodeKind, ProjectRole


class LaunchKind(StrEnum):
    """How a product is launched."""

    WEB = "WEB"
    """A URL: ``https``, or ``http`` on this machine."""
    TERMINAL = "TERMINAL"
    """An argument vector, run without a shell in the person's own terminal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """An entry of the workspace's product registry.

    ``required_context`` are the levels that a project must link, no more and no fewer, to hold an application of it.
    ``permission_codes`` are the product's own; its application roles hold some of them. A retired product launches as
    before and gets no new applications.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationRole:
    """A role of a product: the codes it holds, and the meta roles that bring it (source document, section 5)."""

    id: Id
    product_id: Id
    name: str
    permission_codes: tuple[str, ...] = ()
    meta_role_ids: tuple[Id, ...] = ()
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """An instance of a product on a phase, or on an activity of it. Members are assigned by ``Assignment``."""

    project_id: Id
    id: Id
    product_id: Id
    phase_id: Id
    rank: str
    name: str
    activity_id: Id | None = None
    due: date | None = None
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """One launch, kept for good: who, when, what was handed over. ``project_id`` is WORKSPACE without a project.

    ``code_hash`` is the SHA-256 of the single-use code of a web product, empty where none was made.
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
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaRole:
    """A role name of the workspace that products map their roles to."""

    id: Id
    name: str
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleMapping:
    """A project role brings a meta role, on every project."""

    project_role: ProjectRole
    meta_role_id: Id
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberMetaRole:
    """A meta role that was given to a member of a project explicitly."""

    project_id: Id
    user_id: Id
    meta_role_id: Id
    version: int = 1
