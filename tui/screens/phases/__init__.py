"""Phases.

phase.py         one phase, and the keys that change it or lead to the next one
gates.py         keys of a gate
votes.py         what > asks there: the approval, a vote, or the record of a meeting
policy.py        the form of who decides there
gate_record.py   the gate record, with its seals
form.py          the form of a phase
deliverables.py  its deliverables, and the dialog that delivers
criteria.py      criteria and conditions of its gate, which are rows beside the deliverables
contents.py      its open cards and its applications
"""
