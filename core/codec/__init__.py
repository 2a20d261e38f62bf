"""Reading and writing of JSON and TOML; text from outside becomes checked values.

decoding.py     JSON as values of declared types
encoding.py     results as JSON
json_loader.py  checked records from JSON; errors name line and field
strict_json.py  JSON from other services, within bounds
toml_text.py    checked records from TOML, and tables as TOML
type_hints.py   the parts of type hints
"""
