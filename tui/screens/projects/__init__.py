"""Projects.

projects.py         the Projects widget, and the ways to begin without a project
project_actions.py  keys that act on a project
pages.py            its lines, page by page, and their reader
rows.py             how a line looks
project_health.py   why a project is overdue or at risk
form.py             the form of a project
from_template.py    a project from a template
hierarchy.py        clients, markets, brands
history.py          history, and the part of it since the last visit
export.py           a project as a file
import_file.py      a file on its way in
import_rows.py      the lines of the preview of an import
import_screen.py    the preview of an import
"""
