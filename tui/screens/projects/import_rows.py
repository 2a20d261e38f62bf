"""The lines of the preview of an import: questions, the project, what is left out, columns, words, people and cards.

Each line is about something that enter changes, or about a ``FullText`` text that enter shows whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from core.actions.projects.imports import ImportPlan
from core.domain.model import Priority
from core.domain.statuses import CLOSED, STATUS_WORDS
from core.import_export.document import PersonEntry
from core.import_export.draft import ColumnUse, KnownWord, UnknownWord
from core.import_export.files import IN_WORDS
from core.import_export.into.plan import ImportIntoPlan, ValueChange
from core.import_export.resolve_names import describe_person
from core.import_export.tables.cell_days import DayOrder
from core.import_export.tables.heads import Use
from core.record import Record
from core.text.amounts import DecimalSign
from core.text.phrases import count, in_words, names
from tui.drawing.styles import TextRole
from tui.screens.projects.import_file import IncomingFile
from tui.widgets.columns import Cell, Column, Line, cell

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

OURS, THEIRS = "ours", "theirs"
_SIDES = ((OURS, "those here stay"), (THEIRS, "those of the file come in"))
"""What becomes of values that were changed here and in the file."""

WORDS: dict[str, tuple[tuple[str, str], ...]] = {
    "status": tuple((each.value, words) for each, words in STATUS_WORDS.items()),
    "priority": tuple((each.value, in_words(each).capitalize()) for each in Priority),
}
"""What a word can mean."""

AS_WORDS = "words in the description"
NOT_HERE = f"not here: {AS_WORDS}"
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
    """A person of the file: the words for them there, the user that they are, and the number of their cards."""

    words: tuple[str, ...]
    becomes: str
    is_known: bool
    cards: int


class IntoProject(Record):
    """The project that the file goes into."""


class FileAsRead(Record):
    """The encoding of the file, and the place of its table."""


class FullText(Record, kw_only=False):
    """A text to read."""

    title: str
    text: str


About = Question | ColumnUse | UnknownWord | PersonHere | IntoProject | FileAsRead | FullText


class _Lines:
    """Makes the lines, section by section."""

    def __init__(self) -> None:
        self.lines: list[tuple[About, Line]] = []
        self.section = ""

    def put(self, about: About, key: str, first: Cell, becomes: Cell, samples: str) -> None:
        made = Line(key, (first, becomes, cell(samples, TextRole.QUIET)), self.section)
        self.lines.append((about, made))

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
        said = cell(answer, TextRole.NAME) if answer else cell("not answered yet: press enter", TextRole.LATE)
        name = cell(_QUESTIONS[question.about], TextRole.TITLE)
        made.put(question, question.about, name, said, _join(question.shown))
    plan = file.plan
    parts = names(plan.parts)
    is_new = isinstance(plan, ImportPlan)
    made.section = f"A project with {parts or NOTHING}" if is_new else f"Into the project: {parts or NOTHING}"
    target = cell(f"“{file.name}”{', new' if is_new else ''}", TextRole.NAME)
    made.put(IntoProject(), "target", cell("Project", TextRole.TITLE), target, "")
    if file.is_table:
        mapping = file.said.mapping
        skipped = f"without {count(mapping.skip_lines, 'line')}" if mapping.skip_lines else ""
        read = ", ".join(filter(None, (IN_WORDS[file.read.format], mapping.sheet, mapping.encoding, skipped)))
        made.put(FileAsRead(), "file", cell("File", TextRole.TITLE), cell(read, TextRole.NAME), "")
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
        role = TextRole.FAINT if column.use in (Use.NOTHING, Use.WORDS) else TextRole.NAME
        becomes = re.sub(r"field “.*” \(", "custom field (", column.becomes)  # a note says where its name is another
        made.put(column, f"column {at}", cell(column.head, TextRole.TITLE), cell(becomes, role), _join(column.samples))
    _put_words(made, file)
    _put_people(made, file)
    if is_new:
        made.section = "Cards"
        for at, phase in enumerate(file.read.document.phases):
            done = sum(item.status in CLOSED for item in phase.items)
            _put_phase(made, at, phase.name, [item.title for item in phase.items], done)
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
        yield Question("sides", shown, {None: "", True: THEIRS, False: OURS}[file.said.theirs])


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
        cards = [card for card in plan.cards if card.phase == phase]
        done = sum(card.status in CLOSED for card in cards)
        _put_phase(made, at, phase, [card.title for card in cards], done)
    both = {(each.card_id, each.field) for each in file.conflicts}
    updates = [each for each in plan.updates if (each.card_id, each.field) not in both]
    for section, changes in (("Changed here and in the file", file.conflicts), ("Changes", updates)):
        made.section = f"{section}: {len(changes):,}"
        for at, each in enumerate(changes):
            before, after = each.before or "nothing", each.after or "nothing"
            about = FullText(f"{each.key} {each.title}", f"{each.field}\n\nnow: {before}\n\nin the file: {after}")
            change, line = f"{each.field}: {before} → {after}", each.line
            if changes is file.conflicts and file.said.theirs is False:
                change, line = f"{each.field}: {before} stays", f"{line}: {after}"
            made.put(about, f"{section} {at}", cell(about.title, TextRole.TITLE), cell(change, TextRole.NAME), line)
    made.section = f"Not in the file any more, and left as they are: {count(len(plan.absent), 'card')}"
    for card in plan.absent[:MAX_TITLES]:
        title = f"{card.key} {card.title}"
        gone = FullText(title, "The file does not have it any more. It stays here as it is.")
        made.put(
            gone, f"absent {card.card_id}", cell(title, TextRole.TITLE), cell("stays as it is", TextRole.QUIET), ""
        )
    if len(plan.absent) > MAX_TITLES:
        made.put_sentence(f"… and {len(plan.absent) - MAX_TITLES:,} more")


def _notes(plan: ImportIntoPlan) -> Iterator[str]:
    for note in plan.notes:
        yield f"“{note.title}”: {note.why}"
    if plan.same:
        yield f"{count(plan.same, 'card')} of the file {'has' if plan.same == 1 else 'have'} nothing new."


def _put_words(made: _Lines, file: IncomingFile) -> None:
    made.section = "Words"
    for word in (*file.read.unknown, *file.read.known):
        if isinstance(word, KnownWord):
            means = dict(WORDS[word.kind]).get(word.means, word.means)
            becomes = cell(means, TextRole.NAME)
        else:
            becomes = cell(AS_WORDS, TextRole.SOON)
        made.put(
            word,
            f"{word.kind} {word.word}",
            cell(word.word, TextRole.TITLE),
            becomes,
            f"{word.kind} of {count(word.number, 'card')}",
        )


def _put_people(made: _Lines, file: IncomingFile) -> None:
    people = [*_people(file)]
    where = "in this workspace" if isinstance(file.plan, ImportPlan) else "members"
    made.section = f"People: {sum(each.is_known for each in people):,} of {len(people):,} are {where}"
    for at, person in enumerate(people):
        role = TextRole.NAME if person.is_known else TextRole.SOON
        cards = count(person.cards, "card") if person.cards else ""
        made.put(person, f"person {at}", cell(names(person.words), TextRole.TITLE), cell(person.becomes, role), cards)


def _people(file: IncomingFile) -> Iterator[PersonHere]:
    """The people of the file, and those whom the person has left out, by the words for them in the file."""
    said = file.said.mapping.people
    cards = Counter(login for item in file.read.document.items for login in item.assigned)
    members: list[PersonEntry] = [each for each in file.read.document.people if each.role is not None]
    plan = file.plan
    found = {each.name: each for each in plan.people} if isinstance(plan, ImportPlan) else {}
    missing = {each.name for each in plan.missing}
    for entry in members:
        words = tuple(word for word, who in said.items() if who in (entry.name, entry.login))
        name = describe_person(entry)
        user = f"{found[name].user}, {entry.role.lower()}" if name in found and entry.role else "a member"
        is_known = name not in missing
        yield PersonHere(words or (name,), user if is_known else NOT_HERE, is_known, cards[entry.login])
    for word, who in said.items():
        if not who:
            yield PersonHere((word,), AS_WORDS, False, 0)


def _put_phase(made: _Lines, at: int, phase: str, titles: Sequence[str], done: int) -> None:
    more = [f"… and {len(titles) - MAX_TITLES:,} more"] if len(titles) > MAX_TITLES else []
    about = FullText(phase, "\n".join([*titles[:MAX_TITLES], *more]) or "No cards.")
    becomes = f"{count(len(titles), 'card')}{f', {done:,} done' if done else ''}"
    made.put(about, f"phase {at}", cell(phase, TextRole.TITLE), cell(becomes, TextRole.NAME), _join(titles[:3]))
