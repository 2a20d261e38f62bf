"""Finds the people, products, meta roles and links of a document in this workspace, and lists those that are missing.

A person is found by e-mail address first, because it is the same in any workspace; then by login, then by full name if
only one user has it. A guest, who sees no e-mail addresses, finds nobody by one. Only members, who completed or
delivered, and whom gates name are looked up: the authors of comments and decisions stay text. A product
that is retired, or does not fit the links, counts as missing, because it gets no new applications.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product as combinations
from typing import TypeVar

from core.domain.labels import Label
from core.domain.model import WORKSPACE, HierarchyNode, Id, NodeKind, User
from core.domain.products.fit import misfit
from core.domain.products.products import MetaRole, Product
from core.engine.project_guard import visible_among
from core.engine.unit_of_work import Snapshot
from core.errors import InvalidImport, PodiumError
from core.import_export.document import PersonEntry, ProjectDocument
from core.import_export.validation import check_label_count
from core.record import Record
from core.rules.hierarchy import complete_links
from core.rules.labels import labels_of
from core.storage.database import batches, placeholders
from core.text.phrases import names, some
from core.text.short_keys import read_card_key

T = TypeVar("T")

Links = Mapping[NodeKind, Id | None]
NAMED = 8
"""The most missing names in one refusal."""


class MissingReference(Record, kw_only=False):
    """A person, product, meta role or link in the document that the workspace does not have."""

    kind: str
    name: str
    why: str = ""
    login: str = ""
    """The login of a person in the document."""
    can_invite: bool = False
    """True if the sender can invite this person, who is in the workspace and no member yet."""


class NameMatches(Record, kw_only=False):
    """The records of this workspace by their names in the document. Names that are missing have none."""

    people: Mapping[str, User]
    products: Mapping[str, Product]
    meta_roles: Mapping[str, MetaRole]
    links: Links
    labels: Mapping[str, Label]
    """The labels of the workspace that take the place of equal ones of the document."""
    cards: Mapping[str, tuple[Id, Id]]
    """The project and the id of the cards of other projects, by their keys."""
    missing: tuple[MissingReference, ...]


def match(view: Snapshot, document: ProjectDocument) -> NameMatches:
    """Look up all names of a document."""
    people, missing = find_people(view, document)
    links = _links(view, document, missing)
    return NameMatches(
        people=people,
        products=_products(view, document, links, missing),
        meta_roles=_meta_roles(view, document, missing),
        links=links,
        labels=_labels(view, document),
        cards=_cards(view, document, missing),
        missing=tuple(missing),
    )


def find_people(view: Snapshot, document: ProjectDocument) -> tuple[dict[str, User], list[MissingReference]]:
    """Look up the people of a document, by their logins in it. Return those that are here, and the others."""
    found: dict[str, User] = {}
    missing: list[MissingReference] = []
    by_name: dict[str, list[User]] | None = None
    workers, named = document.workers, document.named_at_gates
    people = [each for each in document.people if each.role is not None or each.login in workers | named]
    by_email = _by(view, User, "email", (person.email for person in people if person.email))
    by_login = _by(view, User, "login", (person.login.lower() for person in people))
    for person in people:
        user = by_email.get(person.email) or by_login.get(person.login.lower())
        if user is None:
            by_name = by_name if by_name is not None else _users_by_name(view)
            same = by_name.get((person.name or person.login).casefold(), [])
            user = same[0] if len(same) == 1 else None
        if user is None:
            why = "who completed or delivered" if person.login in workers else "whom a gate names"
            why = "" if person.role else why
            missing.append(MissingReference("person", describe_person(person), why, login=person.login))
        else:
            found[person.login] = user
    return found, missing


def check_missing(missing: Sequence[MissingReference]) -> None:
    """Raise InvalidImport with these names, if there are any."""
    if not missing:
        return
    listed = some([f"{each.kind} “{each.name}”{each.why and f' ({each.why})'}" for each in missing], NAMED)
    it = "it" if len(missing) == 1 else "them"
    raise InvalidImport(
        "people" if missing[0].kind == "person" else missing[0].kind,
        f"This workspace does not have: {listed}. Add {it} first, or leave out what is unknown.",
    )


def _by(view: Snapshot, record: type[T], column: str, values: Iterable[str]) -> dict[str, T]:
    """The records with one of these values in a column of unique values, by that value, if the sender sees it."""
    found: dict[str, T] = {}
    for part in batches(list(dict.fromkeys(values))):
        chosen, params = placeholders(part)
        seen = [(getattr(each, column), each) for each in view.all(record, f"{column} IN {chosen}", **params)]
        found |= {value: each for value, each in seen if value}
    return found


def describe_person(person: PersonEntry) -> str:
    """A person of the file as text for people: name, login and e-mail, as far as they are known."""
    known = [each for each in (person.login, person.email) if each and each != person.name]
    return (
        f"{person.name} ({', '.join(dict.fromkeys(known))})" if person.name and known else person.name or person.login
    )


def _users_by_name(view: Snapshot) -> dict[str, list[User]]:
    named: dict[str, list[User]] = {}
    for user in view.all(User, "1 = 1"):
        named.setdefault(user.name.casefold(), []).append(user)
    return named


def _links(view: Snapshot, document: ProjectDocument, missing: list[MissingReference]) -> Links:
    """The nodes of the document's path: those with these names and exactly these levels. No nodes for no names.

    A name can occur in several branches of the hierarchy; only the whole path is unique.
    """
    wanted = {NodeKind.CLIENT: document.client, NodeKind.MARKET: document.market, NodeKind.BRAND: document.brand}
    nothing: Links = dict.fromkeys(NodeKind)
    if not any(wanted.values()):
        return nothing
    nodes = view.all(HierarchyNode, "1 = 1")
    choices = [
        [node.id for node in nodes if (node.kind, node.name) == pair] if pair[1] else [None] for pair in wanted.items()
    ]
    for chosen in combinations(*choices):
        links = dict(zip(wanted, chosen, strict=True))
        try:
            if complete_links(view, *chosen) == links:
                return links
        except PodiumError:
            continue
    path = " / ".join(name for name in wanted.values() if name)
    missing.append(
        MissingReference("link", path, f"as {names([kind.lower() for kind, name in wanted.items() if name])}")
    )
    return nothing


def _products(
    view: Snapshot, document: ProjectDocument, links: Links, missing: list[MissingReference]
) -> dict[str, Product]:
    found: dict[str, Product] = {}
    levels = [kind for kind, node in links.items() if node]
    wanted = dict.fromkeys(each.product for phase in document.phases for each in phase.applications)
    products = _by(view, Product, "name", wanted)
    for name in wanted:
        product = products.get(name)
        if product is None:
            missing.append(MissingReference("product", name))
        elif product.retired:
            missing.append(MissingReference("product", name, "it is retired"))
        elif misfit(product.name, product.required_context, levels):
            missing.append(MissingReference("product", name, "it does not fit the links of the project"))
        else:
            found[name] = product
    return found


def _labels(view: Snapshot, document: ProjectDocument) -> dict[str, Label]:
    of_workspace = {(each.name, each.colour, each.sign): each for each in labels_of(view, WORKSPACE)}
    same = {label.name: of_workspace.get((label.name, label.colour, label.sign)) for label in document.labels}
    found = {name: label for name, label in same.items() if label}
    check_label_count(len(document.labels) - len(found))
    return found


def _meta_roles(view: Snapshot, document: ProjectDocument, missing: list[MissingReference]) -> dict[str, MetaRole]:
    here = {role.name: role for role in view.all(MetaRole, "1 = 1")}
    wanted = dict.fromkeys(name for person in document.people for name in person.meta_roles)
    wanted |= dict.fromkeys(each.policy.meta_role for each in document.phases if each.policy and each.policy.meta_role)
    missing += [MissingReference("meta role", name) for name in wanted if name not in here]
    return {name: here[name] for name in wanted if name in here}


def _cards(view: Snapshot, document: ProjectDocument, missing: list[MissingReference]) -> dict[str, tuple[Id, Id]]:
    """The cards of other projects that cards wait for, of the projects that the sender is a member of and can see."""
    wanted = dict.fromkeys(wait.key for item in document.items for wait in item.waits_for if wait.key)
    found: dict[str, tuple[Id, Id]] = {}
    for key in wanted:
        named = read_card_key(key)
        rows = view.tx.tuples(CARD_OF_MINE, key=named[0], number=named[1], me=view.actor.user_id) if named else []
        if rows and rows[0][0] in visible_among(view, {rows[0][0]}):
            found[key] = rows[0][0], rows[0][1]
        else:
            missing.append(MissingReference("card", key, "a card of another project that another card waits for"))
    return found


CARD_OF_MINE = (
    "SELECT item.project_id, item.id FROM item JOIN project_key ON project_key.project_id = item.project_id"
    " WHERE project_key.key = :key AND item.number = :number"
    " AND item.project_id IN (SELECT project_id FROM member WHERE user_id = :me)"
)
"""The statement that reads the card of a key."""
