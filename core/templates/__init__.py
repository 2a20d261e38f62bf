"""What is in a workflow template, and how it meets a project. No message lives here.

library.py        the templates of the workspace
json_format.py    a template as JSON, as it is stored
template_file.py  a template as a TOML file
size.py           how large one may be
tree.py           a workflow as a tree
project_tree.py   a project as such a tree
diff.py           what differs
merge.py          plans a merge
apply_merge.py    carries it out
ordering.py       order of siblings in a merge
instantiate.py    template to project
capture.py        project to template
built_in/         the templates of a new workspace
"""
