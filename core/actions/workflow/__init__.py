"""Messages about the workflow of a project.

burn_up.py         items by status on each day
canvas.py          the Canvas
canvas_changes.py  its changes since a read
deliverables.py    deliverables and evidence
gate_record.py     the record of the gates, and the seals of decisions
gates.py           gate decisions
next_phase.py      the phase that opens next
phases.py          phases
reschedule.py      move a phase's dates and those that depend on it
"""
