"""``podium project export``, ``podium project import`` and ``podium report``: projects out and in as files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from core.actions.projects.imports import ImportPlan, ImportProject, PreviewImport
from core.errors import Cancelled
from core.import_export.files import (
    IN_WORDS,
    FileFormat,
    ImportedFile,
    project_name_from,
    read_document,
    write_file,
)
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
from core.reports.formats import RENDERINGS, ExportFormat, import_note
from core.storage.progress import NOTHING_KEPT
from core.text.amounts import DecimalSign
from core.text.phrases import in_words
from tui.cli import streams
from tui.cli.message_command import flag, runs
from tui.cli.output import INTERRUPTED, say, show_progress, table
from tui.cli.records import LISTED_PROJECT, PROJECT
from tui.cli.session import Session

AUTO = "auto"


@runs(
    "export",
    LISTED_PROJECT,
    click.Option(
        ["--format", "wanted"],
        type=click.Choice([each.lower() for each in ExportFormat]),
        help="The format (default: by the ending of FILE, else json).",
    ),
    *streams.OUTPUT,
)
def export(session: Session, wanted: str | None, file: str, force: bool) -> None:
    """Export a project: whole (json), its tasks (csv), its dates (ical), or a status report (markdown, html)."""
    endings = {each.ending: format.lower() for format, each in RENDERINGS.items()}
    _write(session, ExportFormat(streams.format_of(file, wanted, endings, "json").upper()), file, force)


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
        type=click.Choice([AUTO, *(each.lower().replace("_", "-") for each in FileFormat)]),
        default=AUTO,
        help="The format of FILE (default: detected automatically).",
    ),
    _many("--map", "columns", "FIELD=HEAD", "The column of a field, such as title=“Task name”, or skip=HEAD."),
    _many("--status", "statuses", "WORD=STATUS", "The status that a word means, such as “in work=doing”."),
    _many("--priority", "priorities", "WORD=PRIORITY", "The priority that a word means, such as “1=urgent”."),
    _many("--people", "people", "WORD=PERSON", "The person that a word means, such as “Bob L.=bob”."),
    click.Option(["--dates"], type=click.Choice([*DayOrder]), help="Day or month first, in dates such as 03/04/2027."),
    click.Option(["--decimal"], type=click.Choice([*DecimalSign]), help="The sign before decimals, in 12.500."),
    click.Option(["--mapping"], default="", metavar="FILE", help="A file of --save-mapping with what all these say."),
    click.Option(["--save-mapping"], default="", metavar="FILE", help="Write what these options say to a file."),
    click.Option(["--encoding"], default="", help="The encoding of a table (default: found), such as cp1250."),
    click.Option(["--sheet"], default="", help="The sheet of a spreadsheet (default: the first with cells)."),
    click.Option(["--skip-lines"], type=click.IntRange(0), help="The lines before the heads (default: found)."),
    click.Option(["--name"], default="", help="Another name for the project."),
    flag("--skip-unknown", "Skip unknown users and products."),
    ids=True,
    changes=True,
)
def import_(session: Session, file: str, wanted: str, name: str, skip_unknown: bool, **said: Any) -> int | None:
    """Import a project from FILE (“-” is stdin): from Podium, Trello, kanban-tui, taskwarrior, or a table (CSV, .xlsx).

    You become an owner of it. Ctrl+c stops an import, and nothing of it is kept.
    """
    format = None if wanted == AUTO else FileFormat(wanted.upper().replace("-", "_"))
    called = "" if file == streams.STREAM else project_name_from(Path(file))
    try:
        with _stopped_by_ctrl_c():
            mapping = _read_mapping(said)
            read = read_document(streams.read_raw(file), format, mapping, name=called)
            if (kept := said["save_mapping"]) and not session.dry_run:
                way_out = "Choose another name, or give it as --mapping too."
                write_file(Path(kept), write_mapping(mapping), replace=kept == said["mapping"], way_out=way_out)
            if session.dry_run and not (session.as_json or session.ids_only):  # also where the import is refused
                _show_plan(session.query(PreviewImport(document=read.document)), read)
            command = ImportProject(document=read.document, name=name, leave_out_unknown=skip_unknown)
        with show_progress("Importing") as progress:
            project = session.execute(command, progress, preview=lambda: None)
    except Cancelled as stopped:
        click.echo(str(stopped), err=True)
        return INTERRUPTED
    session.print_result(project, f"Imported “{project.name}” ({project.id}).")
    return None


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


def _show_plan(plan: ImportPlan, read: ImportedFile) -> None:
    """Print the plan of an import, with the notes of the reading."""
    say(f"“{plan.name}”, read as {IN_WORDS[read.format]}, would become a project with")
    for line in plan.parts:
        say(f"  {line}")
    if read.columns:
        rows = [(each.head, " | ".join(each.samples), each.becomes) for each in read.columns]
        say("")
        table(("COLUMN", "CELLS", "BECOMES"), rows, "")
    if plan.people:
        rows = [(each.name, each.user or "not in this workspace", in_words(each.role)) for each in plan.people]
        say("")
        table(("IN THE FILE", "HERE", "ROLE"), rows, "")
    for missing in plan.missing:
        say(f"Not here: {missing.kind} “{missing.name}”{missing.why and f' ({missing.why})'}.")
    if plan.missing:
        say("The import is refused while something is not here, unless --skip-unknown is given.")
    for note in (*read.notes, *(each.sentence for each in read.left_out)):
        say(note)
