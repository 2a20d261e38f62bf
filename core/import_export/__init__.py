"""Projects as files, in and out. No message is defined here.

document.py         a whole project without ids
export_project.py   project to document
custom_fields.py    custom fields and their values in a document
gates.py            policies, criteria and conditions of gates in a document
validation.py       checks a document, and the seals of decisions in it
resolve_names.py    names to ids
build_records.py    document to records
files.py            reads and writes files
encodings.py        finds the encoding of a text
other_files.py      names files that are not read
origins.py          the programs and ids that cards came from
circles.py          circles of waits and of parents
draft.py            a document from another program's file
trello.py           Trello
kanban_tui.py       kanban-tui
taskwarrior.py      taskwarrior
loose_cards.py      cards whose parents, waits and values may not fit
beads.py            beads
check_lists.py      check lists in Markdown, out and in
backlog_md.py       Backlog.md
todo_txt.py         todo.txt
nextcloud_deck.py   Nextcloud Deck
ical.py             calendars
gantt_project.py    GanttProject
ms_project.py       XML of Microsoft Project
outline.py          outlines as phases, activities and tasks
xml_file.py         XML as values, within bounds
preset_file.py      one preset
into/               an import into an existing project
tables/             tables, out and in
"""
