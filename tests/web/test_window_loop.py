"""The reader on the window's loop."""

from __future__ import annotations

import pytest

from studio_qt.web import WebReader
from tests.support.website import Site, page


@pytest.mark.qt_loop
@pytest.mark.clause("BR-08")
async def test_a_page_is_read_on_the_window_loop(site: Site, reader: WebReader) -> None:
    site.pages["/"] = page("<title>Tides</title><p>High water")
    found = await reader.fetch(site.url())
    assert (found["title"], found["text"]) == ("Tides", "High water")
