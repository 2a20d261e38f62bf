"""Search: the texts of the projects that the user can see, and the names in the workspace that all users share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from core.domain.grants import PermissionQuery
from core.domain.model import WORKSPACE, Id, Status, User
from core.domain.permissions import Permission
from core.domain.products.products import Product
from core.domain.templates import Template
from core.engine.messages import Query
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput
from core.record import COLLECTION, Record, field
from core.rules.visibility import hidden_reason, my_projects_with_questions, seen
from core.storage.database import Row, placeholders
from core.text.excerpts import Mark, excerpt, match_spans, words_of
from core.text.phrases import in_words

MAX_COUNT = 200
"""The most results of one search."""

MAX_SHARED = 5_000
"""Templates, products and people that are examined for a guest, who can see only a few of them."""

_ID = re.compile(r"[0-9A-Z]{26}")


class SearchHitKind(StrEnum):
    """The kinds of records that a search finds."""

    PROJECT = "PROJECT"
    PHASE = "PHASE"
    DELIVERABLE = "DELIVERABLE"
    TASK = "TASK"
    ACTIVITY = "ACTIVITY"
    COMMENT = "COMMENT"
    APPLICATION = "APPLICATION"
    TEMPLATE = "TEMPLATE"
    PRODUCT = "PRODUCT"
    PERSON = "PERSON"


_OUT_OF_USE = {SearchHitKind.PRODUCT: "retired", SearchHitKind.PERSON: "deactivated"}


class SearchHit(Record):
    """A search result and its place. Each ``marks`` field has the positions of the words in the text before it."""

    kind: SearchHitKind
    id: Id
    project_id: Id
    """The id of its project, or WORKSPACE."""
    project: str
    phase: str
    title: str
    """Its name; for a comment, the title of the card."""
    title_marks: tuple[Mark, ...]
    excerpt: str
    """The further text around the words; empty if they are only in the title."""
    excerpt_marks: tuple[Mark, ...]
    status: Status | None
    """The status of a task or an activity; for a comment, the status of the card."""
    out_of_use: bool
    """True if it or its project is archived, if a product is retired, or if a person is deactivated."""
    target_id: Id
    """The record to open: the card of a comment, the phase of a deliverable, else the result itself."""

    @property
    def what(self) -> str:
        """Its kind and state in words: "task, in progress"; "archived project"."""
        kind = in_words(self.kind)
        if self.out_of_use:
            return f"{_OUT_OF_USE.get(self.kind, 'archived')} {kind}"
        return f"{kind}, {in_words(self.status)}" if self.status and self.kind is not SearchHitKind.COMMENT else kind


class SearchResult(Record):
    """The results, the best first, and the words that were searched for."""

    found: tuple[SearchHit, ...] = field(name=COLLECTION)
    words: tuple[str, ...]
    """The words of the text. A text of punctuation alone has none and finds nothing."""
    more: bool = False
    """True if there are more results than listed."""
    unseen: int = 0
    """The number of my projects that cannot be searched at the moment."""


class Search(Query[SearchResult]):
    """Find projects, phases, cards, comments, templates, products and people by words, or one of them by its id.

    The search covers only projects on which I have PROJECT_VIEW; with ``project_id`` only that project. Guests find the
    templates, products and people that they can see.
    """

    route = "GET /v1/search"
    permission = Permission.WORKSPACE_VIEW
    text: str
    project_id: Id | None = None
    most: int = 50

    def scope(self, view: Snapshot) -> Id:
        return self.project_id or WORKSPACE

    def needs(self, view: Snapshot) -> Permission:
        return Permission.PROJECT_VIEW if self.project_id else Permission.WORKSPACE_VIEW

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return () if self.project_id else tuple(my_projects_with_questions(view, archived=True).values())

    def run(self, view: Snapshot) -> SearchResult:
        if not 1 <= self.most <= MAX_COUNT:
            raise InvalidInput("most", f"A search lists 1 to {MAX_COUNT} results.")
        words, scopes, unseen = words_of(self.text), *self._scopes(view)
        rows = _named(view, self.text, scopes) or self._with(view, words, scopes)
        projects = _projects(view, {row["scope"] for row in rows})
        found = [_found(view, row, projects.get(row["scope"]), words) for row in rows[: self.most]]
        return SearchResult(found=tuple(found), words=words, more=len(rows) > self.most, unseen=unseen)

    def _with(self, view: Snapshot, words: tuple[str, ...], scopes: list[Id]) -> list[Row]:
        """Return the rows with the words, one more than is listed; for guests those of their projects come first."""
        most = self.most + 1
        if not view.by_guest:
            return view.tx.search(words, scopes, most)
        projects = view.tx.search(words, [scope for scope in scopes if scope != WORKSPACE], most)
        shared = view.tx.search(words, [WORKSPACE], MAX_SHARED) if WORKSPACE in scopes else []
        return [*projects, *_seen(view, shared)][:most]

    def _scopes(self, view: Snapshot) -> tuple[list[Id], int]:
        """Return the scopes to search, and the number of my projects that cannot be searched."""
        if self.project_id:
            return [self.project_id], 0
        mine = my_projects_with_questions(view, archived=True)
        sanitized = [project for project, query in mine.items() if not hidden_reason(view.answers.get(query))]
        return [WORKSPACE, *sanitized], len(mine) - len(sanitized)


def _named(view: Snapshot, text: str, scopes: list[Id]) -> list[Row]:
    """Return the record with this id, if the sender can see it."""
    wanted = text.strip().upper()
    if not _ID.fullmatch(wanted):
        return []
    rows = view.rows("SELECT scope, kind, ref_id, title, body FROM search_doc WHERE ref_id = :id", id=wanted)
    return _seen(view, [row for row in rows if row["scope"] in scopes])


def _seen(view: Snapshot, rows: list[Row]) -> list[Row]:
    """Return the rows that the sender can see: for a guest, only some of the rows that the workspace shares."""
    ids = {row["ref_id"] for row in rows if row["scope"] == WORKSPACE}
    if not ids or not view.by_guest:
        return rows
    chosen, params = placeholders(ids)
    known: set[Id] = set()
    known |= {each.id for each in seen(view, view.all(User, f"id IN {chosen}", **params))}
    known |= {each.id for each in seen(view, view.all(Product, f"id IN {chosen}", **params))}
    known |= {each.id for each in seen(view, view.all(Template, f"id IN {chosen}", **params))}
    return [row for row in rows if row["scope"] != WORKSPACE or row["ref_id"] in known]


def _projects(view: Snapshot, ids: set[Id]) -> dict[Id, Row]:
    marks, params = placeholders(ids)
    return {
        row["id"]: row for row in view.rows(f"SELECT id, name, archived FROM project WHERE id IN {marks}", **params)
    }


def _place(columns: str, table: str, holder: str = "", join: str = "") -> str:
    """Return the SELECT of a result's fields beside its text. ``holder`` is the table with the phase of the row."""
    holder = holder or table
    return (
        f"SELECT phase.name AS phase, {columns} FROM {table} {join}"
        f" JOIN phase ON phase.project_id = {holder}.project_id AND phase.id = {holder}.phase_id"
        f" WHERE {table}.project_id = :scope AND {table}.id = :id"
    )


_CARD = "item.title, item.status, item.id AS target_id"
_PLACES = {
    "ITEM": _place(f"item.kind, {_CARD}", "item"),
    "COMMENT": _place(
        _CARD, "comment", "item", "JOIN item ON item.project_id = comment.project_id AND item.id = comment.item_id"
    ),
    "DELIVERABLE": _place("phase.id AS target_id", "deliverable"),
    "APPLICATION": _place("application.name AS title", "application"),
    "PRODUCT": "SELECT retired AS out_of_use FROM product WHERE id = :id",
    "PERSON": "SELECT 1 - active AS out_of_use FROM app_user WHERE id = :id",
}
"""The SELECT of a result's place and its other fields, by kind of document."""


def _found(view: Snapshot, document: Row, project: Row | None, words: tuple[str, ...]) -> SearchHit:
    kind, scope, ref_id = document["kind"], document["scope"], document["ref_id"]
    place: Mapping[str, Any] = {"kind": kind, "title": document["title"], "target_id": ref_id, "phase": ""}
    if kind in _PLACES:
        params = {"id": ref_id} if scope == WORKSPACE else {"id": ref_id, "scope": scope}
        place = {**place, **view.rows(_PLACES[kind], **params)[0]}
    status = Status(place["status"]) if "status" in place else None
    around = excerpt(document["body"], words)
    return SearchHit(
        kind=SearchHitKind(place["kind"]),
        id=ref_id,
        project_id=scope,
        project=project["name"] if project else "",
        phase=place["phase"],
        title=place["title"],
        title_marks=match_spans(place["title"], words),
        excerpt=around.text,
        excerpt_marks=around.marks,
        status=status,
        out_of_use=bool(place.get("out_of_use") or (project and project["archived"]) or status is Status.ARCHIVED),
        target_id=place["target_id"],
    )
