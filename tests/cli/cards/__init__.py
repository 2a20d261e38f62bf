"""Commands on cards."""
