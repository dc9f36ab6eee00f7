"""Nothing but the public internet, in whatever spelling it is asked for."""

from __future__ import annotations

import asyncio
import ipaddress

import pytest

from studio_qt.errors import AgentError
from studio_qt.web import WebReader
from studio_qt.web.hop import Door
from studio_qt.web.ranges import is_public
from studio_qt.web.url import IPAddress, parse_url
from tests.support.website import LOOPBACK, Site, door, moved, page

pytestmark = pytest.mark.clause("BR-08")

SPELLINGS = [
    # loopback
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0x7F.0x0.0x0.0x1",
    "0177.0.0.1",
    "0177.0x0.0.1",
    "0x7f.1",
    "127.0.0.0x1",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "①②⑦.⓪.⓪.①",
    "１２７.０.０.１",
    "127。0。0。1",
    "127．0．0．1",
    "𝟏𝟐𝟕.0.0.1",
    "127.0.0.1%C2%AD",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::127.0.0.1]",
    "[::7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::FFFF:7F00:1]",
    "[::ffff:0:127.0.0.1]",
    "[%3a%3a1]",
    # unspecified
    "0.0.0.0",
    "0",
    "0x0",
    "00.0.0.0",
    "[::]",
    # private
    "10.0.0.1",
    "10.1",
    "167772161",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.168.257",
    "0xc0a80101",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fec0::1]",
    "[::ffff:192.168.1.1]",
    # link-local and metadata
    "169.254.169.254",
    "169.254.43518",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[fd00:ec2::254]",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    # translated and tunnelled
    "[64:ff9b::7f00:1]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b::169.254.169.254]",
    "[64:ff9b:1::1]",
    "[2002:7f00:1::]",
    "[2002:c0a8:101::1]",
    "[2002:0808:0808::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[2a00:1450::5efe:10.0.0.1]",
    "[2a00:1450::200:5efe:127.0.0.1]",
    # multicast, reserved, documentation, benchmarks
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "192.88.99.1",
    "[ff02::1]",
    "[2001:db8::1]",
    "[3fff::1]",
    "[100::1]",
    "[5f00::1]",
    "[4000::1]",
    # names of the own machine and network
    "localhost",
    "LOCALHOST",
    "localhost.",
    "ⓛocalhost",
    "lo%C2%ADcalhost",
    "app.localhost",
    "localhost.localdomain",
    "router",
    "printer.local",
    "nas.lan",
    "metadata.google.internal",
    "router.home.arpa",
]


def nowhere() -> Door:
    async def resolve(name: str, port: int) -> list[IPAddress]:
        raise AssertionError(f"{name} was looked up")

    return Door(resolve)


@pytest.mark.parametrize("host", SPELLINGS)
async def test_a_host_that_is_not_public_is_blocked_however_it_is_spelled(host: str) -> None:
    reader = WebReader(door=nowhere())
    for url in (f"http://{host}/", f"https://{host}:8443/x?y#z", f"http://good.example@{host}/"):
        with pytest.raises(AgentError, match="blocked"):
            await reader.fetch(url)
    await reader.close()


@pytest.mark.parametrize("host", ["8.8.8.8", "1.1.1.1", "134744072", "[2606:4700::1111]"])
def test_public_addresses_are_not_blocked(host: str) -> None:
    found = parse_url(f"http://{host}/").host
    assert not isinstance(found, str)
    assert is_public(found)


@pytest.mark.parametrize("address", ["64:ff9b::808:808", "172.32.0.1", "100.128.0.1", "11.0.0.1"])
def test_neighbours_of_blocked_ranges_and_translated_public_addresses_are_public(
    address: str,
) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("port", [1, 21, 22, 25, 81, 3306, 5432, 6379, 9200, 11434, 65535])
async def test_other_ports_than_those_of_the_web_are_blocked(port: int) -> None:
    reader = WebReader(door=nowhere())
    with pytest.raises(AgentError, match=f"{port} is blocked"):
        await reader.fetch(f"http://site.example:{port}/")


@pytest.mark.parametrize(
    "addresses",
    [
        ["10.0.0.1"],
        ["127.0.0.1"],
        ["8.8.8.8", "127.0.0.1"],
        ["8.8.8.8", "::ffff:10.0.0.1"],
        ["8.8.8.8", "1.1.1.1", "fe80::1%eth0"],
    ],
)
async def test_one_address_of_a_name_that_is_not_public_blocks_it(addresses: list[str]) -> None:
    async def resolve(name: str, port: int) -> list[IPAddress]:
        return [ipaddress.ip_address(address) for address in addresses]

    reader = WebReader(door=Door(resolve))
    with pytest.raises(AgentError, match="blocked") as caught:
        await reader.fetch("https://rebind.example/")
    assert not any(address in str(caught.value) for address in addresses)  # it is not told


async def test_a_name_is_looked_up_once_so_that_another_answer_gains_nothing(site: Site) -> None:
    site.pages["/"] = page("<p>Hello</p>")
    asked: list[str] = []

    async def resolve(name: str, port: int) -> list[IPAddress]:
        asked.append(name)
        return [LOOPBACK if len(asked) == 1 else ipaddress.ip_address("127.0.0.2")]

    reader = WebReader(door=Door(resolve, LOOPBACK.__eq__, frozenset({site.port})))
    assert (await reader.fetch(site.url()))["text"] == "Hello"
    assert asked == ["site.example"]
    with pytest.raises(AgentError, match="blocked"):  # it is looked up and checked anew each time
        await reader.fetch(site.url())
    assert len(site.requests) == 1
    await reader.close()


async def test_a_redirect_to_the_same_name_is_checked_again(site: Site) -> None:
    site.pages["/"] = moved("/secret")
    answers = iter(["127.0.0.1", "127.0.0.2"])

    async def resolve(name: str, port: int) -> list[IPAddress]:
        return [ipaddress.ip_address(next(answers))]

    reader = WebReader(door=Door(resolve, LOOPBACK.__eq__, frozenset({site.port})))
    with pytest.raises(AgentError, match="blocked"):
        await reader.fetch(site.url())
    assert len(site.requests) == 1
    await reader.close()


@pytest.mark.parametrize(
    "location",
    [
        "http://10.0.0.1:{port}/",
        "//10.0.0.1:{port}/",
        "http://169.254.169.254:{port}/latest/meta-data/",
        "http://[::1]:{port}/",
        "http://[::ffff:7f00:1]:{port}/",
        "http://2130706434:{port}/",
        "http://127.0.0.1:22/",
        "http://inside.example:{port}/",
        "http://localhost:{port}/",
        "https://good.example@10.0.0.1:{port}/",
        "\thttp://10.0.0.1:{port}/ ",
    ],
)
async def test_a_redirect_into_the_own_network_is_blocked(site: Site, location: str) -> None:
    site.pages["/"] = moved(location.format(port=site.port))
    names = {"site.example": ["127.0.0.1"], "inside.example": ["127.0.0.1", "10.0.0.7"]}
    reader = WebReader(door=door(site, names))
    with pytest.raises(AgentError, match="blocked"):
        await reader.fetch(site.url())
    assert len(site.requests) == 1
    await reader.close()


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://site.example/", "data:,x"])
async def test_a_redirect_to_another_scheme_is_refused(
    site: Site, reader: WebReader, location: str
) -> None:
    site.pages["/"] = moved(location)
    with pytest.raises(AgentError, match=r"only http\(s\)"):
        await reader.fetch(site.url())


@pytest.mark.parametrize(
    "location", ["http://[::1", "http://a..b/", "http://x:99999/", "http://a b/"]
)
async def test_a_redirect_to_nonsense_is_no_valid_url(
    site: Site, reader: WebReader, location: str
) -> None:
    site.pages["/"] = moved(location)
    with pytest.raises(AgentError, match="not a valid URL"):
        await reader.fetch(site.url())


async def test_no_connection_is_made_before_the_check(site: Site) -> None:
    met = asyncio.Event()

    async def resolve(name: str, port: int) -> list[IPAddress]:
        met.set()
        return [LOOPBACK]

    reader = WebReader(door=Door(resolve, is_public, frozenset({site.port})))
    with pytest.raises(AgentError, match="blocked"):
        await reader.fetch(site.url())
    assert met.is_set()
    assert site.requests == []
    await reader.close()
