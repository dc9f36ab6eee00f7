"""Which addresses are the public internet, and which names never lead there (BR-08).

The tables are the special-purpose registries of IANA, plus what clouds answer on. They are our own
because `ipaddress.is_global` differs between versions of Python and lets translated addresses by.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket

from studio_qt.errors import AgentError
from studio_qt.web.url import IPAddress

__all__ = ["is_local_name", "is_public", "look_up"]

_V4 = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # carriers' own; 100.100.100.200 is a cloud's metadata
        "127.0.0.0/8",
        "168.63.129.16/32",  # metadata of a cloud, in public dress
        "169.254.0.0/16",  # link-local; 169.254.169.254 is metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_V6_PUBLIC = ipaddress.IPv6Network("2000::/3")
_V6 = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23",  # protocols: Teredo and ORCHID among them
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",
        "3fff::/20",  # documentation
    )
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_ISATAP = (0x00005EFE, 0x02005EFE)
_LOCAL_ENDINGS = (
    "arpa",
    "corp",
    "home",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "onion",
    "private",
    "test",
)


def is_public(address: IPAddress) -> bool:
    """Whether an address belongs to the public internet.

    Of addresses that hold another one, those of NAT64 count as what they hold, since networks
    without IPv4 give them for every host; mapped, compatible, 6to4 and Teredo never are public.
    """
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _V4)
    if address.scope_id is not None:
        return False
    last = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _NAT64:
        return is_public(last)
    if int(address) >> 32 & 0xFFFFFFFF in _ISATAP and not is_public(last):
        return False
    return address in _V6_PUBLIC and not any(address in network for network in _V6)


def is_local_name(name: str) -> bool:
    """Whether a name can only mean the own machine or network: `localhost`, `router`, `x.lan`."""
    return "." not in name or name.rpartition(".")[2] in _LOCAL_ENDINGS


async def look_up(name: str, port: int) -> list[IPAddress]:
    """Return all addresses that the system knows for a name; raises AgentError when none."""
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AgentError(
            f"{name} could not be found. Check the spelling and the network."
        ) from error
    addresses = [ipaddress.ip_address(entry[4][0]) for entry in found]
    return list(dict.fromkeys(addresses))
