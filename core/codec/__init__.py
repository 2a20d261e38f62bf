"""JSON and TOML in and out: values as text, and text of strangers as checked values.

encoding.py     records as JSON
json_loader.py  JSON as records, or a refusal with line and field
strict_json.py  a strict JSON reader
toml_text.py    TOML as records, and values as TOML
type_hints.py   type hints taken apart
"""
