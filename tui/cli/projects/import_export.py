"""``podium project export``, ``podium project import`` and ``podium report``: projects out and in as files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from core.actions.fields.custom_fields import ListFields
from core.actions.projects.imports import ImportPlan, ImportProject, PreviewImport
from core.actions.projects.imports_into import ImportInto, PreviewImportInto
from core.errors import Cancelled, Forbidden, InvalidImport, InvalidInput, PodiumError, RuleViolation
from core.import_export.files import (
    IN_WORDS,
    FileFormat,
    ImportedFile,
    project_name_from,
    read_document,
    write_file,
)
from core.import_export.into.plan import ImportIntoPlan, LineNote, RefusedLine
from core.import_export.tables.cell_days import DayOrder
from core.import_export.tables.mapping import (
    TableMapping,
    read_columns,
    read_mapping,
    read_people,
    read_priorities,
    read_statuses,
    write_mapping,
)
from core.record import replace
from core.reports.formats import RENDERINGS, ExportFormat, import_note
from core.rules.project_names import ProjectRef
from core.storage.progress import NOTHING_KEPT
from core.text.amounts import DecimalSign
from core.text.phrases import count, in_words, names, some
from core.text.sanitize import visible_line
from tui.cli import streams
from tui.cli.message_command import ALLOW_LAPSE, RELOCK, flag, runs
from tui.cli.output import INTERRUPTED, say, show_progress, table
from tui.cli.records import LISTED_PROJECT, PROJECT
from tui.cli.session import Session

AUTO = "auto"
FORMATS = tuple(each.lower().replace("_", "-") for each in FileFormat)
ORDERS, SIGNS = tuple(each.value for each in DayOrder), tuple(each.value for each in DecimalSign)
NOTHING = "Nothing to change."

ABSENT_NAMED = 20
"""The most cards that are named as absent from a file."""

INTO = PROJECT.option("--into", "Add to this project, and change what came from FILE before.", "into")


@runs(
    "export",
    LISTED_PROJECT,
    click.Option(
        ["--format", "wanted"],
        type=click.Choice([each.lower().replace("_", "-") for each in ExportFormat]),
        help="The format (default: by the ending of FILE, else json).",
    ),
    *streams.OUTPUT,
)
def export(session: Session, wanted: str | None, file: str, force: bool) -> None:
    """Export a project: whole (json), cards (csv, checklist), dates (ical), plan (ms-project), report (markdown, html).

    ical has due cards as events, which each calendar program shows, and ical-tasks as things to do.
    """
    endings = {each.ending: format.lower() for format, each in RENDERINGS.items()} | {".ics": "ical"}
    format = streams.format_of(file, wanted, endings, "json").upper().replace("-", "_")
    _write(session, ExportFormat(format), file, force)


def _write(session: Session, format: ExportFormat, file: str, force: bool) -> None:
    """Write the project of a command in a format. Raises InvalidInput."""
    rendering = RENDERINGS[format]
    answer = session.query(rendering.query(session[PROJECT].id))
    text = rendering.text(answer, datetime.now(UTC))
    if note := import_note(format, answer, text):
        click.echo(note, err=True)
    if streams.write(text, file, force=force):
        path = Path(file)
        session.print_result(
            {"file": str(path), "format": format}, f"Exported to {path} ({len(text.encode()):,} bytes)."
        )


@runs(
    "report",
    LISTED_PROJECT,
    click.Option(
        ["--format", "wanted"],
        type=click.Choice(["markdown", "html"]),
        help="The format (default: by the ending of FILE, else markdown).",
    ),
    *streams.OUTPUT,
)
def report_(session: Session, wanted: str | None, file: str, force: bool) -> None:
    """Print the status report of a project (Markdown, HTML): health, phases, risks, dates, deliverables, decisions."""
    format = ExportFormat(streams.format_of(file, wanted, streams.OF_TEXTS, "markdown").upper())
    if session.as_json and file == streams.STREAM:
        session.print_result(session.query(RENDERINGS[format].query(session[PROJECT].id)))
    else:
        _write(session, format, file, force)


def _many(option: str, name: str, form: str, help: str) -> click.Option:
    """An option about a table that can be given several times."""
    return click.Option([option, name], multiple=True, metavar=form, help=f"For a table: {help[0].lower()}{help[1:]}")


@runs(
    "import",
    click.Argument(["file"], metavar="FILE"),
    click.Option(
        ["--format", "wanted"],
        type=click.Choice([AUTO, *FORMATS]),
        default=AUTO,
        metavar="FORMAT",
        help=f"The format of FILE (default: detected automatically): {', '.join(FORMATS)}.",
    ),
    _many("--map", "columns", "FIELD=HEAD", "The column of a field, such as title=“Task name”, or skip=HEAD."),
    _many("--status", "statuses", "WORD=STATUS", "The status that a word means, such as “in work=doing”."),
    _many("--priority", "priorities", "WORD=PRIORITY", "The priority that a word means, such as “1=urgent”."),
    _many("--people", "people", "WORD=PERSON", "The person that a word means, such as “Bob L.=bob”."),
    click.Option(["--dates"], type=click.Choice(ORDERS), help="Day or month first, in dates such as 03/04/2027."),
    click.Option(["--decimal"], type=click.Choice(SIGNS), help="The sign before decimals, in 12.500."),
    click.Option(["--mapping"], default="", metavar="FILE", help="A file of --save-mapping with what all these say."),
    click.Option(["--save-mapping"], default="", metavar="FILE", help="Write what these options say to a file."),
    click.Option(["--encoding"], default="", help="The encoding of a table (default: found), such as cp1250."),
    click.Option(["--sheet"], default="", help="The sheet of a spreadsheet (default: the first with cells)."),
    click.Option(["--skip-lines"], type=click.IntRange(0), help="The lines before the heads (default: found)."),
    click.Option(["--name"], default="", help="Another name for the project."),
    flag("--skip-unknown", "Skip unknown users and products."),
    INTO,
    flag("--invite", "With --into: invite the people of FILE who are in the workspace, and no members."),
    flag("--theirs", "With --into: take the values of FILE that were changed in the project, too."),
    flag("--ours", "With --into: keep the values of the project that were changed in FILE, too."),
    flag("--skip-refused", "With --into: leave out the lines that you have no permission for."),
    click.Option(["--allow-relock", "relock"], is_flag=True, help=RELOCK.help),
    ALLOW_LAPSE,
    ids=True,
    changes=True,
)
def import_(session: Session, file: str, wanted: str, name: str, skip_unknown: bool, **said: Any) -> int | None:
    """Import a project from FILE (“-” is stdin): from Podium, another program, a check list, or a table (CSV, .xlsx).

    You become an owner of it. With --into, FILE adds to a project, and changes the cards that came from it before.
    Ctrl+c stops an import, and nothing of it is kept.
    """
    format = None if wanted == AUTO else FileFormat(wanted.upper().replace("-", "_"))
    called = "" if file == streams.STREAM else project_name_from(Path(file))
    try:
        with _stopped_by_ctrl_c():
            mapping = _read_mapping(said)
            if into := session[INTO]:
                fields = session.query(ListFields(project_id=into.id))
                mapping = replace(mapping, kinds={each.field.name: each.field.kind for each in fields})
            read = read_document(streams.read_raw(file), format, mapping, name=called)
            if (kept := said["save_mapping"]) and not session.dry_run:
                way_out = "Choose another name, or give it as --mapping too."
                write_file(Path(kept), write_mapping(mapping), replace=kept == said["mapping"], way_out=way_out)
            if into:
                _import_into(session, into, read, skip_unknown, said)
                return None
            if session.dry_run and not (session.as_json or session.ids_only):  # also where the import is refused
                _show_plan(session.query(PreviewImport(document=read.document)), read)
            command = ImportProject(document=read.document, name=name, leave_out_unknown=skip_unknown)
        with show_progress("Importing") as progress:
            project = session.execute(command, progress, preview=lambda: None)
    except Cancelled as stopped:
        click.echo(str(stopped), err=True)
        return INTERRUPTED
    session.print_result(project, f"Imported “{project.name}” ({project.id}).", *_describe_reading(read))
    return None


def _import_into(
    session: Session, project: ProjectRef, read: ImportedFile, skip_unknown: bool, said: dict[str, Any]
) -> None:
    """Import a file into a project. Raises InvalidInput."""
    if said["theirs"] and said["ours"]:
        raise InvalidInput("theirs", "Give one of --theirs and --ours: the values of the file, or those here.")
    theirs = True if said["theirs"] else False if said["ours"] else None
    preview = PreviewImportInto(project_id=project.id, document=read.document, theirs=theirs)
    if said["invite"]:
        invite = tuple(each.login for each in session.query(preview).missing if each.can_invite)
        preview = replace(preview, invite=invite)
    if session.dry_run and not (session.as_json or session.ids_only):  # also where the import is refused
        _show_changes(session.query(preview), read)
    command = ImportInto(
        project_id=project.id,
        document=read.document,
        theirs=theirs,
        invite=preview.invite,
        leave_out_unknown=skip_unknown,
        skip_refused=said["skip_refused"],
        relock=said["relock"],
        allow_lapse=session[ALLOW_LAPSE],
    )
    try:
        with show_progress("Importing") as progress:
            plan = session.execute(command, progress, preview=lambda: None)
    except (Forbidden, RuleViolation, InvalidImport) as refused:
        if not (session.dry_run or session.as_json):
            _list_undecided(session.query(preview), refused)
        raise
    if session.ids_only:
        session.print_result(project)
        return
    done = f"Imported into “{plan.project}”: {names(plan.parts)}." if not plan.is_empty else NOTHING
    notes = (*map(_describe_note, plan.notes), *_describe_rest(plan), *_describe_reading(read))
    session.print_result(plan, done, *notes)


def _show_changes(plan: ImportIntoPlan, read: ImportedFile) -> None:
    """Print the plan of an import into a project whole."""
    say(f"{IN_WORDS[read.format].capitalize()} into “{plan.project}”: {names(plan.parts) or NOTHING}")
    for phase, number in plan.by_phase.items():
        say(f"  {count(number, 'new card')} in “{phase}”")
    for kind, found in (("phase", plan.new_phases), ("field", plan.new_fields), ("label", plan.new_labels)):
        for name in found:
            say(f"  new {kind} “{name}”")
    _show_table(read)
    for head, changes in (("CHANGED", plan.updates), ("IN CONFLICT", plan.conflicts)):
        if changes:
            say("")
            rows = [(f"{each.key} {each.title}", each.field, each.before, each.after) for each in changes]
            table((head, "FIELD", "HERE", "IN THE FILE"), rows, "")
    if plan.conflicts:
        say("Values in conflict take --theirs, for those of the file, or --ours.")
    for refused in plan.refused:
        say(f"Refused: {_describe_refused(refused)}")
    if plan.refused:
        say("The import is refused with these lines, unless --skip-refused leaves them out.")
    for name in {each.user_id: each.name for each in plan.invited}.values():
        say(f"Invited, as contributor: “{name}”")
    for missing in plan.missing:
        say(f"Not here: {missing.kind} “{missing.name}”{missing.why and f' ({missing.why})'}.")
    if plan.missing:
        say(f"The import is refused while someone is not here. {_name_ways(plan)}")
    for each in plan.notes:
        say(_describe_note(each))
    for ending in plan.approvals:
        say(f"{ending.sentence} It takes --allow-lapse REASON.")
    for phase in plan.relocked:
        say(f"“{phase}” locks again. It takes --allow-relock, or --allow-lapse REASON.")
    for sentence in (*_describe_rest(plan), *_describe_reading(read)):
        say(sentence)


def _list_undecided(plan: ImportIntoPlan, why: PodiumError) -> None:
    """List on stderr each line that the sender has no permission for, and each value in conflict.

    The option that is named is the way out of the error.
    """
    for refused in plan.refused:
        click.echo(visible_line(_describe_refused(refused)), err=True)
    for each in plan.conflicts:
        where = f"{each.key} “{each.title}”, {each.field}"
        click.echo(visible_line(f"{where}: {each.before} here, {each.after} in the file"), err=True)
    if plan.refused and isinstance(why, Forbidden):
        click.echo("Add --skip-refused to leave these lines out.", err=True)
    elif plan.missing and isinstance(why, InvalidImport):
        click.echo(_name_ways(plan), err=True)
    elif plan.conflicts and isinstance(why, RuleViolation):
        click.echo("Add --theirs to take the values of the file, or --ours to keep those here.", err=True)


def _name_ways(plan: ImportIntoPlan) -> str:
    """Name the options for people who are no members."""
    can_invite = any(each.can_invite for each in plan.missing)
    invite = "--invite to make members of those who are in the workspace, or " if can_invite else ""
    return f"Add {invite}--skip-unknown to make words of them."


def _describe_refused(refused: RefusedLine) -> str:
    where = f"{refused.line}, " if refused.line else ""
    return f"{where}“{refused.title}” ({refused.what}): you cannot {refused.permission.phrase}."


def _describe_note(note: LineNote) -> str:
    where = f"{note.line}, " if note.line else ""
    return f"{where}“{note.title}”: {note.why}"


def _describe_rest(plan: ImportIntoPlan) -> Iterator[str]:
    """Yield sentences about the cards, and parts of the file, that have no part in an import."""
    if plan.same:
        yield f"Nothing new on {count(plan.same, 'card')}."
    if plan.absent:
        cards = some([f"{each.key} “{each.title}”" for each in plan.absent], ABSENT_NAMED)
        yield f"Not in the file, and left as {'it is' if len(plan.absent) == 1 else 'they are'}: {cards}."
    if plan.left_out:
        yield f"Left out, as it is for a project of its own: {names(plan.left_out)}."


def _describe_reading(read: ImportedFile) -> tuple[str, ...]:
    """Sentences about what was read otherwise than it stands in the file, and what was left out."""
    return (*read.notes, *(each.sentence for each in read.left_out))


def _read_mapping(said: dict[str, Any]) -> TableMapping:
    """The mapping for a table by a file and the options; an option goes before the file. Raises InvalidInput."""
    kept = read_mapping(streams.read(said["mapping"])) if said["mapping"] else TableMapping()
    return TableMapping(
        columns={**kept.columns, **read_columns(said["columns"])},
        statuses={**kept.statuses, **read_statuses(said["statuses"])},
        priorities={**kept.priorities, **read_priorities(said["priorities"])},
        people={**kept.people, **read_people(said["people"])},
        dates=DayOrder(said["dates"]) if said["dates"] else kept.dates,
        decimal=DecimalSign(said["decimal"]) if said["decimal"] else kept.decimal,
        skip_lines=kept.skip_lines if said["skip_lines"] is None else said["skip_lines"],
        encoding=said["encoding"] or kept.encoding,
        sheet=said["sheet"] or kept.sheet,
    )


@contextlib.contextmanager
def _stopped_by_ctrl_c() -> Iterator[None]:
    """Ctrl+c before anything is written. Raises Cancelled."""
    try:
        yield
    except KeyboardInterrupt:
        raise Cancelled(NOTHING_KEPT) from None


def _show_table(read: ImportedFile) -> None:
    """Print what the columns and the words of a table become; nothing for another file."""
    if read.columns:
        rows = [(each.head, " | ".join(each.samples), each.becomes) for each in read.columns]
        say("")
        table(("COLUMN", "CELLS", "BECOMES"), rows, "")
    if read.known:
        rows = [(each.word, in_words(each.means), f"{each.kind}, {count(each.number, 'card')}") for each in read.known]
        say("")
        table(("WORD", "MEANS", "AS"), rows, "")


def _show_plan(plan: ImportPlan, read: ImportedFile) -> None:
    """Print the plan of an import, with the notes of the reading."""
    say(f"“{plan.name}”, read as {IN_WORDS[read.format]}, would become a project with")
    for line in plan.parts:
        say(f"  {line}")
    _show_table(read)
    if plan.people:
        rows = [(each.name, each.user or "not in this workspace", in_words(each.role)) for each in plan.people]
        say("")
        table(("IN THE FILE", "HERE", "ROLE"), rows, "")
    for missing in plan.missing:
        say(f"Not here: {missing.kind} “{missing.name}”{missing.why and f' ({missing.why})'}.")
    if plan.missing:
        say("The import is refused while something is not here, unless --skip-unknown is given.")
    for note in _describe_reading(read):
        say(note)
