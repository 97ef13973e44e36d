"""Scrape of a server's port for monitoring: HTTP by hand, and the page parsed by Prometheus' own library."""

import asyncio
from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families


async def request_page(
    port: int, path: str = "/metrics", host: str = "127.0.0.1", method: str = "GET"
) -> tuple[int, str]:
    """Request a page; returns its status and body."""
    return await send_bytes(port, f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())


async def send_bytes(port: int, data: bytes) -> tuple[int, str]:
    """Send bytes and read the answer; its status is 0 if there is none."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    try:
        answer = await reader.read()
    except ConnectionError:
        answer = b""
    writer.close()
    head, _, body = answer.decode("latin-1").partition("\r\n\r\n")
    return int(head.split(" ")[1]) if head.startswith("HTTP/") else 0, body


def parse_page(page: str) -> Mapping[tuple[str, frozenset[tuple[str, str]]], float]:
    """Return the value of each series, by name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


class Scrape:
    """One page of metrics."""

    def __init__(self, page: str) -> None:
        self.series = parse_page(page)
        self.names = {name for name, _ in self.series}

    def value_of(self, name: str, **labels: str) -> float:
        """Return one series. Raises KeyError if it does not exist."""
        return self.series[name, frozenset(labels.items())]

    def sum_of(self, name: str, **labels: str) -> float:
        """Add up all series of a name that have these labels."""
        wanted = {*labels.items()}
        found = [value for (each, has), value in self.series.items() if each == name and wanted <= has]
        assert found, f"there is no series {name} {labels}"
        return sum(found)


async def scrape_port(port: int) -> Scrape:
    """Scrape the metrics of a server."""
    status, page = await request_page(port)
    assert status == 200, page
    return Scrape(page)
