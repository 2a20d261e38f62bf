"""Commands on products."""
