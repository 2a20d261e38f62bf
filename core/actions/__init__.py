"""What people can do, one file per noun. ``core.catalog`` lists it all."""
