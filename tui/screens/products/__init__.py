"""Products and applications.

products.py         the registry
product.py          one product
forms.py            forms of a product
launch.py           launching a product
application.py      one application
new_application.py  adding one
launch_or_open.py   launching or opening one
"""
