"""The origins of imported cards: how the next version of a file finds its cards, and knows what was changed meanwhile.

A card has the program that it came from and its id there. A file without ids, such as a list of titles, names a card by
its title, phase and parent. Of each value that was imported a short hash is kept: a value that has another hash by now
was changed here, and one that has another hash in the file was changed there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from zlib import crc32

from core.domain.dependencies import Dependency
from core.domain.fields import CustomField, ItemField
from core.domain.labels import ItemLabel
from core.domain.max_lengths import SOURCE_ID
from core.domain.model import Assignment, Id, Item
from core.import_export.document import CommentEntry, ItemEntry, ProjectDocument
from core.text.folding import fold
from core.text.label_names import fold_name
from core.text.sanitize import drop_unshown
from core.text.short_keys import card_key

PODIUM = "podium"
"""The program of cards of a document that has no other origins: their ids are their keys."""

THE_FILE = "imported file"
"""The author of comments in which a description goes on."""

COMMENTS = "comments"
"""The name under which the hashes of imported comments are kept, beside those of the values."""


def hash_value(text: str) -> str:
    """Return the short hash of a value; "" for an empty one, so that those need no place."""
    return f"{crc32(text.encode()):08x}" if text else ""


def hash_comment(comment: CommentEntry) -> str:
    """Return the short hash of a comment of a file. That of a text that goes on has no time of its own."""
    at = "" if comment.author == THE_FILE else comment.at.isoformat(timespec="seconds")
    return hash_value(f"{comment.author}\n{at}\n{comment.text}")


def keep_hashes(hashes: Mapping[str, str]) -> str:
    """Return hashes by the name of the value as ``CardOrigin`` keeps them.

    >>> keep_hashes({"title": hash_value("Write"), "due": ""})
    '{"title":"bcaa555b"}'
    """
    return json.dumps({name: each for name, each in sorted(hashes.items()) if each}, separators=(",", ":"))


def read_hashes(last: str) -> dict[str, str]:
    """Return what ``keep_hashes`` has kept; nothing of a text that is none of its own, as a file can have."""
    try:
        found = json.loads(last or "{}")
    except ValueError:
        return {}
    return {name: str(each) for name, each in found.items()} if isinstance(found, dict) else {}


def hash_all(values: Mapping[str, str], comments: Iterable[CommentEntry] = ()) -> dict[str, str]:
    """Return the hashes of the values of a card, and of its comments."""
    hashes = {name: hash_value(text) for name, text in values.items()}
    return hashes | {COMMENTS: " ".join(map(hash_comment, comments))}


def source_by_title(title: str, phase: str, parent: str) -> str:
    """Return the id of a card whose file has none.

    >>> source_by_title("Write", "Design", "")
    '“write” in “design”'
    """
    parts = [f"“{' '.join(title.casefold().split())}”", phase and f"in “{phase.casefold()}”"]
    return " ".join(filter(None, (*parts, parent and f"of “{parent.casefold()}”")))


def own_uid(card_id: Id) -> str:
    """Return the UID of a card in a calendar of Podium; no one can own its top-level domain (RFC 2606)."""
    return f"{card_id}@podium.invalid"


def is_by_title(source: str) -> bool:
    """Return whether an id was made by ``source_by_title``."""
    return source.startswith("“")


def cut_source(source: str) -> str:
    """Return an id that is short enough to be kept, and still another one than others."""
    plain = " ".join(drop_unshown(source).split())
    return plain if len(plain) <= SOURCE_ID else f"{plain[: SOURCE_ID - 9]} {hash_value(plain)}"


def sources_of(document: ProjectDocument) -> dict[str, tuple[str, str]]:
    """Return the program and the id of each card by its id in the document, each pair once.

    Cards without an origin have their key as id; those without a number, too, are named by their title.
    """
    titles = {item.id: item.title for item in document.items}
    found = {item.id: _source(document, phase.name, item, titles) for phase in document.phases for item in phase.items}
    return dict(zip(found, number_equal(found.values()), strict=True))


def number_equal(sources: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a program and an id, each once: the second of equal ones with a number."""
    taken: Counter[tuple[str, str]] = Counter()
    for program, id in sources:
        taken[program, id] += 1
        yield program, f"{id} ({taken[program, id]})" if taken[program, id] > 1 else id


def _source(document: ProjectDocument, phase: str, item: ItemEntry, titles: Mapping[str, str]) -> tuple[str, str]:
    if item.origin:
        return item.origin.program, item.origin.id
    if document.key and item.number:
        return PODIUM, card_key(document.key, item.number)
    return PODIUM, cut_source(source_by_title(item.title, phase, titles.get(item.activity or "", "")))


def values_of_cards(
    items: Iterable[Item],
    parts: Iterable[object],
    phases: Mapping[Id, str],
    labels: Mapping[Id, str],
    fields: Mapping[Id, CustomField],
) -> dict[Id, dict[str, str]]:
    """Return the values of cards as texts, by the id of the card; empty ones are left out.

    ``parts`` are their labels, assignments, values of fields and dependencies, in any order, also among other records.
    ``phases`` and ``labels`` are names, since what is renamed here is still the same in the file.
    """
    found = {
        item.id: {
            "title": item.title,
            "description": item.description,
            "status": item.status.value,
            "due": item.due.isoformat() if item.due else "",
            "priority": item.priority.value,
            "assigned": item.assignee_id or "",
            "link": item.link,
            "phase": fold(phases.get(item.phase_id, "")),
            "activity": item.activity_id or "",
        }
        for item in items
    }
    lists: dict[tuple[Id, str], list[str]] = {}
    for part in parts:
        match part:
            case ItemLabel() if part.label_id in labels:
                lists.setdefault((part.item_id, "labels"), []).append(fold_name(labels[part.label_id]))
            case Assignment():
                lists.setdefault((part.target_id, "assigned"), []).append(part.user_id)
            case ItemField() if part.field_id in fields:
                found[part.item_id][name_of_field(fields[part.field_id].key)] = part.held
            case Dependency() if part.project_id == part.blocker_project_id:
                lists.setdefault((part.waiting_id, "waits"), []).append(wait_text(part.blocker_id, part.lag_days))
    for (item_id, name), texts in lists.items():
        if item_id in found:
            found[item_id][name] = list_text(texts)
    return found


def name_of_field(key: str) -> str:
    """Return the name of the value of a custom field."""
    return f"field {key}"


def wait_text(blocker: Id, lag_days: int) -> str:
    """Return one card that another one waits for, as a text."""
    return f"{blocker} {lag_days}"


def list_text(texts: Iterable[str]) -> str:
    """Return several texts as one, the same in any order."""
    return "\n".join(sorted(set(texts)))
