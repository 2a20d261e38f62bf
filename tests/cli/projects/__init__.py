"""Commands on projects, their phases and members, and what projects are made from."""
