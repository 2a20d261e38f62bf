"""Folds of the Canvas, which each user has for themselves."""

from __future__ import annotations

from core.domain.canvas import folds_in, folds_text, with_fold
from core.domain.model import Id, Item, ItemKind, Phase, Preference
from core.engine.messages import PersonalProjectCommand
from core.engine.unit_of_work import UnitOfWork
from core.errors import NotFound
from core.rules.active_preset import name_of_folds
from core.text.phrases import no_such


class SetFold(PersonalProjectCommand[None]):
    """Fold a phase or an activity of a Canvas for myself, or unfold it."""

    route = "PUT /v1/projects/{project_id}/folds/{target_id}"
    target_id: Id
    """A phase, or an activity that hides its tasks."""
    folded: bool

    def run(self, work: UnitOfWork) -> None:
        in_project = {"project_id": self.project_id, "id": self.target_id}
        activity = {**in_project, "kind": ItemKind.ACTIVITY}
        if work.find(Phase, **in_project) is None and work.find(Item, **activity) is None:
            raise NotFound(no_such("phase or activity", self.target_id))
        me, name = work.actor.user_id, name_of_folds(self.project_id)
        kept = work.find(Preference, user_id=me, name=name)
        folds = with_fold(folds_in(kept.value if kept else ""), self.target_id, folded=self.folded)
        if kept is None:
            work.insert(Preference(user_id=me, name=name, value=folds_text(folds)))
        else:
            work.update(kept, value=folds_text(folds))
