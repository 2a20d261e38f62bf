"""Projects in and out of Podium, as files.

document.py      a whole project without ids: what is exported, and what every import becomes first
capture.py       a project of the database as a document
acceptance.py    what is accepted of a document: its texts, its dates, and how its parts refer to each other
matching.py      which people, products, meta roles and links of this workspace a document means
making.py        the records that a document becomes
files.py         reading a file: its size, its text, its format; writing one
shape.py         JSON of strangers in the shape that is expected, or a refusal that names line and field
draft.py         what a file of another program becomes, with the place that each part came from
trello.py        Trello's JSON of a board
kanban_tui.py    kanban-tui's list of tasks
taskwarrior.py   taskwarrior's export
spreadsheet.py   tasks as CSV, out and in
calendar.py      phases and due dates as iCalendar
report.py        how a project stands, as Markdown
gate_record.py   every decision at the gates of a project, as Markdown or CSV
preset_file.py   a viewing preset as a small file
rendering.py     a project in any of the formats it can leave Podium in
"""
