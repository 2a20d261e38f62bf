"""Messages about the workflow of a project.

burn_up.py         items by status on each day
canvas.py          the Canvas
canvas_changes.py  its changes since a read
deliverables.py    deliverables and evidence
gate_conditions.py conditions of decisions
gate_decisions.py  decisions and votes at one gate
gate_policy.py     who decides at a gate
gate_votes.py      votes, also those of a meeting
gate_criteria.py   criteria of gates
gate_record.py     the record of the gates, and the seals of decisions
gates.py           gate decisions
next_phase.py      the phase that opens next
phases.py          phases
reschedule.py      move a phase's dates and those that depend on it
"""
