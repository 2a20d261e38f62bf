"""Search: the texts of the projects that the user can see, and the names in the workspace that all users share."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import NamedTuple

from core.domain.grants import LOCAL, PermissionQuery
from core.domain.model import WORKSPACE, Id, Status, User
from core.domain.permissions import Permission
from core.domain.products.products import Product
from core.domain.templates import Template
from core.engine.messages import MoreGrantsNeeded, Query
from core.engine.project_guard import hidden_reason, visible_among
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidInput
from core.record import COLLECTION, Record, field
from core.rules.visibility import by_answers, my_projects_with_questions, my_roles, shared_with_guest
from core.storage.database import Row, Statement, placeholders
from core.text.excerpts import Mark, excerpt, match_spans, words_of
from core.text.phrases import in_words
from core.text.short_keys import card_key, read_card_key, read_project_key

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
    key: str
    """The key of a card or a project: AUT-12, AUT. Empty for other records; of a comment, the key of its card."""
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
    """Find projects, phases, cards, comments, templates, products and people by words, or one of them by id or key.

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
        if self.project_id or _can_see_all(view):
            return ()
        return tuple(my_projects_with_questions(view, archived=True).values())

    def run(self, view: Snapshot) -> SearchResult:
        if not 1 <= self.most <= MAX_COUNT:
            raise InvalidInput("most", f"A search lists 1 to {MAX_COUNT} results.")
        words, scopes, unseen = words_of(self.text), *self._scopes(view)
        rows = _find_by_id_or_key(view, self.text, scopes) or self._with_project(view, words, scopes)
        if scopes.member:  # asks about their projects; if one cannot be seen, all are asked about
            seen = {WORKSPACE} | visible_among(view, {row["scope"] for row in rows} - {WORKSPACE})
            rows = [row for row in rows if row["scope"] in seen]
        listed = rows[: self.most]
        projects, places = view.tx.tuples_all([_projects({row["scope"] for row in listed}), _places(listed)])
        names = {project_id: _Project(*more) for project_id, *more in projects}
        place_of = {ref_id: _Place(*more) for ref_id, *more in places}
        found = tuple(
            _make_hit(row, names.get(row["scope"]), place_of.get(row["ref_id"], _NOWHERE), words) for row in listed
        )
        return SearchResult(found=found, words=words, more=len(rows) > self.most, unseen=unseen)

    def _with(self, view: Snapshot, words: tuple[str, ...], scopes: _Scopes) -> list[Row]:
        """Return the rows with the words, one more than is listed; for guests those of their projects come first."""
        most = self.most + 1
        if not view.by_guest:
            return view.tx.search(words, scopes.ids, most, scopes.member)
        projects = view.tx.search(words, [each for each in scopes.ids if each != WORKSPACE], most, scopes.member)
        if len(projects) == most or WORKSPACE not in scopes.ids:
            return projects
        return [*projects, *_keep_visible(view, scopes, view.tx.search(words, [WORKSPACE], MAX_SHARED))][:most]

    def _with_project(self, view: Snapshot, words: tuple[str, ...], scopes: _Scopes) -> list[Row]:
        """Return the rows with the words, and before them the project of which the text is a key."""
        found, key = self._with(view, words, scopes), read_project_key(self.text)
        if key is None or not (named := _documents(view, scopes, _OF_PROJECT, key=key)):
            return found
        ref_id = named[0]["ref_id"]
        return [*named, *(row for row in found if row["ref_id"] != ref_id)][: self.most + 1]

    def _scopes(self, view: Snapshot) -> tuple[_Scopes, int]:
        """Return the scopes to search, and the number of my projects that cannot be searched."""
        if self.project_id:
            return _Scopes([self.project_id]), 0
        if _can_see_all(view):
            return _Scopes([WORKSPACE], view.actor.user_id), 0
        mine = my_projects_with_questions(view, archived=True)
        if unanswered := tuple(question for question in mine.values() if question not in view.answers):
            raise MoreGrantsNeeded(unanswered)
        visible, hidden = by_answers(view, mine)
        return _Scopes([WORKSPACE, *visible]), len(hidden)


class _Scopes(NamedTuple):
    """The scopes of a search."""

    ids: list[Id]
    member: Id = ""
    """The user whose projects are searched too, without reading which they are; "" for none."""

    def among(self, view: Snapshot, rows: list[Row]) -> list[Row]:
        """Return the rows in these scopes."""
        mine = my_roles(view, {row["scope"] for row in rows}) if self.member and rows else {}
        return [row for row in rows if row["scope"] in self.ids or row["scope"] in mine]


def _can_see_all(view: Snapshot) -> bool:
    """Return whether the sender can see all their projects, as far as is known.

    The database lets members see their projects, so it is asked only about those of the results. Of a service all
    answers are needed: which of them say no must not depend on what is found.
    """
    is_local = view.grant.authority.source == LOCAL.source
    return is_local and not any(map(hidden_reason, view.answers.values()))


def _find_by_id_or_key(view: Snapshot, text: str, scopes: _Scopes) -> list[Row]:
    """Return the record with this id, or the card with this key, if the sender can see it."""
    wanted = text.strip().upper()
    if card := read_card_key(wanted):
        return _documents(view, scopes, _OF_CARD, key=card[0], number=card[1])
    if not _ID.fullmatch(wanted):
        return []
    return _keep_visible(view, scopes, _documents(view, scopes, ":id", id=wanted))


_OF_PROJECT = "SELECT project_id FROM project_key WHERE key = :key"
_OF_CARD = (
    "SELECT item.id FROM project_key JOIN item ON item.project_id = project_key.project_id AND item.number = :number"
    " WHERE project_key.key = :key"
)


def _documents(view: Snapshot, scopes: _Scopes, ids: str, **params: object) -> list[Row]:
    """Return the documents of the records that a statement finds, in these scopes."""
    columns = ("scope", "kind", "ref_id", "title", "body")
    rows = view.tx.tuples(f"SELECT {', '.join(columns)} FROM search_doc WHERE ref_id IN ({ids})", **params)
    return scopes.among(view, [dict(zip(columns, row, strict=True)) for row in rows])


def _keep_visible(view: Snapshot, scopes: _Scopes, rows: list[Row]) -> list[Row]:
    """Return the rows that the sender can see: for a guest, only some of the rows that the workspace shares."""
    if not view.by_guest or all(row["scope"] != WORKSPACE for row in rows):
        return rows
    known = shared_with_guest(view, User, Product, Template, of_members=bool(scopes.member))
    return [row for row in rows if row["scope"] != WORKSPACE or row["ref_id"] in known]


class _Project(NamedTuple):
    """The name, the state and the key of a project."""

    name: str
    archived: int
    key: str


class _Place(NamedTuple):
    """The fields of a result that its document does not have, with their values where its kind has no others."""

    kind: str | None = None
    phase: str | None = None
    title: str | None = None
    status: str | None = None
    target_id: Id | None = None
    out_of_use: int = 0
    number: int = 0


_NOWHERE = _Place()


def _projects(scopes: Collection[Id]) -> Statement:
    """Return the statement that reads the projects among these scopes."""
    marks, params = placeholders(scopes)
    return f"SELECT id, name, archived, key FROM project WHERE id IN {marks}", params


_NO_PLACE = {field: "NULL" if value is None else str(value) for field, value in _NOWHERE._asdict().items()}


def _place(joined: str, **columns: str) -> str:
    """Return the SELECT of these fields. ``joined`` are the tables and the conditions by which a key finds its row.

    A CROSS JOIN has SQLite look each row up by its key, instead of reading the table.
    """
    fields = ", ".join(columns.get(field, _NO_PLACE[field]) for field in _Place._fields)
    return f"SELECT found.column2, {fields} FROM (VALUES {{keys}}) AS found CROSS JOIN {joined}"


def _in_phase(tables: str, keyed: str, holder: str, **columns: str) -> str:
    """Return the SELECT for rows of the table ``keyed``. The column ``phase_id`` of ``holder`` names their phase."""
    return _place(
        f"{tables} CROSS JOIN phase"
        f" WHERE {keyed}.project_id = found.column1 AND {keyed}.id = found.column2"
        f" AND phase.project_id = {holder}.project_id AND phase.id = {holder}.phase_id",
        phase="phase.name",
        **columns,
    )


_CARD = {"title": "item.title", "status": "item.status", "target_id": "item.id", "number": "item.number"}
_COMMENTED = "comment JOIN item ON item.project_id = comment.project_id AND item.id = comment.item_id"
_PLACES = {
    "ITEM": _in_phase("item", "item", "item", kind="item.kind", **_CARD),
    "COMMENT": _in_phase(_COMMENTED, "comment", "item", **_CARD),
    "DELIVERABLE": _in_phase("deliverable", "deliverable", "deliverable", target_id="phase.id"),
    "APPLICATION": _in_phase("application", "application", "application"),
    "PRODUCT": _place("product WHERE product.id = found.column2", out_of_use="product.retired"),
    "PERSON": _place("app_user WHERE app_user.id = found.column2", out_of_use="1 - app_user.active"),
}
"""The SELECT of these fields by kind of document, with a place for its ``keys``: pairs of a scope and an id."""


def _places(documents: Iterable[Row]) -> Statement:
    """Return the statement that reads the places of the results, of all kinds."""
    keys: dict[str, list[str]] = {}
    params: dict[str, object] = {}
    for number, document in enumerate(documents):
        if document["kind"] in _PLACES:
            keys.setdefault(document["kind"], []).append(f"(:scope{number}, :id{number})")
            params |= {f"scope{number}": document["scope"], f"id{number}": document["ref_id"]}
    selects = [_PLACES[kind].format(keys=", ".join(listed)) for kind, listed in keys.items()]
    return " UNION ALL ".join(selects or ["SELECT NULL WHERE 1 = 0"]), params


def _key(project: _Project | None, kind: str, number: int) -> str:
    if project and number:
        return card_key(project.key, number)
    return project.key if project and kind == SearchHitKind.PROJECT else ""


def _make_hit(document: Row, project: _Project | None, place: _Place, words: tuple[str, ...]) -> SearchHit:
    status = Status(place.status) if place.status else None
    title = place.title or document["title"]
    around = excerpt(document["body"], words)
    return SearchHit(
        kind=SearchHitKind(place.kind or document["kind"]),
        id=document["ref_id"],
        project_id=document["scope"],
        key=_key(project, document["kind"], place.number),
        project=project.name if project else "",
        phase=place.phase or "",
        title=title,
        title_marks=match_spans(title, words),
        excerpt=around.text,
        excerpt_marks=around.marks,
        status=status,
        out_of_use=bool(place.out_of_use or (project and project.archived) or status is Status.ARCHIVED),
        target_id=place.target_id or document["ref_id"],
    )
