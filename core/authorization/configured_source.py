"""The source of permissions: the authorization service when one is configured, the database otherwise."""

from __future__ import annotations

from core.authorization.local_source import LocalPermissions
from core.config import Config
from core.domain.grants import PermissionSource
from core.errors import InvalidInput
from core.storage.database import Database


def configured_source(config: Config, database: Database) -> PermissionSource:
    """The source that the configuration names. Raises InvalidInput for a configuration that cannot be used.

    No query is sent yet; the token is read with the first one.
    """
    if not (config.auth_url or config.auth_stage_url):
        return LocalPermissions(database)
    if config.auth_url and config.auth_stage_url:
        raise InvalidInput(
            "auth_url",
            "Both auth_url and auth_stage_url are set, and only one service can decide. "
            "Remove one of them; “podium config” shows where each comes from.",
        )
    from core.authorization.remote_source import RemotePermissions
    from core.net.bearer_tokens import PERMISSIONS, find_token

    name, url = ("remote", config.auth_url) if config.auth_url else ("staging", config.auth_stage_url)
    return RemotePermissions(
        name,
        url,
        lambda: find_token(PERMISSIONS, url, config.auth_token_file),
        deadline=config.auth_timeout,
        max_age=config.auth_cache_seconds,
        codes=config.auth_codes,
    )
