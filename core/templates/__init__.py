"""The content of a workflow template, and its merge with a project. No message is defined here.

library.py        the templates of the workspace
json_format.py    a template as JSON, as it is stored
template_file.py  a template as a TOML file
planned_gates.py  policy and criteria of a gate in that file
checked_files.py  files of strangers, read and checked by pydantic
size.py           limits of a template's size
tree.py           parts of templates and projects alike
project_tree.py   a project as a tree of such parts
diff.py           the differences of two workflows
merge.py          plans a merge
apply_merge.py    carries out a merge
instantiate.py    template to project
capture.py        project to template
waits.py          which cards of a workflow wait for which
built_in/         the templates of a new workspace
"""
