"""The preview of an import: each line says what a part of the file becomes, and enter changes it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from textual.content import Content

from core.actions.projects.find import FindProjects
from core.actions.workspace.users import ListUsers
from core.domain.model import WORKSPACE, Id, Priority, Project, Status
from core.errors import InvalidInput
from core.import_export.draft import ColumnUse, KnownWord, UnknownWord
from core.import_export.files import IN_WORDS
from core.import_export.into.plan import ImportIntoPlan
from core.import_export.tables.heads import Use
from core.import_export.tables.mapping import TableMapping, same
from core.record import replace
from core.text.phrases import agree, count, names, some
from core.text.sanitize import visible_line
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.fields.form_fields import TextField
from tui.dialogs.form import FormDialog
from tui.dialogs.menus.picker import Option, PickDialog
from tui.dialogs.progress import ProgressDialog
from tui.dialogs.text import TextDialog
from tui.drawing.cells import fit, plain
from tui.keys.table import Key
from tui.podium import Podium
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.typed_path import complete_path, read_path
from tui.screens.projects.export import has_files_here
from tui.screens.projects.import_file import IncomingFile, Said, keep_answers, keep_mapping, read_kept_mapping
from tui.screens.projects.import_rows import (
    AS_WORDS,
    COLUMNS,
    EACH,
    THEIRS,
    USES,
    WORDS,
    About,
    AnswersOfBefore,
    ChangeOfFile,
    FileAsRead,
    FullText,
    IntoProject,
    PersonHere,
    Question,
    describe_conflict,
    list_rows,
)
from tui.services.destinations import ToCanvas

KEEP, USE = "keep", "use"
NO_CHANGE = "Space is for changes of cards, and for people who can be invited."
UNCHANGED = "Nothing was changed here yet."
LISTED = 3
"""Cards that a question names, and what was left out in the message; of more it says how many."""

_KINDS: dict[str, tuple[str, type[Status] | type[Priority]]] = {
    "status": ("statuses", Status),
    "priority": ("priorities", Priority),
}
"""The part of a mapping that has the words of a kind, and what they mean."""

LINE = 130
"""Cells of two lines in a dialog."""

_TITLES = {"title": "Which column is the title?", "sides": "Changed here and in the file: which stay?"}
"""The titles of questions that are not about the meaning of a value."""

_AS_IT_IS = "A file of this kind comes in as it is: only tables have words to map."


NOTE = (
    "A table (CSV, Excel), or what another program exports: Trello, Jira, MS Project, taskwarrior … You see first what"
    " becomes of it; nothing is made yet."
)


class ImportScreen(ListScreen[About]):
    """A file, and what becomes of each part of it. Nothing is made before ctrl+s."""

    name_in_table = "import"
    columns = COLUMNS
    opens = "import.remap"

    def __init__(self, file: IncomingFile) -> None:
        super().__init__()
        self.file = file
        self.add(ImportActions(self))

    def place(self) -> str:
        return f"Import · {visible_line(self.file.path.name)} · {IN_WORDS[self.file.read.format]}"

    def again(self) -> ImportScreen:
        return ImportScreen(self.file)

    async def reload(self) -> None:
        """Draw what was read. Changes by others are asked for with R, as they can take as long as the file."""
        self.records.show(list_rows(self.file))


class ImportActions(Controller):
    """Change what the file becomes, import it, or give up."""

    screen: ImportScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("remap", self.do_change),
            Action("take_change", self.do_take_change, self._no_change),
            Action("bring_in", self.do_bring_in),
            Action("mapping", self.do_mapping, self._no_table),
            Action("next_section", self.do_next_section),
            Action("undo", self.do_undo),
            Action("refresh", self.do_look_again),
            Action("close", self.do_give_up),
        )

    @property
    def file(self) -> IncomingFile:
        return self.screen.file

    def _no_table(self, _: Key) -> str:
        return "" if self.file.is_table else _AS_IT_IS

    def _no_change(self, _: Key) -> str:
        current = self.screen.records.current
        can_take = isinstance(current, ChangeOfFile) or (
            isinstance(current, PersonHere) and (current.can_invite or current.invited_as)
        )
        return "" if can_take else NO_CHANGE

    async def _say(self, **said: Any) -> None:
        """Read the file with these parts of the mapping. Raises PodiumError, and then everything is as before."""
        await self._take(mapping=replace(self.mapping, **said))

    async def _take(self, **said: Any) -> None:
        """The same with any part of what is said."""
        before = self.file.said
        if (after := replace(before, **said)) != before:
            await self.file.look(self.podium, after)
            self.file.before.append(before)
        await self.screen.refresh_from_core()

    @property
    def mapping(self) -> TableMapping:
        return self.file.said.mapping

    # -- changes -----------------------------------------------------------------------------------------------------

    @asking
    async def do_change(self) -> None:
        match self.screen.records.current:
            case Question() as question:
                await self._answer(question)
            case ColumnUse() as column:
                await self._choose_use(column)
            case UnknownWord() as word:
                await self._choose_meaning(word)
            case PersonHere() as person:
                await self._choose_person(person)
            case IntoProject():
                await self._choose_project()
            case FileAsRead():
                await self._ask_reading()
            case AnswersOfBefore():
                await self._take(mapping=TableMapping(), recalled=False)
                self.podium.toast("Forgotten, once you import. u to undo.")
            case FullText(title, text):
                await self.podium.ask(TextDialog(title, Content.assemble(plain(text))))

    async def _pick(self, title: str, options: Sequence[Option], chosen: str) -> str | None:
        picked = await self.podium.ask(PickDialog(title, options, chosen=(chosen,)))
        return picked[0] if picked else None

    async def _answer(self, question: Question) -> None:
        about = self._name_conflicts() if question.about == "sides" else ""
        options = [Option(value, visible_line(words), about=about) for value, words in question.options]
        shown = f"What does “{visible_line(question.shown[0])}” mean?" if question.shown else "How is it written?"
        title = _TITLES.get(question.about, shown)
        picked = await self._pick(title, options, question.answer)
        if picked and question.about == "sides":
            await self._decide_all(picked)
            return
        said: dict[str, Any] = {question.about: picked}
        if picked and question.about == "title":
            said = {"columns": {**self.mapping.columns, picked: Use.TITLE}}
        if picked:
            await self._say(**said)

    async def _decide_all(self, side: str) -> None:
        """Take one side of all that was changed on both, or go to the first of them."""
        both = {each.id for each in self.file.conflicts}
        if side != EACH:
            values = {name: comes_in for name, comes_in in self.file.said.values.items() if name not in both}
            await self._take(theirs=side == THEIRS, values=values)
            return
        lines = self.screen.listing.lines
        self.screen.listing.go(next(at for at, line in enumerate(lines) if line.id in both))

    @asking
    async def do_take_change(self) -> None:
        """Take a change of the file or leave it out, what was changed on both sides, and the invitation of a person."""
        current, said = self.screen.records.current, self.file.said
        if isinstance(current, ChangeOfFile):
            await self._take(values={**said.values, current.id: not current.comes_in})
        elif isinstance(current, PersonHere):
            others = tuple(each for each in said.invite if each not in current.invited_as)
            await self._take(invite=others if current.invited_as else (*others, current.login))

    def _name_conflicts(self) -> str:
        """The first cards with a value that was changed on both sides, a line each."""
        found = self.file.conflicts
        lines = [fit(visible_line(describe_conflict(each)), LINE) for each in found[:LISTED]]
        more = [f"… and {len(found) - LISTED:,} more"] if len(found) > LISTED else []
        return "\n".join([*lines, *more])

    async def _choose_use(self, column: ColumnUse) -> None:
        options = [Option(use, words) for use, words in USES.items()]
        picked = await self._pick(f"“{visible_line(column.head)}” becomes", options, column.use)
        if picked:
            columns = _without(self.mapping.columns, column.head)
            await self._say(columns={**columns, column.head: Use(picked)})

    async def _choose_meaning(self, word: UnknownWord) -> None:
        name, kind = _KINDS[word.kind]
        said: Mapping[str, Any] = getattr(self.mapping, name)
        options = [Option(value, words) for value, words in WORDS[word.kind]]
        if not isinstance(word, KnownWord) or any(same(each, word.word) for each in said):
            options.append(Option("", f"not a {word.kind}: {AS_WORDS}"))
        now = word.means if isinstance(word, KnownWord) else ""
        picked = await self._pick(f"“{visible_line(word.word)}” means", options, now)
        if picked is not None:
            meant = {word.word: kind(picked)} if picked else {}
            await self._say(**{name: _without(said, word.word) | meant})

    async def _choose_person(self, person: PersonHere) -> None:
        if not self.file.is_table:
            self.podium.toast(_AS_IT_IS)
            return
        users = [line.user for line in await self.podium.query(ListUsers()) if line.user.active]
        options = [Option(user.login, user.name, user.login) for user in users]
        options.append(Option("", f"Nobody: {AS_WORDS}"))
        picked = await self._pick(f"“{visible_line(person.words[0])}” is", options, "")
        if picked is not None:
            await self._say(people={**self.mapping.people, **dict.fromkeys(person.words, picked)})

    async def _choose_project(self) -> None:
        plan = self.file.plan
        known = {each.id: f"has {count(each.cards, 'card')} of it" for each in getattr(plan, "known", ())}
        mine = await self.podium.query(FindProjects())
        options = [Option(WORKSPACE, "A new project")]
        options += [Option(project.id, project.name, known.get(project.id, "")) for project in mine]
        picked = await self._pick("The file goes into", options, self.file.said.project_id)
        if picked == WORKSPACE:
            field = TextField("name", "Name", self.file.name if self.file.said.project_id == WORKSPACE else "")
            name = await self.podium.ask(FormDialog("A new project", [field], _take_name, submit="Take"))
            if name is not None:
                await self._take(project_id=WORKSPACE, name=name, theirs=None, values={}, invite=(), recalled=None)
        elif picked is not None:
            await self._take(project_id=picked, theirs=None, values={}, invite=(), recalled=None)

    async def _ask_reading(self) -> None:
        """Ask for what is rarely needed: how the file is written, and where its table is."""
        mapping = self.mapping

        async def take(values: dict[str, str]) -> bool:
            lines = values["skip_lines"].strip()
            if lines and not lines.isdecimal():
                raise InvalidInput("skip_lines", "Write how many lines stand before the heads, such as 3.")
            await self._say(**values | {"skip_lines": int(lines) if lines else None})
            return True

        fields = (
            TextField("skip_lines", "Lines to skip", f"{mapping.skip_lines or ''}", "Before the heads; empty: found"),
            TextField("encoding", "Encoding", mapping.encoding, "Such as cp1250; empty: found"),
            TextField("sheet", "Sheet", mapping.sheet, "Of a spreadsheet; empty: the first with cells"),
        )
        await self.podium.ask(FormDialog("How the file is read", fields, take, submit="Read"))

    @asking
    async def do_undo(self) -> None:
        """Take back the last change of the preview; the changes of the workspace are not undone from here."""
        if not self.file.before:
            self.podium.toast(UNCHANGED)
            return
        await self.file.look(self.podium, self.file.before[-1])
        self.file.before.pop()
        await self.screen.refresh_from_core()

    @asking
    async def do_look_again(self) -> None:
        await self.file.look(self.podium, self.file.said)
        await self.screen.refresh_from_core()
        self.podium.toast("Read again.")

    def do_next_section(self) -> None:
        """Go to the first line of the next section, with as much of it in view as there is room for."""
        lines = self.screen.listing
        sections = [line.section for line in lines.lines]
        here = lines.number
        following = next((at for at in range(here, len(sections)) if sections[at] != sections[here]), 0)
        lines.go(following + sections[following:].count(sections[following]) - 1 if sections else 0)
        lines.go(following)

    # -- the mapping as a file ---------------------------------------------------------------------------------------

    @asking
    async def do_mapping(self) -> None:
        options = [Option(KEEP, "Keep what you said in a file"), Option(USE, "Use what was kept in a file")]
        picked = await self._pick("What columns, words and people mean", options, KEEP)
        if picked is None:
            return

        async def act(values: dict[str, Any]) -> str | None:
            path = read_path(values["file"])
            if picked == USE:
                await self._take(mapping=read_kept_mapping(path))
                return "The file is read as it was said there. u to undo."
            is_kept = await keep_mapping(self.podium, path, self.mapping)
            return f"Kept in {path}. “podium import --mapping” uses it too." if is_kept else None

        kept = str(self.file.path.with_suffix(".mapping.json"))
        field = TextField("file", "File", kept, complete=complete_path if picked == USE else None)
        title, submit = ("Keep the mapping", "Keep") if picked == KEEP else ("Use a mapping", "Use")
        if said := await self.podium.ask(FormDialog(title, [field], act, submit=submit)):
            self.podium.toast(said)

    # -- the end -----------------------------------------------------------------------------------------------------

    @asking
    async def do_bring_in(self) -> None:
        file, plan = self.file, self.file.plan
        if file.questions or getattr(plan, "conflicts", ()):
            self.screen.listing.go(0)
            self.podium.toast("Answer this first: press enter.", severity="warning")
            return
        if isinstance(plan, ImportIntoPlan) and plan.is_empty and file.said.theirs is None and not file.said.values:
            self.podium.toast(f"There is nothing to change in “{file.name}”.")
            return
        done = await self.podium.ask(ProgressDialog(f"Importing “{visible_line(file.name)}”", file.command()))
        if done is not None and file.is_table:
            await asyncio.to_thread(keep_answers, done.id if isinstance(done, Project) else file.said.project_id, file)
        if isinstance(done, Project):
            cards = count(len(file.read.document.items), "card")
            self._open(done.id, f"Imported “{done.name}” with {cards}. {self._left_out()} u to undo.")
        elif done is not None:
            made = names(done.parts) or "nothing new"
            words = agree(len(done.absent), " {} card{s} {is_} not in the file any more.") if done.absent else ""
            words = f"Imported into “{done.project}”: {made}.{words} {self._left_out()} u to undo."
            self._open(file.said.project_id, words)
        elif isinstance(plan, ImportIntoPlan):  # it may have changed meanwhile
            await file.look(self.podium, file.said)
            await self.screen.refresh_from_core()

    def _left_out(self) -> str:
        """Return the numbers of the parts that were left out, for the message after the import."""
        parts = [count(each.number, each.noun) for each in self.file.read.left_out]
        if refused := getattr(self.file.plan, "refused", ()):
            parts.append(f"{count(len(refused), 'line')} that you may not bring in")
        return f"Left out: {some(parts, LISTED)}." if parts else "Nothing was left out."

    def _open(self, project_id: str, words: str) -> None:
        """Close the preview, and open the project with the message over it."""

        async def go() -> None:
            self.podium.back()
            await self.podium.visit(ToCanvas(project_id))
            if self.podium.visible_screen is not None:
                await self.podium.visible_screen.refresh_from_core()
            self.podium.toast(words)

        self.podium.begin(go)

    def step_back(self) -> bool:
        """Ask before what was said about the file is lost."""
        if self.screen.filter.text or not self.file.before:
            return False
        self.do_give_up()
        return True

    @asking
    async def do_give_up(self) -> None:
        words = "What you said about the file is lost, unless you keep it in a file with P."
        if not self.file.before or await self.podium.ask(ConfirmDialog("Give up the import?", words, "Give up")):
            self.podium.back()


async def _take_name(values: dict[str, Any]) -> str:
    return str(values["name"]).strip()


def _without(said: Mapping[str, Any], word: str) -> dict[str, Any]:
    """Return the mapping without a word."""
    return {each: meant for each, meant in said.items() if not same(each, word)}


class _PathDialog(FormDialog[IncomingFile]):
    """Asks for a path, which makes nothing yet."""

    warns_of_loss = False


async def ask_import(app: Podium, project_id: Id = WORKSPACE) -> None:
    """Ask for a file, and open the preview of its import; a file that cannot be read is said in the form."""
    if not has_files_here(app):
        where, way = ("in a browser", "") if app.via == "browser" else ("here", " from a machine of your own")
        app.toast(f"Nothing can be imported {where}: Podium sees no files of yours. “podium import” does it{way}.")
        return

    async def look(values: dict[str, Any]) -> IncomingFile:
        file = IncomingFile(read_path(values["file"]))
        await file.look(app, Said(project_id=project_id))
        return file

    fields = (TextField("file", "File", "", "The path of the file", complete=complete_path),)
    screen = app.visible_screen
    into = f" into “{screen.project_name}”" if project_id != WORKSPACE and screen and screen.project_name else ""
    file = await app.ask(_PathDialog(f"Import a file{into}", fields, look, submit="Preview", note=NOTE))
    if file is not None:
        await app.push_screen(ImportScreen(file))
