"""Messages about workflow templates.

apply.py            create a project from a template, save one, merge a version
import_template.py  add a template from a file
origin.py           the template that a project comes from
templates.py        list, read, rename, remove
"""
