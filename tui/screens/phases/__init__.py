"""Phases.

phase.py         one phase
editing.py       keys that change a phase, and lead to the next one
gates.py         keys of a gate
gate_record.py   the gate record, with its seals
form.py          the form of a phase
deliverables.py  its deliverables, and the dialog that delivers
contents.py      its open cards and its applications
"""
