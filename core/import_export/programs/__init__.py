"""Files of other programs that are no tables, in; two of them out too.

Each has ``draft(text, called)``; ``called`` names the project of a file that has no name.

loose_cards.py    cards whose parents, waits and values may not fit
outline.py        outlines as phases, activities and tasks
xml_file.py       XML as values, within bounds
trello.py         Trello
taskwarrior.py    taskwarrior
kanban_tui.py     kanban-tui
beads.py          beads
nextcloud_deck.py Nextcloud Deck
check_lists.py    check lists in Markdown, out and in
backlog_md.py     Backlog.md
todo_txt.py       todo.txt
ical.py           calendars
gantt_project.py  GanttProject
ms_project.py     XML of Microsoft Project
"""
