"""The largest requests that the catalog takes, and larger ones: each message's fields, lists, bodies and documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple, get_args, get_origin
from urllib.parse import quote, urlencode

from core.actions.cards.bulk import STEPS, BulkUpdate
from core.actions.catalog import COMMANDS
from core.actions.projects.imports import PreviewImport
from core.actions.workspace.profile import SetPreference
from core.codec.encoding import camel
from core.codec.type_hints import field_types, required_fields, unwrap_optional
from core.domain.max_lengths import MAX_STEPS
from core.engine.messages import Message
from core.import_export.files import MAX_SENT
from core.server.requests.bounds.limits import MAX_BODY, MAX_BULK, MAX_VALUES, MAX_VALUES_OF_FILE
from core.wire.routes import BODILESS, route_of

MIB = 1024 * 1024

Kind = type[Message[Any]]

ALWAYS = ("name", "phase_id", "relock")
"""Fields that are given even where a message can be made without them."""


class Sent(NamedTuple):
    """One request, and how it is called in the table."""

    name: str
    method: str
    target: str
    body: bytes = b""


def given(kind: Kind, there: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a message cannot be made without, and a few more, as JSON has them."""
    hints = field_types(kind)
    some = {*required_fields(kind), *route_of(kind).in_path, *(name for name in ALWAYS if name in hints)}
    found = {name: value_of(name, hint, there) for name, hint in hints.items() if name in some}
    return found | ({"name": "theme"} if kind is SetPreference else {})


def value_of(name: str, hint: Any, there: Mapping[str, Any]) -> Any:
    """A small value of a field."""
    hint, _ = unwrap_optional(hint)
    if name in there:
        return there[name]
    if get_origin(hint) is tuple:
        return []
    if isinstance(hint, type) and issubclass(hint, Enum):
        return next(iter(hint)).value
    small: dict[Any, Any] = {int: 1, bool: True}
    return small.get(hint, "Text" if hint is str else "2026-03-20")


def request(kind: Kind, fields: Mapping[str, Any], form: str = "") -> Sent:
    """The request that carries these fields, whether they can be accepted or not."""
    method, path, in_path = route_of(kind)
    for name in in_path:
        path = path.replace(f"{{{name}}}", quote(str(fields.get(name, "Text")), safe=""))
    others = {name: value for name, value in fields.items() if name not in in_path}
    name = f"{kind.__name__}{form and f', {form}'}"
    if method in BODILESS:
        words = urlencode([(key, word) for key, value in others.items() for word in in_words(value)])
        return Sent(name, method, f"{path}?{words}" if words else path)
    body = json.dumps({camel(key): value for key, value in others.items()}, ensure_ascii=False)
    return Sent(name, method, path, body.encode() if others else b"")


def in_words(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value).lower()]


def lists(kind: Kind, there: Mapping[str, Any]) -> Iterator[Sent]:
    """Each list of a message with as many values as a body may have, or as fit into the head."""
    for name, hint in field_types(kind).items():
        plain, _ = unwrap_optional(hint)
        if get_origin(plain) is not tuple or kind is BulkUpdate:
            continue
        first = get_args(plain)[0]
        word = next(iter(first)).value if isinstance(first, type) and issubclass(first, Enum) else "W{}"
        short = route_of(kind).method in BODILESS
        many = 25_000 // (len(name) + len(word) + 8) if short else min(MAX_VALUES - 100, MAX_BODY // 24)
        values = [word.format(number) for number in range(many)]
        yield request(kind, given(kind, there) | {name: values}, f"{name} of {many:,} values")


def wrong_bodies(kind: Kind, there: Mapping[str, Any], quick: bool) -> Iterator[Sent]:
    """Bodies that no message has, as large as they may be: deep, of many values, of long keys, and no text at all."""
    method = route_of(kind).method
    if method in BODILESS:
        return
    head = request(kind, given(kind, there))
    most = MAX_SENT if kind.bulky else MAX_BULK if kind is BulkUpdate else MAX_BODY
    values = MAX_VALUES_OF_FILE if kind.bulky else MAX_VALUES
    if quick and kind.bulky:
        most, values = MIB, values // 50
    shapes = {
        "brackets in brackets": b'{"a":' + b"[" * (most // 2 - 10) + b"]" * (most // 2 - 10) + b"}",
        "lists in a list": b'{"name":[' + b"[]," * (values // 2) + b"[]]}",
        "as many lists as fit": b'{"name":[' + b"[]," * (most // 3 - 10) + b"[]]}",
        "other keys": b"{" + b",".join(b'"k%d":0' % number for number in range(min(values - 10, most // 16))) + b"}",
        "a long key": b'{"' + b"k" * (most - 10) + b'":0}',
        "a long number": b'{"name":' + b"9" * (most - 20) + b"}",
        "no JSON": b"{" * (most - 1),
        "no UTF-8": b'{"name":"' + b"\xff" * (most - 20) + b'"}',
        "escapes": b'{"name":"' + b"\\ud83d\\ude00" * (most // 12 - 10) + b'"}',
    }
    for form, body in shapes.items():
        yield Sent(f"{kind.__name__}, {form} ({len(body):,} bytes)", method, head.target, body)


def documents(kind: Kind, records: int, quick: bool) -> Iterator[Sent]:
    """Documents of so many records of each sort, or of as many bytes as are taken.

    The first has cards of all sorts; half of its tasks are of one activity.
    """
    method, path, _ = route_of(kind)
    bytes_ = 2 * MIB if quick else MAX_SENT
    comment = {"author": "p0", "at": "2026-03-02T12:00:00+00:00", "text": "Looks good to me."}
    decision = {"decision": "PASS", "by": "p0", "at": "2026-03-02T12:00:00+00:00", "reason": "It is ready."}
    long = "e\u0301" * 20_000

    def task(number: int, **more: Any) -> dict[str, Any]:
        return {"id": f"t{number}", "kind": "TASK", "title": f"Task {number}", "due": "2026-06-01", **more}

    def activity(number: int) -> dict[str, Any]:
        return {"id": f"a{number}", "kind": "ACTIVITY", "title": f"Activity {number}"}

    usual = records - 1_000
    activities = [activity(number) for number in range(usual // 20)]
    of = [f"a{number % len(activities) * (number % 2)}" for number in range(usual // 20 * 15)]
    tasks = [task(number, activity=activity) for number, activity in enumerate(of)]
    tasks[0]["comments"] = [comment] * (usual // 20 * 4)
    sorts: dict[str, dict[str, Any]] = {
        "cards": {"items": [*activities, *tasks, task(records * 2)]},
        "comments": {"items": [task(0, comments=[comment] * (records - 100))]},
        "deliverables": {"deliverables": [{"name": f"Report {number}"} for number in range(records - 100)]},
        "decisions": {"decisions": [decision] * (records - 100)},
        "long texts": {"items": [task(n, description=long) for n in range(bytes_ // len(long.encode()) - 10)]},
    }
    for form, content in sorts.items():
        phase = {"name": "Phase", **content}
        people = [{"login": "p0", "name": "Person"}]
        document = {"format": "podium-project", "version": 1, "name": f"All {form}", "people": people}
        body = json.dumps({"document": {**document, "phases": [phase]}, "leaveOutUnknown": True}, ensure_ascii=False)
        if kind is PreviewImport:
            body = json.dumps({"document": {**document, "phases": [phase]}}, ensure_ascii=False)
        yield Sent(f"{kind.__name__}, {records:,} records, {form}", method, path, body.encode())
    people = [{"login": f"p{number}", "name": f"Person {number}"} for number in range(records - 100)]
    document = {"format": "podium-project", "version": 1, "name": "All people", "people": people, "phases": []}
    body = json.dumps({"document": document})
    yield Sent(f"{kind.__name__}, {records:,} records, people", method, path, body.encode())


def bulks(there: Mapping[str, Any], accepted: Mapping[tuple[str, str], int]) -> Iterator[Sent]:
    """A bulk change of as many steps as there may be, of each kind, with texts as long as they and the body allow."""
    method, path, _ = route_of(BulkUpdate)
    target = path.replace("{project_id}", there["project_id"])
    for kind in COMMANDS:
        if not issubclass(kind, STEPS):
            continue
        name = kind.__name__
        room = MAX_BULK // MAX_STEPS - 400
        long = {camel(field): "x" * min(room, length) for (of, field), length in accepted.items() if of == name}
        steps = []
        for number in range(MAX_STEPS):
            one = dict(there)
            one["task_id"] = one["item_id"] = there["tasks"][number % len(there["tasks"])]
            one["activity_id"] = one["card_id"] = there["activities"][number % len(there["activities"])]
            fields = {camel(key): value for key, value in given(kind, one).items()}
            steps.append({"message": name, **fields, **long})
        body = json.dumps({"commands": steps}).encode()
        yield Sent(f"BulkUpdate of {MAX_STEPS} {name}", method, target, body)
