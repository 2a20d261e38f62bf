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
import_export.py    import and export
import_mapping.py   what the columns and words of a table mean
"""
