"""Lines and panels that several screens show."""
