"""What counts as an address, and the one form that it is brought into."""

from __future__ import annotations

import ipaddress
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studio_qt.errors import AgentError
from studio_qt.web import WebReader
from studio_qt.web.url import parse_url

pytestmark = pytest.mark.clause("BR-08")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "   ",
        "nonsense",
        "example.com",
        "/etc/passwd",
        "//example.com/",
        "http:",
        "http://",
        "http:///path",
        "http:example.com",
        "https://?x",
        "http://exa mple.com/",
        "http://a..b/",
        "http://.example.com/",
        "http://example.com../",
        "http://[::1",
        "http://[zz::1]/",
        "http://[127.0.0.1]/",
        "http://1:2:3/",
        "http://example.com:port/",
        "http://example.com:0/",
        "http://example.com:65536/",
        "http://example.com:99999999999999999999/",
        "http://1.2.3.4.5/",
        "http://256.0.0.1/",
        "http://127.0.0.256/",
        "http://4294967296/",
        "http://08.0.0.1/",
        "http://1.2.3.0x1g.7/",
        "http://127.0.0.1\\@example.com/",
        "http://example.com\\@127.0.0.1/",
        "http://ex<ample>.com/",
        "http://ex%00ample.com/",
        "http://ex%2fample.com/",
        "http://example.com/\r\nHost: evil",
        "http://exa\tmple.com/",
        "http://\u202eexample.com/",
        f"http://{'a' * 64}.com/",
        f"http://{'a.' * 130}com/",
        f"http://example.com/{'x' * 5000}",
        "http://☃.example/",
    ],
)
async def test_what_is_no_address_is_not_a_valid_url(url: str) -> None:
    with pytest.raises(AgentError, match="not a valid URL"):
        await WebReader().fetch(url)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "FILE:///C:/x",
        "data:text/html,hi",
        "javascript:alert(1)",
        "about:blank",
        "blob:https://example.com/1",
        "ws://example.com/",
        "gopher://127.0.0.1:6379/_x",
        "view-source:http://example.com",
        "mailto:a@b.c",
        "jar:http://example.com!/x",
    ],
)
async def test_other_schemes_are_refused(url: str) -> None:
    with pytest.raises(AgentError, match=r"only http\(s\)"):
        await WebReader().fetch(url)


@pytest.mark.parametrize(
    ("given", "form"),
    [
        ("HTTP://Example.COM", "http://example.com/"),
        ("  https://example.com:443/a#b ", "https://example.com/a"),
        ("http://example.com:8080?q=1#x", "http://example.com:8080/?q=1"),
        ("http://example.com./", "http://example.com/"),
        ("https://user:pass@example.com/", "https://example.com/"),
        ("https://a@b@example.com/", "https://example.com/"),
        ("http://bücher.example/ä?ö", "http://xn--bcher-kva.example/%C3%A4?%C3%B6"),
        ("http://a.example/a b%20c?d=[e]|'", "http://a.example/a%20b%20c?d=[e]|'"),
        ("http://a_b.example:/", "http://a_b.example/"),
        ("http://134744072/", "http://8.8.8.8/"),
        ("http://[2606:4700:0:0::1111]:8080/", "http://[2606:4700::1111]:8080/"),
    ],
)
def test_an_address_has_one_form_without_credentials(given: str, form: str) -> None:
    assert str(parse_url(given)) == form


def test_a_message_stays_short_and_printable() -> None:
    with pytest.raises(AgentError) as caught:
        parse_url("\x1b[31mred\n" + "x" * 9999)
    assert len(str(caught.value)) < 400
    assert str(caught.value).isprintable()


@settings(max_examples=300)
@given(
    st.text(alphabet="ht:/p@.[]%0x17fé①。\\\\?# ", max_size=40).map("http://{}".format) | st.text()
)
def test_whatever_is_given_is_an_address_or_an_agent_error(text: str) -> None:
    with suppress(AgentError):
        url = parse_url(text)
        assert parse_url(str(url)) == url
        assert str(url).isascii()


@settings(max_examples=300)
@given(st.ip_addresses(v=4), st.integers(1, 4), st.lists(st.sampled_from("dox"), min_size=4))
def test_every_spelling_of_an_address_means_that_address(
    address: ipaddress.IPv4Address, parts: int, bases: list[str]
) -> None:
    value = int(address)
    numbers = [value >> 24 & 255, value >> 16 & 255, value >> 8 & 255][: parts - 1]
    numbers.append(value & (256 ** (5 - parts) - 1))
    formats = {"d": "{}", "o": "0{:o}", "x": "0x{:x}"}
    host = ".".join(formats[base].format(n) for base, n in zip(bases, numbers, strict=False))
    assert parse_url(f"http://{host}/").host == address
