"""The sender of a request and the permission that its head needs: steps 1 and 2.

authentication.py     step 1: the sender
admission.py          step 2: the permission, as far as the head shows it
credential_owners.py  owners of credentials seen before
product_questions.py  permission queries of products
"""
