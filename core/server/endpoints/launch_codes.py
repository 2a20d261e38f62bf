"""The exchange of a launch code for its launch context, by a product."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial
from typing import Any

from core.domain.grants import CacheControl, PermissionQuery
from core.domain.model import WORKSPACE, Project, Workspace
from core.domain.permissions import Permission
from core.domain.products.launch_context import CODE_SECONDS, hashed
from core.domain.products.products import Launch
from core.engine.engine import Engine
from core.engine.unit_of_work import Snapshot, UnitOfWork, in_workspace
from core.errors import NotFound
from core.sign_in.local import NOBODY, still_signs_in
from core.storage.database import Tx

UNKNOWN = (
    f"This launch code is unknown, was used already, or is older than {CODE_SECONDS} seconds."
    " Launch the product again to get a new one."
)


def exchange(engine: Engine, code: str) -> dict[str, Any]:
    """Return the launch context of a launch code, with the `userId` of the launch. The code is used up.

    No sign-in is needed, because the code is secret. The exchange is not a message; the history has only the launch.
    It ends with the account of the user, their right to launch, and the token or account by which it was launched.
    Raises NotFound, with the same text for an unknown, a used, an expired and an ended code.
    """

    question = engine.read(NOBODY, partial(_question, code))  # a read, so that guessed codes never hold the write lock
    if not engine.permissions.grant(question, CacheControl.MAX_AGE).held:
        raise NotFound(UNKNOWN)

    def write(tx: Tx) -> dict[str, Any]:
        work = UnitOfWork(tx, NOBODY, engine.clock(), WORKSPACE)
        launch = work.update(_launch(code, work), exchanged_at=work.now)
        work.flush()
        return {**json.loads(launch.context), "userId": launch.user_id}

    return engine.database.write(write)


def _launch(code: str, view: Snapshot) -> Launch:
    """The launch of a code that can be exchanged now, by a user who is still signed in. Raises NotFound."""
    known = "code_hash = :hash AND code_hash <> ''"  # the condition of the index
    found = view.all(Launch, f"{known} AND project_id IN (SELECT id FROM feed)", hash=hashed(code))
    if (
        not found
        or found[0].exchanged_at
        or view.now >= found[0].at + timedelta(seconds=CODE_SECONDS)
        or not still_signs_in(view, found[0].user_id, found[0].sign_in)
    ):
        raise NotFound(UNKNOWN)
    return found[0]


def _question(code: str, view: Snapshot) -> PermissionQuery:
    """The query whether the user of a launch may still launch there. Raises NotFound."""
    launch = _launch(code, view)
    is_outside = in_workspace(launch.project_id)
    needed = Permission.PRODUCT_LAUNCH if is_outside else Permission.APPLICATION_LAUNCH
    account = view.all(Workspace, "1 = 1")[0] if is_outside else view.get(Project, id=launch.project_id)
    return PermissionQuery(launch.user_id, account.auth_id, frozenset({needed}))
