"""Phases.

phase.py         one phase
editing.py       keys that change a phase
texts.py         keys of its objectives and outcomes
gates.py         keys of a gate
gate_record.py   the gate record, with its seals
form.py          the form of a phase
deliverables.py  its deliverables
evidence.py      the dialog that delivers
cards.py         its open cards
applications.py  its applications
neighbours.py    keys to the previous and the next phase
"""
