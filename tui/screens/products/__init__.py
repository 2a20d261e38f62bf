"""Products and applications.

products.py         the registry
product.py          one product
forms.py            forms of a product, and the question before its launch
application.py      one application
new_application.py  adding one
launch_or_open.py   launching or opening one
"""
