"""The project that a file is imported into, as it is: read in a few statements, however many cards it has."""

from __future__ import annotations

from core.domain.dependencies import Dependency
from core.domain.fields import CustomField, ItemField
from core.domain.labels import ItemLabel, Label
from core.domain.model import Assignment, Comment, Id, Item, ItemKind, Project, ProjectKey, Status, User
from core.domain.origins import CardOrigin
from core.engine.unit_of_work import Snapshot
from core.import_export.document import CommentEntry, ItemEntry
from core.import_export.into.plan import LineNote
from core.import_export.origins import values_of_cards
from core.rules.dependencies import BLOCKS, WITH_BLOCKERS
from core.rules.fields import fields_of
from core.rules.labels import labels_for
from core.rules.phases import read_workflow
from core.text.short_keys import card_key


class Here:
    """The cards of a project with their values, and all that a line of a file can name."""

    def __init__(self, view: Snapshot, project_id: Id) -> None:
        where, key = "project_id = :project_id", {"project_id": project_id}
        self.view = view
        self.project = view.get(Project, id=project_id)
        self.keys = {each.key for each in view.all(ProjectKey, where, **key)}
        self.workflow = read_workflow(view, project_id)
        self.fields = fields_of(view, project_id)
        self.labels = list(labels_for(view, project_id))
        self.items = {item.id: item for item in view.all(Item, f"{where} ORDER BY phase_id, rank, id", **key)}
        self.item_labels = view.all(ItemLabel, where, **key)
        self.assignments = view.all(Assignment, where, **key)
        self.held = view.all(ItemField, where, **key)
        self.dependencies = view.all(Dependency, where, **key)
        self.origins = {each.item_id: each for each in view.all(CardOrigin, where, **key)}
        members = "id IN (SELECT user_id FROM member WHERE project_id = :project_id)"
        self.members = {user.id: user for user in view.all(User, members, **key)}
        elsewhere = f"SELECT waiting_id FROM {WITH_BLOCKERS} WHERE dependency.project_id = :project_id AND {BLOCKS}"
        rows = view.tx.tuples(f"{elsewhere} AND blocker_project_id <> :project_id ORDER BY waiting_id", **key)
        self.blocked_elsewhere = {waiting_id for (waiting_id,) in rows}
        self.values = values_of_cards(
            self.items.values(),
            (*self.item_labels, *self.assignments, *self.held, *self.dependencies),
            {phase.id: phase.name for phase in self.workflow.phases},
            {label.id: label.name for label in self.labels},
            {field.id: field for field in self.fields},
        )

    def comments(self) -> set[tuple[Id, str, str]]:
        """The card, the time and the text of each comment."""
        found = self.view.all(Comment, "project_id = :id", id=self.project.id)
        return {(each.item_id, each.at.isoformat(timespec="seconds"), each.text) for each in found}

    def key_of(self, item: Item) -> str:
        """The key of a card, such as AUT-12."""
        return card_key(self.project.key, item.number)


class IncomingCard:
    """A card of the project once the import is done: one that is here, one of the file, or both."""

    def __init__(self, card_id: Id, item: Item | None, entry: ItemEntry | None, source: tuple[str, str]) -> None:
        self.id = card_id
        self.item = item
        self.entry = entry
        self.source = source
        """The program and the id there."""
        known = item or entry
        assert known is not None
        self.title, self.kind, self.priority = known.title, known.kind, known.priority
        self.line = entry.id if entry else ""
        """Its id in the document; "" for one that is not in the file."""
        self.phase_id: Id = item.phase_id if item else ""
        self.activity_id: Id | None = item.activity_id if item else None
        self.before: Status | None = item.status if item else None
        self.wanted: Status = known.status
        """The status that it is to have."""
        self.status: Status = known.status
        """The status that it can have."""
        self.archived_with: Id | None = None
        self.said: dict[str, str] = {}
        """The values that the file has for it, as texts."""
        self.taken: set[str] = set()
        """The names of the values that are taken from the file."""
        self.hashes: dict[str, str] = {}
        """The hashes of the values as they were last imported, as they are to be kept."""
        self.description = ""
        """The description of the file, with words for what has no other place here."""
        self.people: tuple[Id, ...] = ()
        self.labels: tuple[Label, ...] = ()
        self.values: dict[str, tuple[CustomField, str, Id | None]] = {}
        """The values of custom fields, by the names of the values: a text, or the id of a person."""
        self.new_comments: list[CommentEntry] = []
        self.waits: dict[Id, int] = {}
        """The lags of the cards of the project that it waits for, by their ids."""

    def note(self, why: str) -> LineNote:
        """Return the note about this card."""
        return LineNote(line=self.line, title=self.title, why=why)

    @property
    def is_activity(self) -> bool:
        return self.kind is ItemKind.ACTIVITY

    @property
    def moves(self) -> bool:
        """True for a card that is here, and gets another phase."""
        return self.item is not None and self.item.phase_id != self.phase_id

    @property
    def leaves(self) -> bool:
        """True for a card that is here, and gets another activity or none."""
        return self.item is not None and self.item.activity_id != self.activity_id

    @property
    def enters_wanted(self) -> bool:
        """True for a card that is to get another status, or to come with one."""
        return self.wanted is not self.before

    @property
    def enters(self) -> bool:
        """True for a card that gets another status, or comes with one."""
        return self.status is not self.before

    @property
    def archived_from(self) -> Status | None:
        """The status that it is archived from; None for a card that is not archived."""
        said = self.entry.archived_from if self.entry and self.item is None else None
        return (self.before or said or Status.TO_DO) if self.status is Status.ARCHIVED else None
