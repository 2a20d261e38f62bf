"""Keys that a screen does not have, although its tables list them."""

from __future__ import annotations

NOT_ON = {
    "access": frozenset({"list.preview"}),
    "calendar": frozenset({"view.page_down", "view.page_up", "view.preview"}),
    "doctor": frozenset({"list.preview"}),
    "hierarchy": frozenset({"list.preview"}),
    "meta_roles": frozenset({"list.preview"}),
    "projects": frozenset({"everywhere.tour"}),
    "search": frozenset({"list.filter", "list.clear_filter"}),
    "settings": frozenset({"list.preview"}),
    "timeline": frozenset({"view.preview"}),
}
"""Keys of views and lists, or of every screen, that one screen does not have: a page of the Calendar is a month, in
Search / edits it, some have no preview, and on Projects the tour has a key of its own."""
