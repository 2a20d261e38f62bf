"""Texts that people typed, escaped for Markdown."""

from __future__ import annotations

import re

_MARKUP = re.compile(
    r"[\\`*_{}\[\]<>|~]"  # everywhere
    r"|&(?=#?\w+;)"  # an entity
    r"|(?<=\w):(?=//)|(?<=\bwww)\.|(?<=\w)@(?=\w)"  # what becomes a link
    r"|^[#+=-]|(?<=^\d)[.)]|(?<=^\d\d)[.)]",  # a heading, a rule or a list at the start of a line
    re.IGNORECASE,
)
_LINK = re.compile(r"https?\\://(?:[^\s”\\]|\\[^<>])+")


def escape_markdown(text: str) -> str:
    """A text as one line of Markdown, with all markup escaped."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))


def escape_with_links(text: str) -> str:
    """A text as escaped Markdown, whose addresses are links that can be followed and copied."""
    return _LINK.sub(lambda found: "<" + re.sub(r"\\(.)", r"\1", found[0]) + ">", escape_markdown(text))
