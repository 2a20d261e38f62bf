"""Messages about the workflow of a project.

burn_up.py       items per status and day
canvas.py        the Canvas, whole or what changed
deliverables.py  deliverables and evidence
gates.py         gate decisions
phases.py        phases
reschedule.py    move dates together
"""
