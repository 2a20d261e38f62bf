"""The check of a form that is open: has the record changed since it was read?"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from core.domain.gates import Deliverable
from core.domain.model import WORKSPACE, HierarchyNode, Id, Item, Phase, Project, User
from core.domain.permissions import Permission
from core.domain.products.products import Application, ApplicationRole, MetaRole, Product
from core.domain.templates import Template
from core.engine.messages import Query
from core.engine.project_guard import check_project
from core.engine.unit_of_work import Snapshot


class RecordKind(StrEnum):
    """The kinds of records that people edit in forms."""

    ITEM = "ITEM"
    APPLICATION = "APPLICATION"
    PHASE = "PHASE"
    DELIVERABLE = "DELIVERABLE"
    PROJECT = "PROJECT"
    PRODUCT = "PRODUCT"
    APPLICATION_ROLE = "APPLICATION_ROLE"
    META_ROLE = "META_ROLE"
    NODE = "NODE"
    TEMPLATE = "TEMPLATE"
    USER = "USER"


RECORDS: dict[RecordKind, type[Any]] = {
    RecordKind.ITEM: Item,
    RecordKind.APPLICATION: Application,
    RecordKind.PHASE: Phase,
    RecordKind.DELIVERABLE: Deliverable,
    RecordKind.PROJECT: Project,
    RecordKind.PRODUCT: Product,
    RecordKind.APPLICATION_ROLE: ApplicationRole,
    RecordKind.META_ROLE: MetaRole,
    RecordKind.NODE: HierarchyNode,
    RecordKind.TEMPLATE: Template,
    RecordKind.USER: User,
}

OF_WORKSPACE = {
    RecordKind.PRODUCT: Permission.PRODUCT_MANAGE,
    RecordKind.APPLICATION_ROLE: Permission.PRODUCT_MANAGE,
    RecordKind.META_ROLE: Permission.META_ROLE_MANAGE,
    RecordKind.NODE: Permission.HIERARCHY_MANAGE,
    RecordKind.TEMPLATE: Permission.TEMPLATE_MANAGE,
    RecordKind.USER: Permission.USER_MANAGE,
}
"""The permission for each kind of record of the workspace: to edit it, because a conflict shows earlier versions."""


class CheckVersion(Query[int]):
    """Check that a record is still as I saw it, and return its version.

    Refused as a change would be: with VERSION_CONFLICT, which has both versions, with NOT_FOUND, or because the project
    is archived.
    """

    route = "GET /v1/records/{record_id}/version"
    permission = Permission.PROJECT_VIEW
    record_id: Id
    kind: RecordKind
    seen_version: int

    def scope(self, view: Snapshot) -> Id:
        if self.kind in OF_WORKSPACE:
            return WORKSPACE
        record = view.get(RECORDS[self.kind], id=self.record_id)
        return str(record.id if self.kind is RecordKind.PROJECT else record.project_id)

    def needs(self, view: Snapshot) -> Permission:
        return OF_WORKSPACE.get(self.kind, self.permission)

    def run(self, view: Snapshot) -> int:
        record = view.get(RECORDS[self.kind], seen_version=self.seen_version, id=self.record_id)
        if self.kind not in OF_WORKSPACE:
            check_project(view)
        return int(record.version)
