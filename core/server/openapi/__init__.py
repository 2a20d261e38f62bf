"""The OpenAPI document of the API, and a page for each error code.

document.py          the document
components.py        shared parts
schemas.py           JSON Schema of types
error_pages.py       error pages
"""
