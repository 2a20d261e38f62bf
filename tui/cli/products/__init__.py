"""Commands on products.

products.py  podium product
roles.py     podium product role
tokens.py    podium product token
launch.py    podium launch, product launch
"""
