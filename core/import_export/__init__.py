"""Projects as files, in and out. No message is defined here.

document.py         a whole project without ids
export_project.py   project to document
custom_fields.py    custom fields and their values in a document
gates.py            policies, criteria and conditions of gates in a document
validation.py       checks a document, and the seals of decisions in it
resolve_names.py    names to ids
build_records.py    document to records
files.py            reads and writes files
encodings.py        finds the encoding of a text
other_files.py      names files that are not read
origins.py          the programs and ids that cards came from
circles.py          circles of waits and of parents
draft.py            a document from another program's file
preset_file.py      one preset
programs/           files of other programs that are no tables
into/               an import into an existing project
tables/             tables, out and in
"""
