"""Messages about products.

launch.py    launches and their context
products.py  the product registry
tokens.py    tokens of products
"""
