"""Messages about the workflow of a project.

burn_up.py       items by status on each day
canvas.py        the Canvas, or its changes
deliverables.py  deliverables and evidence
gates.py         gate decisions
next_phase.py    the phase that opens next
phases.py        phases
reschedule.py    move a phase's dates and those that depend on it
"""
