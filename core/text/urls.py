"""Addresses: which hosts are this machine, and which services are safe enough to be sent a token."""

from __future__ import annotations

import re


def service_address(text: str) -> str:
    """An ``https`` address, or ``http`` on this machine, without a slash at its end; "" for none.

    A token sent to it is read by nobody on the way. Raises ValueError for any other, also for one with a user name, a
    password, a query or a fragment: paths are put behind it.
    """
    if not text:
        return ""
    from urllib.parse import urlsplit

    if not re.fullmatch(r"[!-~]+", text) or re.search(r"[\\@?#]", text):
        raise ValueError("it holds characters that no address of a service has")
    parts = urlsplit(text)
    host, _ = parts.hostname or "", parts.port
    if not re.fullmatch(r"[\w.:-]*\w[\w.:-]*", host):
        raise ValueError("it names no host")
    if parts.scheme == "http":
        if not is_loopback(host):
            raise ValueError("it is not encrypted")
    elif parts.scheme != "https":
        raise ValueError("it is neither https nor http")
    return text.rstrip("/")


def is_loopback(host: str) -> bool:
    """Whether a host is ``localhost``, in 127.0.0.0/8, or ``::1``; written any other way it is not.

    Only there ``http`` will do: what is sent leaves the machine nowhere (spec, sections 4 and 7; the list is decided
    here).
    """
    from ipaddress import IPv4Address, IPv6Address, ip_address

    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address == IPv6Address("::1") or (isinstance(address, IPv4Address) and address.is_loopback)


def network_of(host: str) -> str:
    """Where an address belongs to: this machine, one IPv4 address, or one /64 of IPv6, which is what one person has.

    Connections and attempts are counted by it. A text that is no address stands for itself.
    """
    from ipaddress import IPv6Address, ip_address, ip_network

    if is_loopback(host):
        return "this machine"
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return network_of(str(address.ipv4_mapped))
    return str(ip_network((address, 64), strict=False))


def is_service_address(text: str) -> bool:
    """Whether ``service_address`` accepts it."""
    try:
        service_address(text)
    except ValueError:
        return False
    return True


def redacted(text: str) -> str:
    """A refused address as it may be shown: without what may be a password."""
    return re.sub(r"(//)?[^/]*@", r"\1…@", text) if "@" in text else text
