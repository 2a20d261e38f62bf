"""Rules that need the database and that several messages share. No message is defined here.

phases.py             the workflow of a project, and the most phases of it
gate_entries.py       the order of the entries of gate records, and which of them count
gate_facts.py         the short form of what is missing at gates, in one statement
gate_panel.py         who decides at a gate, and how they voted
gate_readiness.py     what is missing at the gate of a phase
approvals.py          approvals in force, the one function that ends them, and those that an undo brings back
gate_criteria.py      criteria of gates, and whether each is met
gate_filters.py       the filters of criteria: stored with ids, and as SQL
gate_conditions.py    conditions of gates, and their cards
undone_decisions.py   decisions that an undo takes back or brings back
gate_seals.py         seals: what a decision was made on, as canonical JSON
seal_words.py         seals of decisions in words, and what differs between two
dependencies.py       which cards wait for which, and the refusals that name them
dependency_cycles.py  no card waits for itself, also through the order of phases
items.py              tasks and activities
labels.py             labels of projects, and those on cards
fields.py             custom fields and their values
card_fields.py        the values of custom fields on cards, and their sums
assignments.py        assigned members
ordering.py           ranks
notifications.py      creates notifications
visibility.py         projects a user can see
member_roles.py       roles of members
hierarchy.py          the hierarchy and project links
products.py           the product registry
active_preset.py      the active preset and the folds of a user
preset_fields.py      checks the fields of a preset
project_keys.py       the keys of projects
project_names.py      the names of my projects
"""
