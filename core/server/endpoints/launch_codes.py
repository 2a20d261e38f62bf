"""The exchange of a launch code for its launch context, by a product."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial
from typing import Any

from core.domain.model import WORKSPACE
from core.domain.products.launch_context import CODE_SECONDS, hashed
from core.domain.products.products import Launch
from core.engine.engine import Engine
from core.engine.sign_in import NOBODY
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import NotFound
from core.storage.database import Tx


def exchange(engine: Engine, code: str) -> dict[str, Any]:
    """Return the launch context of a launch code, with the `userId` of the launch. The code is used up.

    No sign-in is needed, because the code is secret. The exchange is not a message; the history has only the launch.
    Raises NotFound, with the same text for an unknown, a used and an expired code.
    """

    engine.read(NOBODY, partial(_launch, code))  # first a read, so that guessed codes never hold the write lock

    def write(tx: Tx) -> dict[str, Any]:
        work = UnitOfWork(tx, NOBODY, engine.clock(), WORKSPACE)
        launch = work.update(_launch(code, work), exchanged_at=work.now)
        return {**json.loads(launch.context), "userId": launch.user_id}

    return engine.database.write(write)


def _launch(code: str, view: Snapshot) -> Launch:
    """The launch of a code that can be exchanged now. Raises NotFound."""
    known = "code_hash = :hash AND code_hash <> ''"  # the condition of the index
    found = view.all(Launch, f"{known} AND project_id IN (SELECT id FROM feed)", hash=hashed(code))
    if not found or found[0].exchanged_at or view.now >= found[0].at + timedelta(seconds=CODE_SECONDS):
        raise NotFound(
            f"This launch code is unknown, was used already, or is older than {CODE_SECONDS} seconds."
            " Launch the product again to get a new one."
        )
    return found[0]
