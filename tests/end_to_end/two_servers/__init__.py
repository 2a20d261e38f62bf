"""Two servers on one database of PostgreSQL behind nginx, from the page for administrators, as it is written."""
