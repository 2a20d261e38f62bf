"""The options that all commands share, by the keys under which a command line keeps them."""

from __future__ import annotations

DB, DIRECT, SERVER, LOGIN, JSON, IDS, DRY_RUN, FIELDS, SORT, LIMIT = (
    f"podium.{name}"
    for name in ("db", "direct", "server", "login", "json", "ids", "dry-run", "fields", "sort", "limit")
)
"""Where the options are kept while click reads the line; a later one wins, so they may stand anywhere."""
