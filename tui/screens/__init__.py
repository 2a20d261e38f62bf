"""One screen a file; each asks one query and asks it again after a change. They are loaded when first opened."""
