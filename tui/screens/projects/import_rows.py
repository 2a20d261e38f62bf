"""The lines of the preview of an import: questions, the project, what is left out, columns, words, people and cards.

Each line is about something that enter changes, or about a ``FullText`` text that enter shows whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from core.actions.projects.imports import ImportPlan
from core.domain.model import Id, Priority
from core.domain.statuses import CLOSED, STATUS_WORDS
from core.import_export.document import ItemEntry
from core.import_export.draft import ColumnUse, KnownWord, UnknownWord
from core.import_export.files import IN_WORDS
from core.import_export.into.plan import ImportIntoPlan, NewCard, ValueChange
from core.import_export.resolve_names import describe_person
from core.import_export.tables.cell_days import DayOrder
from core.import_export.tables.heads import Use
from core.import_export.tables.mapping import plain_words
from core.record import Record
from core.text.amounts import DecimalSign
from core.text.phrases import agree, count, in_words, names
from tui.drawing.styles import TextRole
from tui.screens.projects.import_file import IncomingFile
from tui.widgets.columns import Column, Line, cell

COLUMNS = (Column("In the file", 14, 32), Column("Becomes", 16, 48, rank=1), Column("Such as", 8, 80, rank=2))

USES: dict[Use, str] = {
    Use.TITLE: "title",
    Use.PHASE: "phase",
    Use.STATUS: "status",
    Use.DONE: "done: a day, yes, or 100 %",
    Use.ARCHIVED: "archived: a day, or yes",
    Use.ASSIGNED: "assigned",
    Use.DUE: "due date",
    Use.START: "start day",
    Use.DESCRIPTION: "description",
    Use.LINK: "link",
    Use.PRIORITY: "priority",
    Use.LABELS: "labels",
    Use.PARENT: "parent",
    Use.OUTLINE: "outline number",
    Use.INDENT: "level",
    Use.ID: "id",
    Use.KEY: "key",
    Use.WAITS_FOR: "waits for",
    Use.BLOCKS: "blocks",
    Use.COMMENT: "comment",
    Use.EMAIL: "e-mail of who is assigned",
    Use.KIND: "task or activity",
    Use.FIELD: "custom field",
    Use.TEXT: "custom field, as text",
    Use.NUMBER: "custom field, as a number",
    Use.WORDS: "words at the end of the description",
    Use.NOTHING: "nothing: leave it out",
}
"""What a column can become, in words."""

MEANINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "dates": ((DayOrder.DMY, "the day is first"), (DayOrder.MDY, "the month is first")),
    "decimal": ((DecimalSign.COMMA, "a comma before decimals"), (DecimalSign.POINT, "a point before decimals")),
}
"""What cells with two meanings can mean."""

OURS, THEIRS, EACH = "ours", "theirs", "each"
_SIDES = ((OURS, "those here stay"), (THEIRS, "those of the file come in"), (EACH, "one by one: space on each below"))
"""What becomes of values that were changed here and in the file."""

WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "status": tuple((each.value, words) for each, words in STATUS_WORDS.items()),
    "priority": tuple((each.value, in_words(each).capitalize()) for each in Priority),
}
"""What a word can mean."""

AS_WORDS = "words in the description"
NOT_HERE = f"not here: {AS_WORDS}"
CAN_BE_INVITED = "no member, so words: space invites"
ASK_FIRST, NOTHING = "Answer this first", "nothing new"
_QUESTIONS = {"title": "The title", "dates": "Days in numbers", "decimal": "Amounts", "sides": "Changed on both sides"}
MAX_TITLES = 500
"""The titles of a phase that are listed, and the cards that the file does not have any more."""


class Question(Record, kw_only=False):
    """A part with two meanings, the answers to choose from, and the one that was given; "" before."""

    about: str
    shown: tuple[str, ...]
    answer: str = ""

    @property
    def options(self) -> Sequence[tuple[str, str]]:
        """The answers, each with its words."""
        return {**MEANINGS, "sides": _SIDES}.get(self.about) or [(head, head) for head in self.shown]


class PersonHere(Record, kw_only=False):
    """A person of the file, by the words for them there."""

    words: tuple[str, ...]
    login: str = ""
    """The login in the file."""
    can_invite: bool = False
    """True if you can invite this person, who is in the workspace and no member yet."""
    invited_as: tuple[str, ...] = ()
    """All logins in the file of a person who is invited; the file can name one in several ways."""


class IntoProject(Record):
    """The project that the file goes into."""


class AnswersOfBefore(Record):
    """The answers of the last import into the project, which are used again."""


class FileAsRead(Record):
    """The encoding of the file, and the place of its table."""


class FullText(Record, kw_only=False):
    """A text to read."""

    title: str
    text: str


class ChangeOfFile(FullText):
    """A value that the file changes, with both values; space takes it or leaves it."""

    id: str = ""
    comes_in: bool = False


About = Question | ColumnUse | UnknownWord | PersonHere | IntoProject | AnswersOfBefore | FileAsRead | FullText


class _Lines:
    """Makes the lines, section by section."""

    def __init__(self) -> None:
        self.lines: list[tuple[About, Line]] = []
        self.section = ""

    def put(
        self, about: About, key: str, first: str, becomes: str, samples: str = "", role: TextRole = TextRole.NAME
    ) -> None:
        cells = cell(first, TextRole.TITLE), cell(becomes, role), cell(samples, TextRole.QUIET)
        self.lines.append((about, Line(key, cells, self.section)))

    def put_sentence(self, sentence: str, role: TextRole = TextRole.QUIET) -> None:
        line = Line(f"text {len(self.lines)}", (cell(sentence, role), (), ()), self.section, is_wide=True)
        self.lines.append((FullText(self.section, sentence), line))


def list_rows(file: IncomingFile) -> list[tuple[About, Line]]:
    """Return the lines of a file, each with what it is about."""
    made = _Lines()
    questions = [*_questions(file)]
    made.section = "Answered" if all(each.answer for each in questions) else ASK_FIRST
    for question in questions:
        answer = dict(question.options).get(question.answer, "")
        said, role = (answer, TextRole.NAME) if answer else ("not answered yet: press enter", TextRole.LATE)
        made.put(question, question.about, _QUESTIONS[question.about], said, _join(question.shown), role)
    plan = file.plan
    parts = names(plan.parts)
    is_new = isinstance(plan, ImportPlan)
    made.section = f"A project with {parts or NOTHING}" if is_new else f"Into the project: {parts or NOTHING}"
    made.put(IntoProject(), "target", "Project", f"“{file.name}”{', new' if is_new else ''}")
    if file.is_table:
        mapping = file.said.mapping
        skipped = f"without {count(mapping.skip_lines, 'line')}" if mapping.skip_lines else ""
        read = ", ".join(filter(None, (IN_WORDS[file.read.format], mapping.sheet, mapping.encoding, skipped)))
        made.put(FileAsRead(), "file", "File", read)
    if file.said.recalled:
        again = "those of the last import: enter forgets"
        made.put(AnswersOfBefore(), "answers", "Your answers", again, role=TextRole.SOON)
    for known in plan.known if isinstance(plan, ImportPlan) else ():
        of = count(known.cards, "card")
        made.put_sentence(
            f"“{known.name}” has {of} of this file already. Enter on “Project” brings it in there.", TextRole.SOON
        )
    if isinstance(plan, ImportIntoPlan):
        _put_consent(made, plan)
    made.section = "Left out"
    for sentence in _left_out(file):
        made.put_sentence(sentence, TextRole.SOON)
    if isinstance(plan, ImportIntoPlan):
        _put_changes(made, file, plan)
    made.section = f"Columns: {len(file.read.columns):,}"
    for at, column in enumerate(file.read.columns):
        role = TextRole.QUIET if column.use in (Use.NOTHING, Use.WORDS) else TextRole.NAME
        becomes = re.sub(r"field “.*” \(", "custom field (", column.becomes)  # a note says where its name is another
        made.put(column, f"column {at}", column.head, becomes, _join(column.samples), role)
    _put_words(made, file)
    _put_people(made, file)
    if is_new:
        made.section = "Cards"
        for at, phase in enumerate(file.read.document.phases):
            _put_phase(made, at, phase.name, phase.items)
    made.section = "Notes"
    for note in (*file.read.notes, *(_notes(plan) if isinstance(plan, ImportIntoPlan) else ())):
        made.put_sentence(note.partition(" --")[0])  # the options of the command line are lines here
    return made.lines


def _join(samples: Sequence[str]) -> str:
    return " | ".join(samples)


def _questions(file: IncomingFile) -> Iterator[Question]:
    """The open questions, and those that were answered, to be answered otherwise."""
    asked = {each.about: each for each in file.questions}
    for about in _QUESTIONS:
        if about in asked:
            yield Question(about, asked[about].shown)
        elif said := getattr(file.said.mapping, about, None):
            yield Question(about, (), said)
    if file.conflicts or file.said.theirs is not None:
        shown = (count(len(file.conflicts), "value"),) if file.conflicts else ()
        answer = EACH if any(each.id in file.said.values for each in file.conflicts) else OURS
        answer = THEIRS if answer == OURS and file.said.theirs else answer
        yield Question("sides", shown, "" if getattr(file.plan, "conflicts", ()) else answer)


def _left_out(file: IncomingFile) -> Iterator[str]:
    plan = file.plan
    for each in file.read.left_out:
        yield each.sentence.removeprefix("Left out: ").partition("; --")[0]
    shown = {person.name for person in plan.people} if isinstance(plan, ImportPlan) else set[str]()
    for missing in plan.missing:
        if missing.kind != "person" or (isinstance(plan, ImportPlan) and missing.name not in shown):
            yield f"{missing.kind} “{missing.name}”: {missing.why or 'this workspace does not have it'}"
    if isinstance(plan, ImportIntoPlan):
        yield from plan.left_out
        for line in plan.refused:
            yield f"“{line.title}” ({line.what}), because you cannot {line.permission.phrase}"


def _put_consent(made: _Lines, plan: ImportIntoPlan) -> None:
    """The approvals that end, of which the reason is asked once, and the phases that lock again."""
    for approval in plan.approvals:
        made.put_sentence(approval.sentence, TextRole.LATE)
    for phase in plan.relocked:
        made.put_sentence(f"“{phase}” locks again.", TextRole.LATE)


def describe_conflict(each: ValueChange) -> str:
    """Name the card of a value that was changed on both sides, and both values."""
    return f"{each.key} {each.title}, {each.field}: {each.before or 'nothing'} here, {each.after or 'nothing'} there"


def _put_changes(made: _Lines, file: IncomingFile, plan: ImportIntoPlan) -> None:
    made.section = f"New cards: {len(plan.cards):,}"
    for at, phase in enumerate(plan.by_phase):
        _put_phase(made, at, phase, [card for card in plan.cards if card.phase == phase])
    taken, asked = {each.id: each for each in plan.updates}, {each.id for each in plan.conflicts}
    both, others = ({each.id: each for each in found} for found in (file.conflicts, file.changes))
    others |= {name: each for name, each in taken.items() if name not in both}
    for section, changes in (("Changed here and in the file", both), ("Changes", others)):
        made.section = f"{section}: {len(changes):,}"
        for name, each in changes.items():
            before, after = each.before or "nothing", each.after or "nothing"
            text = f"{each.field}\n\nnow: {before}\n\nin the file: {after}"
            about = ChangeOfFile(f"{each.key} {each.title}", text, id=name, comes_in=name in taken)
            change, line, role = f"{each.field}: {before} → {after}", each.line, TextRole.NAME
            if name in asked:
                change, role = f"{each.field}: {before} or {after}", TextRole.LATE
            elif name not in taken:
                change, line, role = f"{each.field}: {before} stays", f"{line}: {after}", TextRole.QUIET
            made.put(about, name, about.title, change, line, role)
    made.section = f"Not in the file any more, and left as they are: {count(len(plan.absent), 'card')}"
    for card in plan.absent[:MAX_TITLES]:
        title = f"{card.key} {card.title}"
        gone = FullText(title, "The file does not have it any more. It stays here as it is.")
        made.put(gone, f"absent {card.card_id}", title, "stays as it is", role=TextRole.QUIET)
    if len(plan.absent) > MAX_TITLES:
        made.put_sentence(f"… and {len(plan.absent) - MAX_TITLES:,} more")


def _notes(plan: ImportIntoPlan) -> Iterator[str]:
    for note in plan.notes:
        yield f"“{note.title}”: {note.why}"
    if plan.same:
        yield agree(plan.same, "{} card{s} of the file {has} nothing new.")


def _put_words(made: _Lines, file: IncomingFile) -> None:
    made.section = "Words"
    said = {plain_words(each) for each in (*file.said.mapping.statuses, *file.said.mapping.priorities)}

    def rank(word: UnknownWord) -> tuple[bool, int, str]:
        """Words that the program does not know go first, and stay there when they are said."""
        return isinstance(word, KnownWord) and plain_words(word.word) not in said, -word.number, word.word

    for word in sorted((*file.read.unknown, *file.read.known), key=rank):
        means, role = AS_WORDS, TextRole.SOON
        if isinstance(word, KnownWord):
            means, role = dict(WORDS[word.kind]).get(word.means, word.means), TextRole.NAME
        made.put(
            word, f"{word.kind} {word.word}", word.word, means, f"{word.kind} of {count(word.number, 'card')}", role
        )


def _put_people(made: _Lines, file: IncomingFile) -> None:
    """The people of the file, and those whom the person has left out, by the words for them in the file."""
    plan, said = file.plan, file.said.mapping.people
    found = {each.name: each for each in plan.people} if isinstance(plan, ImportPlan) else {}
    cards = Counter(login for item in file.read.document.items for login in item.assigned)
    missing = {each.login: each for each in plan.missing if each.kind == "person"}
    invited = {each.login: each.user_id for each in getattr(plan, "invited", ())}
    members = [(describe_person(each), each) for each in file.read.document.people if each.role is not None]
    left_out = [word for word, who in said.items() if not who]
    logins_of: dict[Id, list[str]] = {}
    for login, user_id in invited.items():
        logins_of.setdefault(user_id, []).append(login)
    outside = missing.keys() | invited.keys()
    here = sum(entry.login not in outside for _, entry in members)
    where = "in this workspace" if isinstance(plan, ImportPlan) else "members"
    made.section = f"People: {here:,} of {len(members) + len(left_out):,} are {where}"
    for at, (name, entry) in enumerate(members):
        words = tuple(word for word, who in said.items() if who in (entry.name, entry.login))
        can_invite = entry.login in missing and missing[entry.login].can_invite
        invited_as = tuple(logins_of.get(invited.get(entry.login, ""), ()))
        becomes, role = CAN_BE_INVITED if can_invite else NOT_HERE, TextRole.SOON
        if invited_as:
            becomes, role = "invited, as contributor", TextRole.NAME
        elif entry.login not in missing:
            user = f"{found[name].user}, {entry.role.lower()}" if name in found and entry.role else "a member"
            becomes, role = user, TextRole.NAME
        number = cards[entry.login]
        of = count(number, "card") if number else ""
        person = PersonHere(words or (entry.name or entry.login,), entry.login, can_invite, invited_as)
        made.put(person, f"person {at}", names(words) or name, becomes, of, role)
    for at, word in enumerate(left_out, len(members)):
        made.put(PersonHere((word,)), f"person {at}", word, AS_WORDS, role=TextRole.SOON)


def _put_phase(made: _Lines, at: int, phase: str, cards: Sequence[ItemEntry | NewCard]) -> None:
    titles, done = [card.title for card in cards], sum(card.status in CLOSED for card in cards)
    more = [f"… and {len(titles) - MAX_TITLES:,} more"] if len(titles) > MAX_TITLES else []
    about = FullText(phase, "\n".join([*titles[:MAX_TITLES], *more]) or "No cards.")
    becomes = f"{count(len(titles), 'card')}{f', {done:,} done' if done else ''}"
    made.put(about, f"phase {at}", phase, becomes, _join(titles[:3]))
