"""Commands on users, their permissions and how they sign in."""
