"""XML of other programs as plain values, within bounds. No other module imports defusedxml.

DTDs, entities and what lies elsewhere are refused; so are files that are nested too deeply or have too many elements.
"""

from __future__ import annotations

from typing import Any

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from core.errors import InvalidImport

MAX_ELEMENTS = 2_000_000
MAX_DEPTH = 60
"""The most elements in each other. It bounds the outline of a plan."""


def read_xml(text: str, listed: frozenset[str]) -> dict[str, Any]:
    """Return the values of an XML file by the tags of the elements, without their namespaces.

    An element is a text, or, with attributes or elements in it, a dict. Those with ``listed`` tags are lists of dicts,
    and other elements with the same tag are a list under “… again”.

    >>> read_xml('<a><name>One</name><b id="1"/></a>', frozenset("b"))
    {'a': {'name': 'One', 'b': [{'id': '1'}]}}

    Raises InvalidImport.
    """
    parser = DefusedXMLParser(target=_Values(listed), forbid_dtd=True)
    try:
        parser.feed(text)
        found: dict[str, Any] = parser.close()
    except DefusedXmlException:
        raise InvalidImport("", "It defines entities of its own, which a plan does not need. Save it again.") from None
    except ParseError as error:
        line, _ = error.position
        raise InvalidImport("", "It is not whole XML. Save it again from its program.", line=line) from None
    return found


def inside(value: Any, *path: str) -> dict[str, Any]:
    """Return the element at a path of tags; an empty one if it is not there."""
    for tag in path:
        value = value.get(tag) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def parts_of(value: Any, *path: str) -> list[dict[str, Any]]:
    """Return the listed elements at a path of tags; none if they are not there."""
    found = inside(value, *path[:-1]).get(path[-1])
    return found if isinstance(found, list) else []


def count_values(value: Any) -> int:
    """Return the number of texts in a value."""
    if isinstance(value, dict | list):
        return sum(map(count_values, value.values() if isinstance(value, dict) else value))
    return bool(value)


class _Values:
    """Builds the values as the parser goes through the file."""

    def __init__(self, listed: frozenset[str]) -> None:
        self._listed = listed
        self._open: list[tuple[dict[str, Any], list[str]]] = [({}, [])]
        self._elements = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise InvalidImport("", f"It has more than {MAX_ELEMENTS:,} elements. Split it.")
        if len(self._open) > MAX_DEPTH:
            raise InvalidImport("", f"Its elements are more than {MAX_DEPTH} levels deep. Flatten its outline.")
        self._open.append(({name: text for name, text in attributes.items() if name[0] != "{"}, []))

    def data(self, text: str) -> None:
        self._open[-1][1].append(text)

    def end(self, tag: str) -> None:
        values, texts = self._open.pop()
        tag, around, text = tag.rpartition("}")[2], self._open[-1][0], "".join(texts).strip()
        if text and (values or tag in self._listed):
            values[""] = text
        value = values or text
        if tag in self._listed:
            around.setdefault(tag, []).append(values)
        elif tag in around:
            around.setdefault(f"{tag} again", []).append(value)
        else:
            around[tag] = value

    def close(self) -> dict[str, Any]:
        return self._open[0][0]
