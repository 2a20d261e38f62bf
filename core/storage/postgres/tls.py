"""The parameters of a URL, and TLS to a server on another machine, whose certificate and name are checked.

That is ``sslmode=verify-full``, wherever the name of the machine comes from: the URL, PGHOST, PGHOSTADDR or PGSERVICE.

``sslmode=disable`` in the URL is the one way around, for a network that is encrypted by other means. The other values
look safe and are not: with ``require``, anyone between the two machines can answer for the server.
"""

from __future__ import annotations

import os
from itertools import zip_longest
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from core.errors import InvalidInput
from core.net.database_url import PARAMETERS
from core.text.urls import is_loopback

CHECKED, OFF = "verify-full", "disable"

SYSTEM_AUTHORITIES = 160_000
"""The version of libpq from which on it knows the certificate authorities of the system."""


def tls_parameters(url: str) -> dict[str, str]:
    """Return the parameters to add to those of a URL, so that TLS is checked.

    Raises InvalidInput, also for a parameter that a URL cannot have, and psycopg.Error.
    """
    given = conninfo_to_dict(url)
    if refused := sorted(given.keys() - {*PARAMETERS, "password"}):
        raise InvalidInput(
            "db",
            f"The URL of the database cannot have the parameter “{refused[0]}”. It can have "
            f"{', '.join(PARAMETERS[:-1])} and {PARAMETERS[-1]}.",
        )
    every = {one.keyword.decode(): one.val.decode() for one in psycopg.pq.Conninfo.get_defaults() if one.val}
    hosts, addresses = (str(given.get(each) or every.get(each, "")).split(",") for each in ("host", "hostaddr"))
    reached = [address or host for host, address in zip_longest(hosts, addresses, fillvalue="")]
    if all(_is_on_this_machine(host) for host in reached) or given.get("sslmode") == OFF:
        return {}
    if given.get("sslmode", CHECKED) != CHECKED:
        raise InvalidInput(
            "db",
            f"sslmode={given['sslmode']} does not check who answers. Use sslmode=verify-full with sslrootcert=FILE, "
            "the certificate of the authority; or sslmode=disable if the network itself is encrypted.",
        )
    own_authorities = Path.home() / ".postgresql" / "root.crt"
    if "sslrootcert" in given or "PGSSLROOTCERT" in os.environ or own_authorities.exists():
        return {"sslmode": CHECKED}
    return {"sslmode": CHECKED} | ({"sslrootcert": "system"} if psycopg.pq.version() >= SYSTEM_AUTHORITIES else {})


def _is_on_this_machine(host: str) -> bool:
    """Return True for a loopback host and for a Unix socket, which is a path, an abstract name, or the default."""
    return not host or host.startswith(("/", "@")) or is_loopback(host)
