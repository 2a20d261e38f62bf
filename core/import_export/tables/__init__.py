"""Tables: those of other programs in, and a project out.

csv_export.py a project as CSV
grid.py       text to lines of cells
heads.py      what the heads of columns mean
words.py      what statuses, priorities, yes and no are called
cell_days.py  days as programs and people write them
mapping.py    what the person who imports says
columns.py    what becomes of each column
todoist.py    the tables of Todoist
draft.py      lines to cards
"""
