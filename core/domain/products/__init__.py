"""Products, their applications and roles, and the context of a launch.

products.py        products, applications, meta roles
fields.py          checks of the fields of a product
fit.py             the hierarchy levels that a product requires
roles.py           product roles derived from meta roles
launch_context.py  the launch context and the ways to pass it
"""
