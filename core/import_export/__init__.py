"""Projects as files, in and out. No message is defined here.

document.py         a whole project without ids
export_project.py   project to document
own_fields.py       own fields and their values in a document
validation.py       checks a document
resolve_names.py    names to ids
check_seals.py      checks the seals of decisions
build_records.py    document to records
files.py            reads and writes files
draft.py            a document from another program's file
trello.py           Trello
kanban_tui.py       kanban-tui
taskwarrior.py      taskwarrior
csv_table.py        CSV
csv_fields.py       the own fields of a CSV
preset_file.py      one preset
"""
