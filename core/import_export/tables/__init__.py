"""Tables: those of other programs in, and a project out.

csv_export.py   a project as CSV
grid.py         text to lines of cells
workbook.py     spreadsheets (.xlsx) to lines of cells
sheet_survey.py the XML of a sheet, before it is read
heads.py        the meaning of heads of columns
words.py        what statuses, priorities, yes and no are called
cell_days.py    days as programs and people write them
mapping.py      the mapping that the person who imports gives
columns.py      the decision on each column
todoist.py      the tables of Todoist
lines.py        lines on the way to cards
relations.py    parents, phases and waits
draft.py        lines to cards
"""
