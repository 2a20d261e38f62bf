"""The exchange of a launch code for its context, by a product and not by a person."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial
from typing import Any

from core.domain.launch_context import CODE_SECONDS, hashed
from core.domain.model import WORKSPACE
from core.domain.products import Launch
from core.engine.engine import Engine
from core.engine.sign_in import NOBODY
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import NotFound
from core.storage.database import Tx


def exchange(engine: Engine, code: str) -> dict[str, Any]:
    """The context object that a launch code stands for, and `userId`, who launched; the code is of no use afterwards.

    Nobody is signed in: who has the code may have the context, once. It is no message of the catalog and no line of
    the history, which has the launch itself. Raises NotFound, which does not tell an unknown code from a used or an
    expired one.
    """

    engine.look(NOBODY, partial(_launch, code))  # strangers who guess keep nobody from writing

    def write(tx: Tx) -> dict[str, Any]:
        work = UnitOfWork(tx, NOBODY, engine.clock(), WORKSPACE)
        launch = work.update(_launch(code, work), exchanged_at=work.now)
        return {**json.loads(launch.context), "userId": launch.user_id}

    return engine.database.write(write)


def _launch(code: str, view: Snapshot) -> Launch:
    """What a code may be exchanged for now. Raises NotFound."""
    known = "code_hash = :hash AND code_hash <> ''"  # as the index has it
    found = view.all(Launch, f"{known} AND project_id IN (SELECT id FROM feed)", hash=hashed(code))
    if not found or found[0].exchanged_at or view.now >= found[0].at + timedelta(seconds=CODE_SECONDS):
        raise NotFound(
            f"This launch code is unknown, was used already, or is older than {CODE_SECONDS} seconds."
            " Launch the product again to get a new one."
        )
    return found[0]
