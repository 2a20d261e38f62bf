"""Commands on the user's own work, filters and presets."""
