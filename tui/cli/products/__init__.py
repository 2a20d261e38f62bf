"""Commands on products.

products.py  podium product, with product role and product token
launch.py    podium launch, product launch
"""
