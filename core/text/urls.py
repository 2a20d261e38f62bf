"""Checks of URLs: loopback hosts, and services that are safe to send a token to."""

from __future__ import annotations

import re


def service_address(text: str) -> str:
    """Return the checked address of a service, without a slash at its end; "" for "". Raises ValueError.

    It is ``https``, or ``http`` on this machine, so that a token is never sent unencrypted over a network. A user name,
    a password, a query or a fragment is refused, because paths are appended to the address.
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
    """Return True for ``localhost``, 127.0.0.0/8 and ``::1``, in no other spelling.

    Only for these hosts ``http`` is accepted, because the data does not leave the machine.
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
    """Return the network by which connections and sign-in attempts are counted.

    It is "this machine", one IPv4 address, or one /64 of IPv6, which is the usual allocation of one customer. A text
    that is not an address is returned as it is.
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


def redact(text: str) -> str:
    """Return a refused address without its user name and passwords, to show it."""
    head, slashes, _ = text.rpartition("@")[0].partition("//")
    shown = f"{head}//…@" if slashes else "…@"
    text = shown + text.rpartition("@")[2] if "@" in text else text
    return re.sub(r"(?i)(password=)[^&]*", r"\1…", text)
