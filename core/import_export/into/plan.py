"""The plan of an import into a project, for people: each line that is new, changed, in conflict or left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from core.domain.model import Id, ItemKind, Status
from core.domain.permissions import Permission
from core.import_export.resolve_names import MissingReference
from core.record import Record
from core.text.phrases import count

MAX_RECORDS_OF_IMPORT = 22_000
"""Records that an import into a project can write: in the time of one transaction, so that it is one step of undo."""


class NewCard(Record):
    """A card that the import adds. ``line`` is its id in the document, such as “row 5” of a table."""

    line: str
    title: str
    phase: str
    kind: ItemKind
    status: Status


class ValueChange(Record):
    """A value of a card, as it is here and as the file has it, in words."""

    line: str
    id: str
    """The value among all of the project: the id of the card and the name of the value."""
    key: str
    title: str
    field: str
    before: str
    after: str


class AbsentCard(Record):
    """A card that an earlier import brought, and that the file does not have. Nothing happens to it."""

    card_id: Id
    key: str
    title: str


class LineNote(Record):
    """A line that comes in otherwise than it stands in the file, and why."""

    line: str
    title: str
    why: str


class RefusedLine(Record):
    """A line, or a part of it, that the sender has no permission for."""

    line: str
    title: str
    what: str
    permission: Permission


class EndingApproval(Record):
    """An approval that the import ends, which takes consent."""

    phase_id: Id
    phase: str
    sentence: str


class Invitation(Record):
    """A person of the file who becomes a member. ``login`` is that in the file, which can have several for one."""

    login: str
    user_id: Id
    name: str


class ImportIntoPlan(Record):
    """The changes that an import into a project makes, or has made."""

    project: str
    new_phases: tuple[str, ...] = ()
    new_fields: tuple[str, ...] = ()
    new_labels: tuple[str, ...] = ()
    cards: tuple[NewCard, ...] = ()
    updates: tuple[ValueChange, ...] = ()
    conflicts: tuple[ValueChange, ...] = ()
    """Values that were changed here and in the file. They stay as they are here, unless the sender decides."""
    comments: int = 0
    """The number of new comments."""
    same: int = 0
    """The number of cards of the file with nothing new."""
    absent: tuple[AbsentCard, ...] = ()
    refused: tuple[RefusedLine, ...] = ()
    notes: tuple[LineNote, ...] = ()
    approvals: tuple[EndingApproval, ...] = ()
    relocked: tuple[str, ...] = ()
    """The phases that lock again, which takes consent too."""
    missing: tuple[MissingReference, ...] = ()
    """The people of the file who are no active members. Their names become words in the descriptions."""
    invited: tuple[Invitation, ...] = ()
    """The people of the file who become members, as the sender has said."""
    left_out: tuple[str, ...] = ()
    """What of a project of Podium does not come into another one, with its number."""
    records: int = 0
    """About how many records the import writes; one step has room for ``MAX_RECORDS_OF_IMPORT``."""
    digest: str = ""
    """Differs where the plan does. ``ImportInto.seen`` takes it, as what the sender has consented to."""

    @property
    def is_empty(self) -> bool:
        """True if the import changes nothing, and nothing is to be decided."""
        return not (self.cards or self.updates or self.conflicts or self.comments or self.refused or self.invited)

    @property
    def by_phase(self) -> Mapping[str, int]:
        """The number of new cards of each phase, in the order of the phases."""
        return Counter(card.phase for card in self.cards)

    @property
    def parts(self) -> tuple[str, ...]:
        """The numbers in words, without those that are zero: “3 new cards”, “1 change”.

        >>> ImportIntoPlan(project="Launch", new_phases=("Print",), comments=2).parts
        ('1 new phase', '2 new comments')
        """
        kinds = (
            (len(self.cards), "new card"),
            (len(self.updates), "change"),
            (len(self.new_phases), "new phase"),
            (len(self.new_fields), "new field"),
            (len(self.new_labels), "new label"),
            (self.comments, "new comment"),
            (len({each.user_id for each in self.invited}), "new member"),
        )
        return tuple(count(number, noun) for number, noun in kinds if number)
