"""Commands on projects, their phases and members, and what projects are made from.

projects.py       podium project
current.py        podium use
phases.py         podium phase
fields.py         podium field
deliverables.py   podium deliverable
gates.py          podium gate
gate_rules.py     podium gate policy, criteria, condition
members.py        podium member
history.py        podium history, undo, redo
portfolio.py      podium portfolio, workload, burn-up
import_export.py  podium project import, export, report
templates.py      podium template
hierarchy.py      podium hierarchy
"""
