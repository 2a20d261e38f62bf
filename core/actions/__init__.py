"""What people can do, one file per noun. ``core.catalog`` lists it all.

Beside the messages are the rules that several of them share, and that a person taking a change back meets, too:

items.py            tasks and activities; assignments.py who does them; order.py where they stand
hierarchy_rules.py  the tree of clients, markets and brands
product_rules.py    the product registry as a whole
compatibility.py    applications fit the links of their project
automatic_roles.py  what the members of a project have
reverting.py        how a change is taken back; undo_rules.py what must hold then
explaining.py       why somebody may or may not do something
"""
