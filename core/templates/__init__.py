"""Workflow templates: saved, searchable workflows without people and with relative dates (spec, section 6).

model.py        the records, and what is in a template
body.py         a workflow as JSON and back; what an overview counts
size.py         how large a template may be
shelf.py        the templates of the workspace: found, named, read in one version
parts.py        a workflow as a tree of parts of one shape, and which parts of two workflows belong together
difference.py   what differs between two workflows
standing.py     a project as such a tree; from_project.py the project as what a template holds
merge.py        what bringing a version into a project would do, line by line
sequence.py     the order of cards while some are moved and others come in
bringing.py     doing it
planting.py     phases, cards and applications of a template made in a project
built_in/       the templates that a new workspace has
"""
