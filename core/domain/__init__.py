"""The domain: records, enumerations and pure rules, which need no SQL, no clock and no files.

model.py           users, projects, phases, cards, changes
labels.py          labels and those of cards
canvas.py          the Canvas as a result of a query, and its folds
phase_states.py    phases that are complete, open and locked
dependencies.py    cards that wait for other cards
fields.py          custom fields and their values
origins.py         origins of imported cards
gates.py           deliverables, and the record and the seals of gates
gate_policy.py     who decides at a gate, criteria, votes and conditions
evidence.py        evidence of deliverables
statuses.py        statuses, transitions, counts, progress
readiness.py       what is missing at a gate, in the words of heads and lists
project_health.py  the health of a project and its forecast
permissions.py     permission codes and the roles that hold them
grants.py          the permission query and its answer
credentials.py     tokens and linked OS accounts
templates.py       workflow templates
presets.py         saved presets and filters
view_settings.py   view settings and predefined presets
notifications.py   notifications and last-seen marks
preferences.py     the settings of a person, with their values
finding.py         the result of one check of the doctor
quotas.py          the quotas of one user
max_lengths.py     maximum lengths
products/          products, applications and launches
"""
