"""Records, enumerations and pure rules: no SQL, no clock, no files.

model.py           the nouns
canvas.py          the Canvas
workflow.py        rules of phases, gates and statuses
permissions.py     the table of permissions
grants.py          the permission query and its answer
credentials.py     tokens and linked OS accounts
products.py        products, applications, meta roles
product_fields.py  what the registry accepts
product_fit.py     products that fit links
product_roles.py   product roles from meta roles
launch_context.py  the launch context
templates.py       templates
presets.py         stored presets and filters
view_settings.py   view settings and predefined presets
notifications.py   notifications and last visits
finding.py         one check of the doctor
quotas.py          quotas
max_lengths.py     maximum lengths
"""
